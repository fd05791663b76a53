//===- TileOrderOps.td - order between CTAs, through global memory ---------===//
#ifndef TILE_ORDER_OPS_TD
#define TILE_ORDER_OPS_TD

include "TileTypes.td"

def Tile_CounterWaitOp : Tile_Op<"counter_wait"> {
  let summary = "waits until a counter in global memory has this value";
  let description = [{
    What other CTAs did before the posts that led to `value` is done then, for
    this role's accesses and for its TMA copies.
  }];
  let arguments = (ins I64:$base, I32:$index, I32:$value);
  let hasVerifier = 1;
  let assemblyFormat = "$base `[` $index `]` `is` $value attr-dict";
}

def Tile_CounterPostOp : Tile_Op<"counter_post"> {
  let summary = "adds 1 to a counter once what this role did before is done";
  let description = "Its TMA stores and additions too: they are waited for.";
  let arguments = (ins I64:$base, I32:$index);
  let hasVerifier = 1;
  let assemblyFormat = "$base `[` $index `]` attr-dict";
}

#endif
