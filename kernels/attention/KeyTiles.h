// The tiles of a backward kernel whose CTAs own keys: which key block, which
// query rows meet it, which scores are live. Scores are transposed: rows are
// keys, columns queries.
#pragma once
#include "kernels/attention/AttentionTiles.h"

namespace tile {

/// In which order a head's key blocks are begun. Causal: the first key blocks
/// are the longest, they meet the most queries. The last two go through the
/// heads in sections whose queries fit into L2, as in FlashAttention-4.
enum class KeyOrder { ascending, shortestFirst, longestFirst };

/// How the work is cut. keys: of a tile; queries: rows of a block.
struct KeyTiling {
  KeyTiling(const Request &r, int keys, int queries);
  int keys, queries;
  bool causal;
  KeyOrder order;
  /// Tiles are begun in their order (walkByTicket) and may wait for earlier
  /// ones.
  bool deterministic;
  /// What a query takes in global memory: Q, dO and the sums of dQ.
  int queryBytes;
};

/// The schedule flags that a KeyTiling reads; why their values can't be.
std::vector<ScheduleFlag> keyTilingFlags();
std::optional<std::string> rejectKeyTiling(const Request &r);

/// One tile as a role sees it: for each query head that reads its keys, all
/// blocks of queries that may see one of them, ascending.
class KeyTile {
public:
  KeyTile(KernelBuilder &k, const AttentionSizes &sizes,
          const KeyTiling &tiling, const std::vector<Int> &coords)
      : k(&k), sizes(sizes), tiling(tiling), block(coords[0]),
        kvHead(coords[1]), batch(coords[2]), first(coords[3]),
        count(coords[4]) {}

  Int key() const { return block * tiling.keys; }
  /// The query head of a step of `heads`.
  Int head(Int step) const { return kvHead * sizes.headsPerKv + step; }
  /// First query row of the n-th block of a head.
  Int query(Int n) const { return (first + n) * tiling.queries; }

  Range heads() const { return k->loop(0, sizes.headsPerKv); }
  /// The blocks of one head. Never empty: without a query the one block lies
  /// behind the last, where TMA reads zeros and drops what is added.
  Range blocks() const { return k->loop(0, count); }
  /// The same, in two pieces: 0 needs `mask`, 1 doesn't.
  Range maskedFirst() const;
  /// Three pieces: 0 is the first block and may need `mask`, then as above.
  Range firstThenMasked() const;
  /// The blocks of all heads as one range.
  Int steps() const { return sizes.headsPerKv * count; }
  /// For a software pipeline over all heads: piece 0 has only a next block,
  /// piece 1 both, piece 2 only a previous one.
  Range overlapped() const {
    return k->pieces(
        {{0, 1, true, 0}, {1, steps(), false, 1}, {steps(), steps(), true, 2}});
  }
  /// Scores of keys that aren't there, or that come after the query on the
  /// causal diagonal aligned to the bottom right corner, become -inf.
  /// x's first row is the tile's key `row`, its first column the block's query
  /// `column`.
  Frag mask(Frag x, Row like, Int n, Int row = 0, Int column = 0) const;
  /// How many of the tiles that are begun before this one meet the n-th block.
  Int earlierTiles(Int n) const;

  /// How many blocks of a head need `mask`.
  Int maskedBlocks() const;

  KernelBuilder *k;
  AttentionSizes sizes;
  KeyTiling tiling;
  Int block, kvHead, batch, first, count;
};

/// Declares the walk, one CTA a tile.
void walkKeys(KernelBuilder &k, const AttentionSizes &sizes,
              const KeyTiling &tiling);

/// Lets tiles add to a block of queries in the order in which they are begun,
/// so that f32 sums have the same bits in every run. Does nothing where the
/// tiling isn't deterministic. With `shares`, that many CTAs of a tile each add
/// to their share of every block, independently of each other.
class AdditionTurns {
public:
  AdditionTurns(KernelBuilder &k, const AttentionSizes &sizes,
                const KeyTiling &tiling, int shares = 1);
  /// Records `add`, the additions to the n-th block of a head.
  void inTurn(const KeyTile &t, Int head, Int n,
              const std::function<void()> &add, Int share = 0) const;

private:
  std::optional<Counters> turns;
  Int blocks;
  int shares;
};

} // namespace tile
