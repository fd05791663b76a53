#include "kernels/attention/KeyTiles.h"
#include <fmt/format.h>

namespace tile {

KeyTiling::KeyTiling(const Request &r, int keys, int queries)
    : keys(keys), queries(queries), causal(r.causal),
      deterministic(r.get("deterministic", 0)),
      queryBytes(bytesOf(r.dtype) * (r.headDim + r.headDimV) + 4 * r.headDim) {
  // A tile that waits for others had better come when these are done.
  KeyOrder ordered = causal ? KeyOrder::shortestFirst : KeyOrder::longestFirst;
  KeyOrder free = causal ? KeyOrder::longestFirst : KeyOrder::ascending;
  order = KeyOrder(r.get("key-order", int(deterministic ? ordered : free)));
}

std::vector<ScheduleFlag> keyTilingFlags() {
  return {{"deterministic", "dQ has the same bits in every run"},
          {"key-order", "key blocks: 0 ascending, 1 shortest, 2 longest first; "
                        "1 and 2 by sections of heads that fit into L2"}};
}

std::optional<std::string> rejectKeyTiling(const Request &r) {
  for (auto [flag, most] : {std::pair{"deterministic", 1}, {"key-order", 2}})
    if (int value = r.get(flag, 0); value < 0 || value > most)
      return fmt::format("{} is {}; it is 0 to {}", flag, value, most);
  return std::nullopt;
}

Int KeyTile::maskedBlocks() const {
  Int masked = 0;
  // Queries from here on see all keys of the block.
  if (tiling.causal) {
    Int whole = key() + tiling.keys - 1 + sizes.seqlenQ - sizes.seqlenK;
    masked = min(max(ceilDiv(max(whole, 0), tiling.queries) - first, 0), count);
  }
  return select(sizes.seqlenK < key() + tiling.keys, count, masked);
}

Range KeyTile::maskedFirst() const {
  Int masked = maskedBlocks();
  return k->pieces({{0, masked, false, 0}, {masked, count, false, 1}});
}

Range KeyTile::firstThenMasked() const {
  Int masked = max(maskedBlocks(), 1);
  return k->pieces(
      {{0, 1, true, 0}, {1, masked, false, 1}, {masked, count, false, 2}});
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

Int KeyTile::earlierTiles(Int n) const {
  // Those of smaller index all do: they meet even more queries.
  if (tiling.order != KeyOrder::shortestFirst)
    return block;
  Int meeting = ceilDiv(sizes.seqlenK, tiling.keys);
  if (tiling.causal)
    meeting = min(meeting, ceilDiv(query(n + 1) + sizes.seqlenK - sizes.seqlenQ,
                                   tiling.keys));
  return meeting - 1 - block;
}

/// Heads whose queries fit into L2 together; 1 where the order has no use for
/// it.
static Int sectionHeads(KernelBuilder &k, const KeyTiling &tiling) {
  if (tiling.order == KeyOrder::ascending)
    return 1;
  return k.size(fmt::format("pow2floor(max(1, {} / max(1, seqlen_q * {} * "
                            "(heads_q / heads_kv))))",
                            l2Bytes, tiling.queryBytes));
}

void walkKeys(KernelBuilder &k, const AttentionSizes &sizes,
              const KeyTiling &tiling) {
  std::string blockCount = fmt::format("ceildiv(seqlen_k, {})", tiling.keys);
  std::string tiles = blockCount + " * heads_kv * batch";
  Int blocks = k.size(blockCount), kvHeads = k.size("heads_kv");
  Int section = sectionHeads(k, tiling);
  auto coords = [&](Int index) {
    Int block = index % blocks, other = index / blocks, first = 0;
    if (tiling.order != KeyOrder::ascending)
      std::tie(block, other) =
          inSections(index, blocks, kvHeads * sizes.batch, section);
    if (tiling.order == KeyOrder::shortestFirst)
      block = blocks - 1 - block;
    if (tiling.causal)
      first = max(block * tiling.keys + sizes.seqlenQ - sizes.seqlenK, 0) /
              tiling.queries;
    Int count = max(ceilDiv(sizes.seqlenQ, tiling.queries) - first, 1);
    return std::vector<Int>{block, other % kvHeads, other / kvHeads, first,
                            count};
  };
  if (tiling.deterministic)
    k.walkByTicket(tiles, coords);
  else
    k.walk(tiles, k.size(tiles), coords);
}

AdditionTurns::AdditionTurns(KernelBuilder &k, const AttentionSizes &sizes,
                             const KeyTiling &tiling, int shares)
    : blocks(ceilDiv(sizes.seqlenQ, tiling.queries)), shares(shares) {
  if (!tiling.deterministic)
    return;
  std::vector<std::string> dims{
      "batch", "heads_q", fmt::format("ceildiv(seqlen_q, {})", tiling.queries)};
  if (shares > 1)
    dims.push_back(std::to_string(shares));
  turns = k.counters("dq_turns", dims);
}

void AdditionTurns::inTurn(const KeyTile &t, Int head, Int n,
                           const std::function<void()> &add, Int share) const {
  if (!turns)
    return add();
  Int block = t.first + n;
  Int counter = (t.batch * t.sizes.heads + head) * blocks + block;
  if (shares > 1)
    counter = counter * shares + share;
  // The block behind the last one, of a tile that no query meets, has none.
  when(block < blocks, [&] { turns->wait(counter, t.earlierTiles(n)); });
  add();
  when(block < blocks, [&] { turns->post(counter); });
}

} // namespace tile
