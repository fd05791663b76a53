// FlashAttention-3 forward for Hopper: O = softmax(Q K^T scale) V and LSE.
// Each warpgroup owns 64 query rows; scores, probabilities and O stay in its
// registers. It issues Q K^T of the next block and P V of the last one, and
// computes a softmax while they run; warpgroups issue in turn, so that one's
// softmax overlaps with another's products.
#include "dsl/lang/Softmax.h"
#include "kernels/Kernels.h"
#include "kernels/attention/AttentionTiles.h"
#include <fmt/format.h>

namespace tile {

namespace {
constexpr int rowsPerGroup = 64;
/// Shared memory of a CTA less barriers.
constexpr int smemBudget = sharedBytesOfCta - barrierBytes;

/// What may change without changing the result's definition.
struct Fa3Schedule {
  explicit Fa3Schedule(const Request &r)
      : groups(r.get("warpgroups", r.headDim <= 64 ? 3 : 2)),
        keys(r.get("keys", defaultKeys(r))), stages(r.get("kv-stages", 2)),
        slack(r.get("rescale-slack", 0)),
        pingPong(r.get("ping-pong", r.headDim <= 128)),
        registers(r.get("registers", groups == 3 ? 160 : 232)) {
    // A CTA that walks several tiles loads the next Q meanwhile, if it fits.
    qStages = r.get("persistent", walksTiles(r)) ? 2 : 1;
    if (smemBytes(r) > smemBudget)
      qStages = 1;
    qStages = r.get("q-stages", qStages);
  }

  static int defaultKeys(const Request &r) {
    // With 3 warpgroups of 160 registers, 128 keys would spill.
    if (r.headDim <= 64)
      return r.get("warpgroups", 3) == 3 ? 112 : 128;
    return r.headDim > 192 ? 48 : r.headDim > 128 ? 96 : 128;
  }
  int rows() const { return groups * rowsPerGroup; }
  int smemBytes(const Request &r) const {
    return 2 * (rows() * (qStages * r.headDim + r.headDimV) +
                stages * keys * (r.headDim + r.headDimV));
  }
  int groups, keys, stages, slack, pingPong, registers;
  int qStages = 1;
};
} // namespace

namespace {
/// The kernel's pipes, and what each role does with them for one tile.
class Fa3Forward {
public:
  explicit Fa3Forward(const Request &r)
      : r(r), s(r), k({"fa3_fwd", "attention_forward", r}) {}
  Kernel build();

private:
  void attend(Int h, const AttentionTile &t);
  void loadTiles(const AttentionTile &t);
  void storeTiles(const AttentionTile &t);

