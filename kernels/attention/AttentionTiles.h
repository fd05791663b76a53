// The tiles of an attention kernel: which query rows, which key blocks, which
// scores are live. Shared by every attention kernel.
#pragma once
#include "dsl/lang/KernelBuilder.h"
#include <limits>

namespace tile {

/// Sizes of one launch, as kernel parameters.
struct AttentionSizes {
  explicit AttentionSizes(KernelBuilder &k)
      : seqlenQ(k.size("seqlen_q")), seqlenK(k.size("seqlen_k")),
        heads(k.size("heads_q")), batch(k.size("batch")),
        headsPerKv(k.size("max(heads_q / heads_kv, 1)")) {}
  Int seqlenQ, seqlenK, heads, batch, headsPerKv;
};

/// The tensors of a forward kernel, as the runtime knows them: [batch, seqlen,
/// heads, head_dim], LSE [batch, heads, seqlen]; and the scale in log2 units.
struct AttentionOperands {
  AttentionOperands(KernelBuilder &k, const Request &r,
                    Where where = Where::current());
  Tensor q, k, v, o;
  RowTensor lse;
  Scalar scale;
};

/// How the work is cut. rows: query rows of a tile; keys: keys of a block.
struct AttentionTiling {
  int rows = 256;
  int keys = 128;
  bool causal = false;
};

/// One tile as a role sees it. Key blocks are visited from the last to the
/// first, so that the masked ones come first.
class AttentionTile {
public:
  AttentionTile(KernelBuilder &k, const AttentionSizes &sizes,
                const AttentionTiling &tiling, const std::vector<Int> &coords)
      : k(&k), sizes(sizes), tiling(tiling), block(coords[0]), head(coords[1]),
        kvHead(coords[2]), batch(coords[3]), count(coords[4]), top(coords[5]) {}

  /// First key of the block of a step.
  Int key(Int step) const { return (top - step) * tiling.keys; }
  /// First query row of part `h` of the tile.
  Int row(Int h, int partRows) const {
    return block * tiling.rows + h * partRows;
  }
  /// All blocks. count is never 0: an empty range is one dead block.
  Range blocks() const { return k->loop(0, count); }
  /// Piece 0 is the first block, piece 1 the others.
  Range peelFirst() const {
    return k->pieces({{0, 1, true, 0}, {1, count, false, 1}});
  }
  /// For a software pipeline of two stages: piece 0 has only a next block,
  /// piece 1 both, piece 2 only a previous one.
  Range overlapped() const {
    return k->pieces(
        {{0, 1, true, 0}, {1, count, false, 1}, {count, count, true, 2}});
  }
  /// Piece 0 holds the blocks where part `h` needs its mask, piece 1 the rest;
  /// both without the first `skipped` blocks.
  Range maskedFirst(Int h, int partRows, int skipped = 0) const;
  /// Scores outside of the key range, or above the causal diagonal aligned to
  /// the bottom right corner (the last query sees every key), become -inf.
  Frag mask(Frag x, Row like, Int step, Int h, int partRows) const;
  /// The query row of each row of part `h`.
  RowOf<int> queryRows(Row like, Int h, int partRows) const {
    return rowIndex(like) + row(h, partRows);
  }
  /// Writes the log-sum-exp of the rows of part `h` that exist.
  void storeLse(const RowTensor &lse, Row value, Int h, int partRows,
                Where where = Where::current()) const {
    RowOf<int> at = queryRows(value, h, partRows);
    lse.store(value, batch * sizes.heads + head, sizes.seqlenQ, at,
              at < sizes.seqlenQ, where);
  }

  KernelBuilder *k;
  AttentionSizes sizes;
  AttentionTiling tiling;
  Int block, head, kvHead, batch, count, top;
};

/// Why a schedule that takes `needed` of `limit` bytes doesn't fit; `remedy`
/// names what would take fewer.
std::optional<std::string> rejectSharedBytes(int needed, int limit,
                                             const char *remedy);

/// Why `slack` (see OnlineSoftmax) is too much for probabilities of a type.
std::optional<std::string> rejectSlack(int slack, DType probabilities);
/// Which block (by its place in the order) and which of `heads` a tile is:
/// heads vary fastest, but within sections of `sectionHeads`, so that what a
/// section reads stays in L2.
std::pair<Int, Int> inSections(Int index, Int blocks, Int heads,
                               Int sectionHeads);

/// Whether a CTA walks tiles where `persistent` isn't given.
bool walksTiles(const Request &request);

/// Declares the walk: persistent with blocks fastest for full attention; for
/// causal, longest tile first with the L2 swizzle of FlashAttention-4, or,
/// where CTAs walk tiles, a long and a short one in turn.
void walkAttention(KernelBuilder &k, const AttentionSizes &sizes,
                   const AttentionTiling &tiling, const Request &request);

} // namespace tile
