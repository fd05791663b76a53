#include "kernels/attention/AttentionTiles.h"
#include <fmt/format.h>

namespace tile {

/// Dims of a [batch, seqlen, heads, dim] tensor.
static std::vector<std::string> dims(const char *seqlen, const char *heads,
                                     int dim) {
  return {"batch", seqlen, heads, std::to_string(dim)};
}

AttentionOperands::AttentionOperands(KernelBuilder &b, const Request &r,
                                     Where where)
    : q(b.input("q", r.dtype, dims("seqlen_q", "heads_q", r.headDim), 1,
                where)),
      k(b.input("k", r.dtype, dims("seqlen_k", "heads_kv", r.headDim), 1,
                where)),
      v(b.input("v", r.dtype, dims("seqlen_k", "heads_kv", r.headDimV), 1,
                where)),
      o(b.output("o", r.dtype, dims("seqlen_q", "heads_q", r.headDimV), 1,
                 where)),
      lse(b.rowOutput("lse", {"batch", "heads_q", "seqlen_q"}, where)),
      scale(b.scalar("scale * 1.4426950408889634", where)) {}

std::optional<std::string> rejectSharedBytes(int needed, int limit,
                                             const char *remedy) {
  if (needed <= limit)
    return std::nullopt;
  return fmt::format("shared memory overflows: needs {} of {} bytes; fewer {} "
                     "fit",
                     needed, limit, remedy);
}

std::optional<std::string> rejectSlack(int slack, DType probabilities) {
  // Of f32: 2^31 keys of 2^96 each.
  const int most = probabilities == DType::f16 ? 15 : 96;
  if (slack >= 0 && slack <= most)
    return std::nullopt;
  return fmt::format("rescale-slack is {}; 0 to {} keep the probabilities and "
                     "their sum finite",
                     slack, most);
}

Range AttentionTile::maskedFirst(Int h, int partRows, int skipped) const {
  // Keys below `limit` are live for every row of the part.
  Int limit = sizes.seqlenK;
  if (tiling.causal)
    limit = min(limit, row(h, partRows) + 1 + sizes.seqlenK - sizes.seqlenQ);
  Int unmasked = min(max(limit, 0) / tiling.keys, count);
  Int masked = count - unmasked;
  if (skipped)
    masked = max(masked, skipped);
  return k->pieces({{skipped, masked, false, 0}, {masked, count, false, 1}});
}

Frag AttentionTile::mask(Frag x, Row like, Int step, Int h,
                         int partRows) const {
  FragOf<int> column = columnIndex(x);
  Int first = key(step);
  RowOf<int> limit = everyRow(sizes.seqlenK, like);
  if (tiling.causal)
    limit = min(queryRows(like, h, partRows) + Int(1) +
                    (sizes.seqlenK - sizes.seqlenQ),
                sizes.seqlenK);
  // A dead row's limit is at most 0, also relative to a block before key 0.
  RowOf<int> relative = select(limit <= 0, limit, limit - first);
  return select(column < relative, x, -std::numeric_limits<double>::infinity());
}

std::pair<Int, Int> inSections(Int index, Int blocks, Int heads,
                               Int sectionHeads) {
  Int section = index / (sectionHeads * blocks);
  Int rest = index % (sectionHeads * blocks);
  Int width = select(section < heads / sectionHeads, sectionHeads,
                     max(heads % sectionHeads, 1));
  return {rest / width, section * sectionHeads + rest % width};
}

/// One CTA a tile, longest tiles first; a section's keys and values fit into
/// L2.
static std::vector<Int> longestFirst(const AttentionSizes &s, Int index,
                                     Int blocks, Int sectionHeads) {
  auto [place, both] =
      inSections(index, blocks, s.heads * s.batch, sectionHeads);
  return {blocks - 1 - place, both % s.heads, both / s.heads};
}

/// For CTAs that walk causal tiles: two of a head in turn, a long one and the
/// short one that makes up for it. What is left when all CTAs have as many
/// pairs comes tile by tile, the longest first. The block behind the last
/// one makes a pair for the middle one.
static std::vector<Int> inPairs(const AttentionSizes &s, Int index, Int blocks,
                                Int sectionHeads, Int ctas) {
  Int perHead = ceilDiv(blocks, 2);
  Int pairs = perHead * s.heads * s.batch;
  Int whole = pairs / ctas * ctas, left = pairs - whole;
  Int late = index - whole * 2; // its place among what is left
  Int second = select(late < 0, index / ctas % 2, late / max(left, 1));
  Int lateOne = select(second == 0, late, left * 2 - 1 - late);
  Int pair =
      select(late < 0, index / ctas / 2 * ctas + index % ctas, whole + lateOne);
  auto [place, both] =
      inSections(pair, perHead, s.heads * s.batch, sectionHeads);
  Int shortBlock = select(place * 2 + 1 == blocks, blocks, place);
  return {select(second == 0, blocks - 1 - place, shortBlock), both % s.heads,
          both / s.heads};
}

bool walksTiles(const Request &r) {
  return !r.causal || r.arch == Arch::sm_90a;
}

void walkAttention(KernelBuilder &k, const AttentionSizes &s,
                   const AttentionTiling &tiling, const Request &r) {
  std::string blockCount = fmt::format("ceildiv(seqlen_q, {})", tiling.rows);
  bool persistent = r.get("persistent", walksTiles(r));
  bool pairs = persistent && tiling.causal;
  std::string tiles =
      (pairs ? "ceildiv(" + blockCount + ", 2) * 2" : blockCount) +
      " * heads_q * batch";
  std::string ctas = persistent ? "min(sm_count, " + tiles + ")" : tiles;
  // Where tiles are long, the one that starts when another ends balances best.
  if (pairs)
    ctas = fmt::format("max({}, {} * min(1, seqlen_k / 8192))", ctas, tiles);
  Int blocks = k.size(blockCount);
  Int sectionHeads = 1;
  if (!persistent || pairs)
    sectionHeads = k.size(
        fmt::format("pow2floor(max(1, {} / max(1, seqlen_k * {})))", l2Bytes,
                    (r.headDim + r.headDimV) * bytesOf(r.dtype)));
  Int ctaCount = pairs ? k.size("max(1, " + ctas + ")") : Int(1);
  k.walk(ctas, k.size(tiles), [&](Int index) {
    std::vector<Int> at;
    if (pairs)
      at = inPairs(s, index, blocks, sectionHeads, ctaCount);
    else if (persistent)
      at = {index % blocks, index / blocks % s.heads, index / blocks / s.heads};
    else
      at = longestFirst(s, index, blocks, sectionHeads);
    Int end = s.seqlenK;
    if (tiling.causal)
      end = min(end, (at[0] + 1) * tiling.rows + s.seqlenK - s.seqlenQ);
    if (pairs)
      end = select(at[0] < blocks, end, 0);
    Int count = max(ceilDiv(max(end, 0), tiling.keys), 1);
    // Without any key the one block lies before key 0: TMA reads zeros.
    Int top = select(s.seqlenK == 0, Int(-1), count - 1);
    return std::vector<Int>{at[0], at[1], at[1] / s.headsPerKv,
                            at[2], count, top};
  });
}

} // namespace tile
