//===- TileComputeOps.td - copies, MMAs, fragments -------------------------===//
#ifndef TILE_COMPUTE_OPS_TD
#define TILE_COMPUTE_OPS_TD

include "TileTypes.td"

def Tile_CopyInOp : Tile_Op<"copy_in", [AttrSizedOperandSegments, Tile_InRole]> {
  let summary = "TMA load of a tile into a slot; its bytes complete the slot's release";
  let description = [{
    `coords` index the dims of the tensor, outermost first; the tile covers
    `rows` of dim `rowDim` and `cols` of the last. Elements outside of the
    tensor read as zero. With `toLeader`, the barrier is the leader's.
  }];
  let arguments = (ins Tile_Tensor:$tensor, Variadic<I32>:$coords,
      Tile_Slot:$slot, DefaultValuedAttr<I64Attr, "1">:$rowDim,
      Optional<I32>:$barrier, UnitAttr:$toLeader);
  let hasVerifier = 1;
  let assemblyFormat = "$tensor `[` $coords `]` `->` $slot (`signals` $barrier^)? attr-dict `:` qualified(type($slot))";
}

def Tile_CopyOutOp : Tile_Op<"copy_out", [Tile_InRole]> {
  let summary = "TMA store of a slot; rows outside of the tensor are not written";
  let description = "With `add`, the tensor's elements become their sum with the slot's.";
  let arguments = (ins Tile_Slot:$slot, Tile_Tensor:$tensor,
      Variadic<I32>:$coords, DefaultValuedAttr<I64Attr, "1">:$rowDim,
      UnitAttr:$add);
  let hasVerifier = 1;
  let assemblyFormat = "$slot `->` $tensor `[` $coords `]` attr-dict `:` qualified(type($slot))";
}

