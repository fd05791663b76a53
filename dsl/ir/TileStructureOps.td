//===- TileStructureOps.td - kernels, parameters, pipes, roles -------------===//
#ifndef TILE_STRUCTURE_OPS_TD
#define TILE_STRUCTURE_OPS_TD

include "TileTypes.td"
include "mlir/IR/SymbolInterfaces.td"

def Tile_KernelOp : Tile_Op<"kernel", [Symbol, IsolatedFromAbove, NoRegionArguments, NoTerminator,
    SingleBlock]> {
  let summary = "one kernel: parameters, pipes, a walk over tiles, roles";
  let description = [{
    With the attribute `pair`, two CTAs of a cluster walk the same tiles. Both
    have every pipe, at the same place; a role runs in both, or in the leader
    for both. What a role of the leader takes, both CTAs hand to it; what it
    hands over goes to both.
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, StrAttr:$arch,
      DictionaryAttr:$info);
  let regions = (region SizedRegion<1>:$body);
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
  let assemblyFormat = "$sym_name `for` $arch $info $body attr-dict";
}

def Tile_TensorOp : Tile_Op<"tensor", [HasParent<"KernelOp">]> {
  let summary = "a tensor in global memory; dims are outermost first";
  let description = "With `zeroed`, the runtime clears it before each launch.";
  let arguments = (ins StrAttr:$name, StrAttr:$role, TypeAttr:$element,
      StrArrayAttr:$dims, UnitAttr:$zeroed);
  let results = (outs Tile_Tensor:$result);
  let hasVerifier = 1;
  let assemblyFormat = "$role $name $dims `of` $element attr-dict";
}

def Tile_PointerOp : Tile_Op<"pointer", [HasParent<"KernelOp">]> {
  let summary = "the base address of a tensor, as a kernel parameter";
  let arguments = (ins Tile_Tensor:$tensor);
  let results = (outs I64:$result);
  let assemblyFormat = "$tensor attr-dict";
}

def Tile_TensorMapOp : Tile_Op<"tensor_map", [HasParent<"KernelOp">]> {
  let summary = "the tensor map of a tensor for one box, as a kernel parameter";
  let description = "`box` counts elements, innermost dim first.";
  let arguments = (ins Tile_Tensor:$tensor, DenseI64ArrayAttr:$box,
      I64Attr:$swizzle);
  let results = (outs AnyType:$result);
  let hasVerifier = 1;
  let assemblyFormat = "$tensor `box` $box `swizzle` $swizzle `:` type($result) attr-dict";
}

def Tile_ScalarOp : Tile_Op<"scalar", [HasParent<"KernelOp">]> {
  let summary = "a scalar kernel parameter, computed by the host from `value`";
  let description = "`value` is a manifest expression over dims and scalars.";
  let arguments = (ins StrAttr:$value);
  let results = (outs AnyTypeOf<[I32, I64, F32]>:$result);
  let assemblyFormat = "$value `:` type($result) attr-dict";
}

def Tile_PipeOp : Tile_Op<"pipe", [HasParent<"KernelOp">]> {
  let summary = "a buffer of `instances` x `depth` slots";
  let description = [{
    Edge e of `edges` hands a slot from its e-th owner to the next one; the
    last edge leads back to the first owner, who owns all slots at the start.
    `parts[e]` > 1 hands over edge e in that many parts, one barrier each.
    tile-assign-smem and tile-assign-tmem set `offset` and `column`,
    tile-assign-smem also `barriers`, the offset of the first barrier.
    With `over`, the pipe has no columns of its own: its slots lie in those of
    the pipe of that name, from `overColumn` on; the roles order their uses.
  }];
  let arguments = (ins StrAttr:$name, DefaultValuedAttr<I64Attr, "1">:$depth,
      DefaultValuedAttr<I64Attr, "1">:$instances, StrArrayAttr:$edges,
      OptionalAttr<DenseI64ArrayAttr>:$parts, OptionalAttr<I64Attr>:$offset,
      OptionalAttr<I64Attr>:$column, OptionalAttr<I64Attr>:$barriers,
      OptionalAttr<StrAttr>:$over, DefaultValuedAttr<I64Attr, "0">:$overColumn);
  let results = (outs Tile_Pipe:$result);
  let hasVerifier = 1;
  let assemblyFormat = "$name `edges` $edges attr-dict `:` type($result)";
  let extraClassDeclaration = [{
    SlotType getSlotType() { return getResult().getType().getSlot(); }
    int64_t getEdgeParts(int64_t edge);
    /// Index of (edge, part)'s first barrier among the pipe's barriers.
    int64_t getBarrierIndex(int64_t edge, int64_t part);
    int64_t getNumBarriers();
  }];
}

def Tile_WalkOp : Tile_Op<"walk", [HasParent<"KernelOp">, SingleBlock]> {
  let summary = "maps a linear tile index to what every role knows of the tile";
  let description = [{
    Each role runs its body once for each tile of its CTA: index = ctaid.x,
    then + nctaid.x while less than `count`. One region for all roles, so that
    they can't disagree about trip counts (L1). `grid` is the host's expression
    for the number of CTAs.

    With `tickets`, the address of a counter, a grid of `count` CTAs (or pairs)
    has one tile each: the number that it draws from the counter when it
    starts. CTAs start in any order, but whoever has tile i knows that all tiles
    before i have been begun, and may wait for them (O2).
  }];
  let arguments = (ins I32:$count, StrAttr:$grid, Optional<I64>:$tickets);
  let regions = (region SizedRegion<1>:$body);
  let hasRegionVerifier = 1;
  let assemblyFormat = "$count (`tickets` $tickets^)? $body attr-dict";
}

def Tile_YieldOp : Tile_Op<"yield", [Pure, Terminator, ParentOneOf<["WalkOp", "RoleOp"]>]> {
  let summary = "ends a walk or a role";
  let arguments = (ins Variadic<I32>:$values);
  let assemblyFormat = "($values^ `:` type($values))? attr-dict";
  let builders = [OpBuilder<(ins), [{ build($_builder, $_state, ::mlir::ValueRange()); }]>];
}

def Tile_RoleOp : Tile_Op<"role", [HasParent<"KernelOp">, SingleBlock]> {
  let summary = "what one group of warps does for every tile";
  let description = [{
    Block arguments: the index of the copy (i32), then what the walk yields.
    A role of one warp is executed by one elected lane; only such a role may
    issue copies and MMAs, only one of 4 warps may have fragments (L6).
    tile-lower-rings records `elected`. In a pair, a role with `leader` runs
    only in the first CTA; its MMAs are the pair's.
  }];
  let arguments = (ins StrAttr:$name, I64Attr:$warps, I64Attr:$registers,
      DefaultValuedAttr<I64Attr, "1">:$copies, OptionalAttr<I64Attr>:$firstWarp,
      UnitAttr:$elected, UnitAttr:$leader);
  let regions = (region SizedRegion<1>:$body);
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
  let assemblyFormat = "$name $body attr-dict";
  let extraClassDeclaration = [{
    /// An op that needs all threads of the role, as long as fragments are not
    /// lowered, or null.
    ::mlir::Operation *firstUseOfThreads();
  }];
}

#endif
