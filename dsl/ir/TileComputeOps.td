//===- TileComputeOps.td - copies, MMAs, fragments -------------------------===//
#ifndef TILE_COMPUTE_OPS_TD
#define TILE_COMPUTE_OPS_TD

include "TileTypes.td"


def Tile_CopyInOp : Tile_Op<"copy_in", [AttrSizedOperandSegments]> {
  let summary = "TMA load of a tile into a slot; its bytes complete the slot's release";
  let description = [{
    `coords` index the dims of the tensor, outermost first; the tile covers
    `rows` of dim `rowDim` and `cols` of the last. Elements outside of the
    tensor read as zero. With `toLeader`, the barrier is the leader's.
  }];
  let arguments = (ins Tile_Tensor:$tensor, Variadic<I32>:$coords,
      Tile_Slot:$slot, DefaultValuedAttr<I64Attr, "1">:$rowDim,
      Optional<I32>:$barrier, UnitAttr:$toLeader);
  let assemblyFormat = "$tensor `[` $coords `]` `->` $slot (`signals` $barrier^)? attr-dict `:` qualified(type($slot))";
}

def Tile_CopyOutOp : Tile_Op<"copy_out"> {
  let summary = "TMA store of a slot; rows outside of the tensor are not written";
  let description = "With `add`, the tensor's elements become their sum with the slot's.";
  let arguments = (ins Tile_Slot:$slot, Tile_Tensor:$tensor,
      Variadic<I32>:$coords, DefaultValuedAttr<I64Attr, "1">:$rowDim,
      UnitAttr:$add);
  let assemblyFormat = "$slot `->` $tensor `[` $coords `]` attr-dict `:` qualified(type($slot))";
}

def Tile_MmaOp : Tile_Op<"mma"> {
  let summary = "d (+)= a b, all in slots: tcgen05.mma";
  let description = [{
    a is M x K; b is N x K, or K x N with `transposed_b`. Only the k range
    [kBegin, kEnd) is multiplied. Without `accumulate` the first step
    overwrites d where `accumulate` is false.
    With `pair`, a product of two CTAs: each has half of a's rows, half of b's
    columns, and of d the rows of its half of a. Where these are 64, d has them
    twice as wide: lanes 64 to 127 hold the right half of the columns.
  }];
  let arguments = (ins Tile_Slot:$a, Tile_Slot:$b, Tile_Slot:$d,
      I1:$accumulate, UnitAttr:$pair, UnitAttr:$transposedA, UnitAttr:$transposedB, I64Attr:$kBegin,
      I64Attr:$kEnd);
  let hasVerifier = 1;
  let assemblyFormat = "$a `,` $b `->` $d `accumulate` $accumulate `k` $kBegin `to` $kEnd attr-dict `:` qualified(type($a)) `,` qualified(type($b)) `->` qualified(type($d))";
}

def Tile_WarpgroupMmaOp : Tile_Op<"warpgroup_mma", [AttrSizedOperandSegments]> {
  let summary = "d = a b (+ c), accumulators in registers: wgmma, in flight until await";
  let description = [{
    a is 64 rows of a slot, from `rowBegin`, or a fragment of 64 rows; with
    `transposedA`, 64 columns of a K x M slot. b is N x K, or K x N with
    `transposedB`; `colBegin` is where its N columns start, if it has more than
    d. The instructions are one commit group.
    Until the await of d, nobody may write the slots, c is gone, and d is
    nobody's: only an await may use it.
  }];
  let arguments = (ins AnyType:$a, Tile_Slot:$b, Optional<AnyType>:$c,
      Optional<I32>:$rowBegin, Optional<I32>:$colBegin, UnitAttr:$transposedA,
      UnitAttr:$transposedB);
  let results = (outs AnyType:$d);
  let hasVerifier = 1;
  let assemblyFormat = "$a `,` $b (`plus` $c^ `:` type($c))? (`rows` $rowBegin^)? (`cols` $colBegin^)? attr-dict `:` qualified(type($a)) `,` qualified(type($b)) `->` type($d)";
}

def Tile_AwaitOp : Tile_Op<"await", [AllTypesMatch<["value", "result"]>]> {
  let summary = "waits for a warpgroup_mma; at most `pending` later ones stay in flight";
  let arguments = (ins AnyType:$value, I64Attr:$pending);
  let hasVerifier = 1;
  let results = (outs AnyType:$result);
  let assemblyFormat = "$value `pending` $pending `:` type($value) attr-dict";
}

def Tile_LoadOp : Tile_Op<"load"> {
  let summary = "columns [colBegin, colBegin + width) of a slot as a fragment, or a row slot";
  let description = [{
    A row slot is loaded as a per-row value, or as a fragment: its value
    colBegin + c is then that of every element of column c.
  }];
  let arguments = (ins Tile_Slot:$slot, DefaultValuedAttr<I64Attr, "0">:$colBegin);
  let results = (outs AnyType:$result);
  let assemblyFormat = "$slot `cols` $colBegin attr-dict `:` qualified(type($slot)) `->` type($result)";
}

def Tile_StoreOp : Tile_Op<"store"> {
  let summary = "writes a fragment to columns of a slot, or per-row values to a row slot";
  let description = "With `rowBegin`, to the slot's rows from there on.";
  let arguments = (ins AnyType:$value, Tile_Slot:$slot, Optional<I32>:$rowBegin,
      DefaultValuedAttr<I64Attr, "0">:$colBegin);
  let assemblyFormat = "$value `,` $slot (`rows` $rowBegin^)? `cols` $colBegin attr-dict `:` type($value) `,` qualified(type($slot))";
}

