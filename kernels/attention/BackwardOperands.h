// What the kernels of a backward pass hand to each other through global
// memory; the same on every architecture.
//
//   preprocess   delta = rowsum(dO * O) - dLSE, neg_lse_log2 = -LSE * log2(e),
//                dq_accum = 0
//   main         adds to dq_accum in any order; writes dk and dv
//   postprocess  dq = scale * dq_accum, rounded
#pragma once
#include "kernels/attention/AttentionTiles.h"

namespace tile {

/// Rows of the query dim for which preprocess writes statistics: so many that
/// blocks of up to 128 rows are whole, and never none, for the sake of strides.
/// A row that isn't there, and one without a live key, has delta 0 and
/// neg_lse_log2 0, so that exp2 stays finite.
inline constexpr const char *paddedQueries =
    "max(ceildiv(seqlen_q, 128), 1) * 128";

/// Shape of delta and neg_lse_log2: [batch, heads, padded queries], f32.
std::vector<std::string> rowStatisticsDims();
/// Shapes of q and its like (dq_accum too), and of k and its like.
std::vector<std::string> queryDims(int headDim);
std::vector<std::string> keyDims(int headDim);

/// Sizes of a launch that concern query rows only.
struct QuerySizes {
  explicit QuerySizes(KernelBuilder &k)
      : seqlenQ(k.size("seqlen_q")), heads(k.size("heads_q")),
        batch(k.size("batch")) {}
  Int seqlenQ, heads, batch;
};

/// The walk of a kernel that treats each tile of `rows` query rows alone: its
/// tiles are (block, head, batch).
void walkQueryRows(KernelBuilder &k, const QuerySizes &sizes, int rows);

/// Query rows of a tile of pre- and postprocess: those of one warpgroup.
inline int rowsPerTile(const Request &r) {
  return r.arch == Arch::sm_90a ? 64 : 128;
}

} // namespace tile