def Tile_MmaOp : Tile_Op<"mma", [Tile_InRole]> {
  let summary = "d (+)= a b, all in slots: tcgen05.mma";
  let description = [{
    a is M x K, or K x M with `transposedA`; b is N x K, or K x N with
    `transposedB`. Only the k range [kBegin, kEnd) is multiplied. Where
    `accumulate` is false, the first step overwrites d; the others always add.
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

def Tile_WarpgroupMmaOp : Tile_Op<"warpgroup_mma", [AttrSizedOperandSegments, Tile_InRole]> {
  let summary = "d = a b (+ c), accumulators in registers: wgmma, in flight until await";
  let description = [{
    a is 64 rows of a slot, from `rowBegin`, or a fragment of 64 rows; with
    `transposedA`, 64 columns of a K x M slot. b is N x K, or K x N with
    `transposedB`; `colBegin` is where its N columns start, if it has more than
    d. The instructions are one commit group.
    Until the await of d, nobody may write the slots, c is gone, and d is
    nobody's: only an await may use it.
  }];
  let arguments = (ins AnyTypeOf<[Tile_Slot, Tile_Fragment, Tile_Vector]>:$a,
      Tile_Slot:$b, Optional<Tile_Accumulator>:$c,
      Optional<I32>:$rowBegin, Optional<I32>:$colBegin, UnitAttr:$transposedA,
      UnitAttr:$transposedB);
  let results = (outs Tile_Accumulator:$d);
  let hasVerifier = 1;
  let assemblyFormat = "$a `,` $b (`plus` $c^ `:` type($c))? (`rows` $rowBegin^)? (`cols` $colBegin^)? attr-dict `:` qualified(type($a)) `,` qualified(type($b)) `->` type($d)";
}

def Tile_AwaitOp : Tile_Op<"await", [AllTypesMatch<["value", "result"]>, Tile_InRole]> {
  let summary = "waits for a warpgroup_mma; at most `pending` later ones stay in flight";
  let arguments = (ins Tile_Accumulator:$value, I64Attr:$pending);
  let hasVerifier = 1;
  let results = (outs Tile_Accumulator:$result);
  let assemblyFormat = "$value `pending` $pending `:` type($value) attr-dict";
}

def Tile_LoadOp : Tile_Op<"load", [Tile_InRole]> {
  let summary = "columns [colBegin, colBegin + width) of a slot as a fragment, or a row slot";
  let description = [{
    A row slot is loaded as a per-row value, or as a fragment: its value
    colBegin + c is then that of every element of column c.
  }];
  let arguments = (ins Tile_Slot:$slot, DefaultValuedAttr<I64Attr, "0">:$colBegin);
  let results = (outs Tile_Layouted:$result);
  let hasVerifier = 1;
  let assemblyFormat = "$slot `cols` $colBegin attr-dict `:` qualified(type($slot)) `->` type($result)";
}

def Tile_StoreOp : Tile_Op<"store", [Tile_InRole]> {
  let summary = "writes a fragment to columns of a slot, or per-row values to a row slot";
  let description = "With `rowBegin`, to the slot's rows from there on.";
  let arguments = (ins Tile_Layouted:$value, Tile_Slot:$slot,
      Optional<I32>:$rowBegin, DefaultValuedAttr<I64Attr, "0">:$colBegin);
  let hasVerifier = 1;
  let assemblyFormat = "$value `,` $slot (`rows` $rowBegin^)? `cols` $colBegin attr-dict `:` type($value) `,` qualified(type($slot))";
}

def Tile_SliceOp : Tile_Op<"slice", [Pure]> {
  let summary = "columns of a fragment";
  let arguments = (ins Tile_Fragment:$value, I64Attr:$colBegin);
  let results = (outs Tile_Fragment:$result);
  let hasVerifier = 1;
  let assemblyFormat = "$value `cols` $colBegin attr-dict `:` type($value) `->` type($result)";
}

def Tile_BroadcastOp : Tile_Op<"broadcast", [Pure]> {
  let summary = "a per-row value, or a scalar, for every column";
  let arguments = (ins AnyTypeOf<[Tile_Row, AnyInteger, AnyFloat]>:$value);
  let results = (outs Tile_Layouted:$result);
  let hasVerifier = 1;
  let assemblyFormat = "$value attr-dict `:` type($value) `->` type($result)";
}

def Tile_RowReduceOp : Tile_Op<"row_reduce", [Pure, AllTypesMatch<["init", "result"]>]> {
  let summary = "folds each row: `max` ignores NaN, `sum` adds in packed chains";
  let arguments = (ins StrAttr:$kind, Tile_FragmentF32:$value,
      Tile_RowF32:$init, UnitAttr:$partial);
  let description = [{
    With `partial` a thread folds only what it holds of the row; quad_combine
    then combines the lanes that share it.
  }];
  let results = (outs Tile_RowF32:$result);
  let hasVerifier = 1;
  let assemblyFormat = "$kind $value `,` $init attr-dict `:` type($value) `,` type($init) `->` type($result)";
}

def Tile_QuadCombineOp : Tile_Op<"quad_combine", [Pure, AllTypesMatch<["value", "result"]>]> {
  let summary = "combines partial per-row values over the lanes that share the row";
  let arguments = (ins StrAttr:$kind, Tile_RowF32:$value);
  let results = (outs Tile_RowF32:$result);
  let hasVerifier = 1;
  let assemblyFormat = "$kind $value `:` type($value) attr-dict";
}

def Tile_Exp2Op : Tile_Op<"exp2", [Pure, AllTypesMatch<["value", "result"]>]> {
  let summary = "2^x by MUFU, for some columns by a polynomial of degree `degree`";
  let description = [{
    Of each `period` consecutive columns from `begin` to `end` the last `share`
    use the polynomial, so that MUFU and the FMA units share the work
    (FlashAttention-4, "software-emulated exponential"). For x <= 127; x = -inf
    gives 0.
  }];
  let arguments = (ins Tile_AnyF32:$value, DefaultValuedAttr<I64Attr, "3">:$degree,
      DefaultValuedAttr<I64Attr, "0">:$share, DefaultValuedAttr<I64Attr, "16">:$period,
      DefaultValuedAttr<I64Attr, "0">:$begin, DefaultValuedAttr<I64Attr, "0">:$end);
  let results = (outs Tile_AnyF32:$result);
  let assemblyFormat = "$value `:` type($value) attr-dict";
  let hasVerifier = 1;
}

def Tile_ApproxOp : Tile_Op<"approx", [Pure, AllTypesMatch<["value", "result"]>]> {
  let summary = "elementwise MUFU function: `log2`, `rcp`, `tanh`";
  let arguments = (ins StrAttr:$function, Tile_AnyF32:$value);
  let results = (outs Tile_AnyF32:$result);
  let hasVerifier = 1;
  let assemblyFormat = "$function $value `:` type($value) attr-dict";
}

def Tile_ColumnIndexOp : Tile_Op<"column_index", [Pure]> {
  let summary = "each element's column, i32";
  let results = (outs Tile_FragmentI32:$result);
  let assemblyFormat = "attr-dict `:` type($result)";
}

def Tile_RowIndexOp : Tile_Op<"row_index", [Pure]> {
  let summary = "each row's index in the tile, i32";
  let results = (outs Tile_RowI32:$result);
  let assemblyFormat = "attr-dict `:` type($result)";
}

def Tile_AnyOp : Tile_Op<"any", [Tile_InRole]> {
  let summary = "true for a whole warp where a condition holds for one of its rows";
  let arguments = (ins Tile_RowI1:$condition);
  let results = (outs I1:$result);
  let assemblyFormat = "$condition attr-dict `:` type($condition)";
}

def Tile_StoreGlobalOp : Tile_Op<"store_global", [Tile_InRole]> {
  let summary = "one global store per row where `mask` holds; `index` counts elements";
  let arguments = (ins Tile_RowF32:$value, I64:$base, Tile_RowI32:$index,
      Tile_RowI1:$mask);
  let hasVerifier = 1;
  let assemblyFormat = "$value `,` $base `[` $index `]` `if` $mask attr-dict `:` type($value) `,` type($index) `,` type($mask)";
}

def Tile_LoadGlobalOp : Tile_Op<"load_global", [AllTypesMatch<["otherwise", "result"]>, Tile_InRole]> {
  let summary = "one global load per row where `mask` holds, else `otherwise`; `index` counts elements";
  let arguments = (ins I64:$base, Tile_RowI32:$index, Tile_RowI1:$mask,
      Tile_RowF32:$otherwise);
  let results = (outs Tile_RowF32:$result);
  let hasVerifier = 1;
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
  let hasVerifier = 1;
  let assemblyFormat = "$kind $index `of` $count `from` $first attr-dict";
}

#endif