  const Request &r;
  const Fa3Schedule s;
  const int d = r.headDim, dv = r.headDimV;
  KernelBuilder k;
  AttentionOperands tensors{k, r};
  AttentionSizes sizes{k};
  AttentionTiling tiling{s.rows(), s.keys, r.causal};
  Ring<Smem> queries = k.ring("q", smem(r.dtype, s.rows(), d), s.qStages);
  Ring<Smem> keys = k.ring("k", smem(r.dtype, s.keys, d), s.stages);
  Ring<Smem> values = k.ring("v", smem(r.dtype, s.keys, dv), s.stages);
  Ring<Smem> out = k.ring("o", smem(r.dtype, rowsPerGroup, dv), 1, s.groups);
  Turn turn = k.turn(s.groups);
};
} // namespace

Kernel Fa3Forward::build() {
  walkAttention(k, sizes, tiling, r);
  auto tile = [&](const std::vector<Int> &coords) {
    return AttentionTile(k, sizes, tiling, coords);
  };
  using Coords = const std::vector<Int> &;
  k.role("attend", {.warps = 4, .registers = s.registers, .copies = s.groups},
         [&](Int h, Coords at) { attend(h, tile(at)); });
  k.role("load", {.warps = 1}, [&](Int, Coords at) { loadTiles(tile(at)); });
  k.role("store", {.warps = 1}, [&](Int, Coords at) { storeTiles(tile(at)); });
  return k.build();
}

void Fa3Forward::attend(Int h, const AttentionTile &t) {
  const double inf = std::numeric_limits<double>::infinity();
  Row zero = k.rowConstant(0, rowsPerGroup);
  OnlineSoftmax row(k.rowConstant(-inf, rowsPerGroup), zero, tensors.scale,
                    s.slack);
  auto probabilities = [&](Frag x) {
    Frag p = row.exp(x, {});
    row.add(p);
    return p;
  };
  auto q = queries.take();
  auto first = keys.take();
  Frag x = await(start(mma(rowsFrom(q, h * rowsPerGroup), T(first))));
  std::move(first).release();
  x = t.mask(x, zero, 0, h, rowsPerGroup);
  row.update(x);
  Carried<Rounded> p(cast(r.dtype, probabilities(x)));
  Carried<Frag> o(k.constant(0, rowsPerGroup, dv));
  for (Step n : t.maskedFirst(h, rowsPerGroup, 1)) {
    auto next = keys.take();
    if (s.pingPong)
      turn.wait(h);
    Pending scores = start(mma(rowsFrom(q, h * rowsPerGroup), T(next)));
    auto v = values.take();
    Pending sum = start(mma(p.get(), v), o.get());
    if (s.pingPong)
      turn.pass(h);
    Frag y = await(std::move(scores), 1);
    std::move(next).release();
    if (n.piece == 0)
      y = t.mask(y, zero, n.index, h, rowsPerGroup);
    Row factor = row.update(y);
    Frag e = probabilities(y);
    Frag done = await(std::move(sum));
    std::move(v).release();
    o = done * factor;
    p = cast(r.dtype, e);
  }
  std::move(q).release();
  auto v = values.take();
  Frag done = await(start(mma(p.get(), v), o.get()));
  std::move(v).release();
  Row inverse = OnlineSoftmax::normalizer(row.total());
  auto slot = out[h].fill();
  store(cast(r.dtype, done * inverse), slot);
  t.storeLse(tensors.lse, row.logSumExp(), h, rowsPerGroup);
}

void Fa3Forward::loadTiles(const AttentionTile &t) {
  for (Step n : t.overlapped()) {
    if (n.piece < 2)
      keys.put(tensors.k.at({t.batch, t.key(n.index), t.kvHead}));
    if (n.piece == 0) // Q after K, whose slot is free before Q's
      queries.put(tensors.q.at({t.batch, t.row(0, rowsPerGroup), t.head}));
    if (n.piece > 0)
      values.put(tensors.v.at({t.batch, t.key(n.index - 1), t.kvHead}));
  }
}

void Fa3Forward::storeTiles(const AttentionTile &t) {
  for (int h = 0; h < s.groups; ++h) {
    auto slot = out[h].take();
    storeTo(tensors.o.at({t.batch, t.row(h, rowsPerGroup), t.head}), slot);
  }
}

static std::optional<std::string> reject(const Request &r) {
  Fa3Schedule s(r);
  if (s.keys % 16 || s.keys < 16 || s.keys > 256)
    return fmt::format("keys is {}; a block has a multiple of 16 keys, at "
                       "most 256",
                       s.keys);
  if (s.groups < 1 || s.groups > 3)
    return fmt::format("warpgroups is {}; 1 to 3 fit an SM's registers",
                       s.groups);
  if (auto reason = rejectSharedBytes(s.smemBytes(r), smemBudget,
                                      "keys, kv-stages or q-stages"))
    return reason;
  return rejectSlack(s.slack, r.dtype);
}

KernelDefinition fa3ForwardDefinition() {
  KernelDefinition d;
  d.name = "fa3_fwd";
  d.summary = "FlashAttention-3 forward, 64 query rows a warpgroup";
  d.archs = {Arch::sm_90a};
  d.headDims = {{64, 64}, {96, 96}, {128, 128}, {192, 128}, {256, 256}};
  d.schedule = {
      {"warpgroups", "warpgroups that compute, 64 query rows each"},
      {"keys", "keys of a block"},
      {"kv-stages", "slots of the K ring and of the V ring"},
      {"q-stages", "slots of the Q ring"},
      {"rescale-slack", "log2 units that the maximum may lag; 0: exact"},
      {"ping-pong", "1: the warpgroups issue their products in turn"},
      {"registers", "registers of a computing thread"},
      {"persistent", "1: one CTA an SM walks the tiles; 0: one a tile"}};
  d.reject = reject;
  d.build = [](const Request &r) { return Fa3Forward(r).build(); };
  return d;
}

} // namespace tile
