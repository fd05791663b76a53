//===- TilePairOps.td - two CTAs that work together ------------------------===//
#ifndef TILE_PAIR_OPS_TD
#define TILE_PAIR_OPS_TD

include "TileTypes.td"

def Tile_RankOp : Tile_Op<"rank", [Pure]> {
  let summary = "0 in the leader of a pair of CTAs, 1 in its peer";
  let results = (outs I32:$result);
  let hasVerifier = 1;
  let assemblyFormat = "attr-dict";
}

def Tile_CopyPeerOp : Tile_Op<"copy_peer", [Tile_InRole]> {
  let summary = "copies rows of a slot into the same slot of the peer CTA";
  let description = [{
    `count` rows from row `from` on become the peer's rows from `to` on; they
    keep their place in the swizzle pattern. The slot's release hands it to the
    peer's owner of the next edge: the bytes complete the peer's barrier.
  }];
  let arguments = (ins Tile_Slot:$slot, I64Attr:$from, I32:$to, I64Attr:$count,
      Optional<I32>:$barrier);
  let hasVerifier = 1;
  let assemblyFormat = "$slot `rows` $from `count` $count `->` $to (`signals` $barrier^)? attr-dict `:` qualified(type($slot))";
}

#endif
