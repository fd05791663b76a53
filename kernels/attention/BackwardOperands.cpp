#include "kernels/attention/BackwardOperands.h"
#include <fmt/format.h>

namespace tile {

std::vector<std::string> rowStatisticsDims() {
  return {"batch", "heads_q", paddedQueries};
}

std::vector<std::string> queryDims(int headDim) {
  return {"batch", "seqlen_q", "heads_q", std::to_string(headDim)};
}

std::vector<std::string> keyDims(int headDim) {
  return {"batch", "seqlen_k", "heads_kv", std::to_string(headDim)};
}

void walkQueryRows(KernelBuilder &k, const QuerySizes &sizes, int rows) {
  std::string blockCount = fmt::format("{} / {}", paddedQueries, rows);
  std::string tiles = blockCount + " * heads_q * batch";
  Int blocks = k.size(blockCount);
  k.walk(tiles, k.size(tiles), [&](Int index) {
    return std::vector<Int>{index % blocks, index / blocks % sizes.heads,
                            index / blocks / sizes.heads};
  });
}

} // namespace tile
