//===- TileTypes.td - pipes, slots, tensors, variables, layouts ------------===//
#ifndef TILE_TYPES_TD
#define TILE_TYPES_TD

include "TileDialect.td"

def Tile_Memory : I32EnumAttr<"Memory", "where the slots of a pipe live", [
    I32EnumAttrCase<"smem", 0>, I32EnumAttrCase<"tmem", 1>,
    I32EnumAttrCase<"rows", 2>]> {
  let cppNamespace = "::tile::ir";
  let genSpecializedAttr = 0;
}

class Tile_Type<string name, string typeMnemonic>
    : TypeDef<Tile_Dialect, name> {
  let mnemonic = typeMnemonic;
}

def Tile_Slot : Tile_Type<"Slot", "slot"> {
  let summary = "one tile in shared memory, tensor memory, or a row of statistics";
  let description = [{
    `rows` x `cols` elements. smem: column panels of `swizzle` bytes, each
    rows x swizzle bytes; 16-byte chunk c of a panel's row r stands where chunk
    c ^ (r % 8) would, taken modulo the chunks of a row (PTX ISA, "Swizzling
    modes"). tmem: lane = row, f32 one per column, 16-bit two per column. rows:
    one f32 per row, unswizzled.
  }];
  let parameters = (ins EnumParameter<Tile_Memory>:$memory, "int64_t":$rows,
      "int64_t":$cols, "::mlir::Type":$element,
      DefaultValuedParameter<"int64_t", "0">:$swizzle);
  let assemblyFormat = "`<` $memory `,` $rows `x` $cols `x` $element (`,` `swizzle` `=` $swizzle^)? `>`";
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// Bytes in shared memory, or of tensor-memory columns times four.
    int64_t getBytes() const;
    /// 32-bit tensor-memory columns.
    int64_t getColumns() const;
    /// Elements of one panel's row, and how many panels make a tile.
    int64_t getPanelCols() const;
    int64_t getPanels() const;
  }];
}

def Tile_Pipe : Tile_Type<"Pipe", "pipe"> {
  let summary = "a buffer of slots whose ownership moves along edges";
  let parameters = (ins "::tile::ir::SlotType":$slot);
  let assemblyFormat = "`<` qualified($slot) `>`";
}

def Tile_Tensor : Tile_Type<"Tensor", "tensor"> {
  let summary = "a tensor in global memory, a kernel parameter";
}

def Tile_Var : Tile_Type<"Var", "var"> {
  let summary = "a mutable value of a role, promoted to SSA by tile-promote-vars";
  let parameters = (ins "::mlir::Type":$type);
  let assemblyFormat = "`<` $type `>`";
}

class Tile_Attr<string name, string attrMnemonic>
    : AttrDef<Tile_Dialect, name> {
  let mnemonic = attrMnemonic;
}

def Tile_RowLayout : Tile_Attr<"RowLayout", "row"> {
  let summary = "row-per-thread: thread t of the role holds row t (tcgen05.ld 32x32b)";
}

def Tile_QuadLayout : Tile_Attr<"QuadLayout", "quad"> {
  let summary = "a quad of lanes shares two rows (wgmma's accumulator fragment D)";
}

// What an operand may be. F1 (TileStructureOps.cpp) is about their shapes.
class Tile_FragmentOf<int rank, Pred element, string text>
    : Type<And<[CPred<"::tile::ir::isFragment($_self, " # rank # ")">, element]>,
           text>;
class Tile_ElementIs<string test>
    : CPred<"::mlir::getElementTypeOrSelf($_self)." # test>;
def Tile_Fragment : Tile_FragmentOf<2, CPred<"true">, "a fragment">;
def Tile_FragmentF32 : Tile_FragmentOf<2, Tile_ElementIs<"isF32()">, "a fragment of f32">;
def Tile_FragmentI32 : Tile_FragmentOf<2, Tile_ElementIs<"isInteger(32)">, "a fragment of i32">;
def Tile_Row : Tile_FragmentOf<1, CPred<"true">, "a per-row value">;
def Tile_RowF32 : Tile_FragmentOf<1, Tile_ElementIs<"isF32()">, "a per-row f32">;
def Tile_RowI32 : Tile_FragmentOf<1, Tile_ElementIs<"isInteger(32)">, "a per-row i32">;
def Tile_RowI1 : Tile_FragmentOf<1, Tile_ElementIs<"isInteger(1)">, "a per-row condition">;
def Tile_Layouted : AnyTypeOf<[Tile_Fragment, Tile_Row]>;
def Tile_VectorF32 : Type<CPred<"::tile::ir::isVector($_self) && ::mlir::getElementTypeOrSelf($_self).isF32()">, "a vector of f32">;
def Tile_Vector : Type<CPred<"::tile::ir::isVector($_self)">, "a vector">;
/// f32 in every form that it takes before and after distribution.
def Tile_AnyF32 : AnyTypeOf<[F32, Tile_VectorF32, Tile_FragmentF32, Tile_RowF32]>;
/// A product in registers before and after distribution.
def Tile_Accumulator : AnyTypeOf<[Tile_VectorF32, Tile_FragmentF32]>;

#endif