def Tile_SliceOp : Tile_Op<"slice", [Pure]> {
  let summary = "columns of a fragment";
  let arguments = (ins AnyType:$value, I64Attr:$colBegin);
  let results = (outs AnyType:$result);
  let assemblyFormat = "$value `cols` $colBegin attr-dict `:` type($value) `->` type($result)";
}

def Tile_BroadcastOp : Tile_Op<"broadcast", [Pure]> {
  let summary = "a per-row value, or a scalar, for every column";
  let arguments = (ins AnyType:$value);
  let results = (outs AnyType:$result);
  let assemblyFormat = "$value attr-dict `:` type($value) `->` type($result)";
}

def Tile_RowReduceOp : Tile_Op<"row_reduce", [Pure]> {
  let summary = "folds each row: `max` ignores NaN, `sum` adds in packed chains";
  let arguments = (ins StrAttr:$kind, AnyType:$value, AnyType:$init,
      UnitAttr:$partial);
  let description = [{
    With `partial` a thread folds only what it holds; `finish` of the row
    (another row_reduce over a per-row value) combines the lanes of a quad.
  }];
  let results = (outs AnyType:$result);
  let assemblyFormat = "$kind $value `,` $init attr-dict `:` type($value) `,` type($init) `->` type($result)";
}

def Tile_QuadCombineOp : Tile_Op<"quad_combine", [Pure, AllTypesMatch<["value", "result"]>]> {
  let summary = "combines partial per-row values over the lanes that share the row";
  let arguments = (ins StrAttr:$kind, AnyType:$value);
  let results = (outs AnyType:$result);
  let assemblyFormat = "$kind $value `:` type($value) attr-dict";
}

def Tile_Exp2Op : Tile_Op<"exp2", [Pure, AllTypesMatch<["value", "result"]>]> {
  let summary = "2^x by MUFU, for some columns by a polynomial of degree `degree`";
  let description = [{
    Of each `period` consecutive columns from `begin` to `end` the last `share`
    use the polynomial (fa4.md 1.4). For x <= 127; x = -inf gives 0.
  }];
  let arguments = (ins AnyType:$value, DefaultValuedAttr<I64Attr, "3">:$degree,
      DefaultValuedAttr<I64Attr, "0">:$share, DefaultValuedAttr<I64Attr, "16">:$period,
      DefaultValuedAttr<I64Attr, "0">:$begin, DefaultValuedAttr<I64Attr, "0">:$end);
  let results = (outs AnyType:$result);
  let assemblyFormat = "$value `:` type($value) attr-dict";
  let hasVerifier = 1;
}

def Tile_ApproxOp : Tile_Op<"approx", [Pure, AllTypesMatch<["value", "result"]>]> {
  let summary = "elementwise MUFU function: `log2`, `rcp`, `tanh`";
  let arguments = (ins StrAttr:$function, AnyType:$value);
  let results = (outs AnyType:$result);
  let assemblyFormat = "$function $value `:` type($value) attr-dict";
}

def Tile_ColumnIndexOp : Tile_Op<"column_index", [Pure]> {
  let summary = "each element's column, i32";
  let results = (outs AnyType:$result);
  let assemblyFormat = "attr-dict `:` type($result)";
}

def Tile_RowIndexOp : Tile_Op<"row_index", [Pure]> {
  let summary = "each row's index in the tile, i32";
  let results = (outs AnyType:$result);
  let assemblyFormat = "attr-dict `:` type($result)";
}

def Tile_AnyOp : Tile_Op<"any"> {
  let summary = "true for a whole warp where a condition holds for one of its rows";
  let arguments = (ins AnyType:$condition);
  let results = (outs I1:$result);
  let assemblyFormat = "$condition attr-dict `:` type($condition)";
}

def Tile_StoreGlobalOp : Tile_Op<"store_global"> {
  let summary = "one global store per row where `mask` holds; `index` counts elements";
  let arguments = (ins AnyType:$value, I64:$base, AnyType:$index, AnyType:$mask);
  let assemblyFormat = "$value `,` $base `[` $index `]` `if` $mask attr-dict `:` type($value) `,` type($index) `,` type($mask)";
}

def Tile_LoadGlobalOp : Tile_Op<"load_global", [AllTypesMatch<["otherwise", "result"]>]> {
  let summary = "one global load per row where `mask` holds, else `otherwise`; `index` counts elements";
  let arguments = (ins I64:$base, AnyType:$index, AnyType:$mask, AnyType:$otherwise);
  let results = (outs AnyType:$result);
  let assemblyFormat = "$base `[` $index `]` `if` $mask `else` $otherwise attr-dict `:` type($index) `,` type($mask) `,` type($otherwise)";
}

def Tile_TurnOp : Tile_Op<"turn"> {
  let summary = "`wait` for the turn of copy `index`, or `pass` it to the next copy";
  let description = [{
    Named barrier `first` + i belongs to copy i of the role's `count` copies of
    128 threads: i waits there for the copy before it. The turn starts with
    copy 0; tile-lower-roles passes it there once (L4).
  }];
  let arguments = (ins StrAttr:$kind, I32:$index, I64Attr:$first,
      I64Attr:$count);
  let assemblyFormat = "$kind $index `of` $count `from` $first attr-dict";
}

#endif
