#include "kernels/attention/KeyTiles.h"
#include <fmt/format.h>

namespace tile {

Range KeyTile::maskedFirst() const {
  Int masked = 0;
  // Queries from here on see all keys of the block.
  if (tiling.causal) {
    Int whole = key() + tiling.keys - 1 + sizes.seqlenQ - sizes.seqlenK;
    masked = min(max(ceilDiv(max(whole, 0), tiling.queries) - first, 0), count);
  }
  masked = select(sizes.seqlenK < key() + tiling.keys, count, masked);
  return k->pieces({{0, masked, false, 0}, {masked, count, false, 1}});
}

Frag KeyTile::mask(Frag x, Row like, Int n, Int row, Int column) const {
  RowOf<int> keys = rowIndex(like) + (key() + row);
  // Columns before this one are dead.
  RowOf<int> live = everyRow(0, like);
  if (tiling.causal)
    live = keys + (sizes.seqlenQ - sizes.seqlenK) - query(n) - column;
  live = select(keys < sizes.seqlenK, live, tiling.queries);
  return select(columnIndex(x) >= live, x,
                -std::numeric_limits<double>::infinity());
}

void walkKeys(KernelBuilder &k, const AttentionSizes &sizes,
              const KeyTiling &tiling) {
  std::string blockCount = fmt::format("ceildiv(seqlen_k, {})", tiling.keys);
  std::string tiles = blockCount + " * heads_kv * batch";
  Int blocks = k.size(blockCount), kvHeads = k.size("heads_kv");
  Int sectionHeads = 1;
  if (tiling.causal) {
    sectionHeads =
        k.size(fmt::format("pow2floor(max(1, {} / max(1, seqlen_q * {} * "
                           "(heads_q / heads_kv))))",
                           l2Bytes, tiling.queryBytes));
  }
  k.walk(tiles, k.size(tiles), [&](Int index) {
    Int block = index % blocks, other = index / blocks, first = 0;
    if (tiling.causal)
      std::tie(block, other) =
          inSections(index, blocks, kvHeads * sizes.batch, sectionHeads);
    if (tiling.causal)
      first = max(block * tiling.keys + sizes.seqlenQ - sizes.seqlenK, 0) /
              tiling.queries;
    Int count = max(ceilDiv(sizes.seqlenQ, tiling.queries) - first, 1);
    return std::vector<Int>{block, other % kvHeads, other / kvHeads, first,
                            count};
  });
}

} // namespace tile
