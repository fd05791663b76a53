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
    rows x swizzle bytes, XOR-swizzled (ptx.md 1.5). tmem: lane = row, f32 one
    per column, 16-bit two per column. rows: one f32 per row, unswizzled.
  }];
  let parameters = (ins EnumParameter<Tile_Memory>:$memory, "int64_t":$rows,
      "int64_t":$cols, "::mlir::Type":$element,
      DefaultValuedParameter<"int64_t", "0">:$swizzle);
  let assemblyFormat = "`<` $memory `,` $rows `x` $cols `x` $element (`,` `swizzle` `=` $swizzle^)? `>`";
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
  let summary = "a quad of lanes shares two rows (wgmma accumulator, ptx.md 4.8)";
}

#endif
