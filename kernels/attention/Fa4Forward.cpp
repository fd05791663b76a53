// FlashAttention-4 forward for Blackwell: O = softmax(Q K^T scale) V and LSE.
// A CTA owns 256 query rows as two halves in ping-pong: while the MMA role
// multiplies for one half, softmax works on the other.
#include "dsl/lang/Softmax.h"
#include "kernels/Kernels.h"
#include "kernels/attention/AttentionTiles.h"
#include <fmt/format.h>

namespace tile {

namespace {
constexpr int rowsPerHalf = 128, keysPerBlock = 128;
/// Shared memory of a CTA less barriers and the four slots of row statistics.
constexpr int smemBudget =
    sharedBytesOfCta - barrierBytes - 4 * rowsPerHalf * 4;

/// What may change without changing the result's definition.
struct Fa4Schedule {
  Fa4Schedule(const Request &r)
      : slack(r.get("rescale-slack", 8)), expShare(r.get("exp2-share", 4)),
        expPeriod(r.get("exp2-period", 16)), outStages(r.get("out-stages", 0)),
        kvStages(r.get("kv-stages", 0)),
        softmaxRegisters(r.get("softmax-registers", 184)),
        correctRegisters(r.get("correct-registers", 80)) {
    int q = 2 * rowsPerHalf * r.headDim * 2;
    int out = rowsPerHalf * r.headDimV * 2;
    int slot = keysPerBlock * std::max(r.headDim, r.headDimV) * 2;
    if (!outStages)
      outStages = smemBudget - q - 2 * out >= 3 * slot ? 2 : 1;
    if (!kvStages)
      kvStages = std::min((smemBudget - q - outStages * out) / slot, 8);
  }
  int slack, expShare, expPeriod, outStages, kvStages;
  int softmaxRegisters, correctRegisters;
};
} // namespace

namespace {
/// The kernel's pipes, and what each role does with them for one tile.
class Fa4Forward {
public:
  explicit Fa4Forward(const Request &r)
      : r(r), s(r), k({"fa4_fwd", "attention_forward", r}) {}
  Kernel build();

private:
  void loadTiles(const AttentionTile &t);
  void multiplyTiles(const AttentionTile &t);
  void softmax(Int h, const AttentionTile &t);
  void correct(const AttentionTile &t);
  void storeTiles(const AttentionTile &t);

  const Request &r;
  const Fa4Schedule s;
  const int d = r.headDim, dv = r.headDimV;
  KernelBuilder k;
  AttentionOperands tensors{k, r};
  AttentionSizes sizes{k};
  AttentionTiling tiling{2 * rowsPerHalf, keysPerBlock, r.causal};
  const SlotSpec kSlot = smem(r.dtype, keysPerBlock, d);
  const SlotSpec vSlot = smem(r.dtype, keysPerBlock, dv);
  Ring<Smem> q = k.ring("q", smem(r.dtype, rowsPerHalf, d), 2);
  Ring<Smem> kv =
      k.ring("kv", smem(r.dtype, keysPerBlock, std::max(d, dv)), s.kvStages);
  Ring<Smem> o = k.ring("o", smem(r.dtype, rowsPerHalf, dv), s.outStages);
  Ring<Rows> alpha = k.rowRing("alpha", rowsPerHalf, 1, 2);
  Ring<Rows> sum = k.rowRing("sum", rowsPerHalf, 1, 2);
  // S goes out; P comes back into the upper half of its columns, in two parts.
  Duplex<Tmem> sp =
      k.duplex("sp", tmem(DType::f32, rowsPerHalf, keysPerBlock),
               tmem(r.dtype, rowsPerHalf, keysPerBlock, 64), 2, {96, 32});
  Duplex<Tmem> acc = k.duplex("acc", tmem(DType::f32, rowsPerHalf, dv),
                              tmem(DType::f32, rowsPerHalf, dv), 2);
};
} // namespace

Kernel Fa4Forward::build() {
  walkAttention(k, sizes, tiling, r);
  auto tile = [&](const std::vector<Int> &coords) {
    return AttentionTile(k, sizes, tiling, coords);
  };
  using Coords = const std::vector<Int> &;
  k.role("load", {.warps = 1}, [&](Int, Coords at) { loadTiles(tile(at)); });
  k.role("mma", {.warps = 1}, [&](Int, Coords at) { multiplyTiles(tile(at)); });
  k.role("softmax", {.warps = 4, .registers = s.softmaxRegisters, .copies = 2},
         [&](Int h, Coords at) { softmax(h, tile(at)); });
  k.role("correct", {.warps = 4, .registers = s.correctRegisters},
         [&](Int, Coords at) { correct(tile(at)); });
  k.role("store", {.warps = 1}, [&](Int, Coords at) { storeTiles(tile(at)); });
  return k.build();
}

void Fa4Forward::loadTiles(const AttentionTile &t) {
  for (int h : {0, 1})
    q.put(tensors.q.at({t.batch, t.row(h, rowsPerHalf), t.head}));
  for (Step n : t.blocks()) {
    kv.putAs(kSlot, tensors.k.at({t.batch, t.key(n.index), t.kvHead}));
    kv.putAs(vSlot, tensors.v.at({t.batch, t.key(n.index), t.kvHead}));
  }
}

void Fa4Forward::multiplyTiles(const AttentionTile &t) {
  std::optional q0 = q.take(), q1 = q.take();
  for (Step n : t.overlapped()) {
    bool hasPrev = n.piece > 0, hasNext = n.piece < 2;
    std::optional<Slot<Smem>> v, kNext;
    if (hasPrev)
      v.emplace(kv.takeAs(vSlot));
    if (hasNext)
      kNext.emplace(kv.takeAs(kSlot));
    else
      q0.reset(), q1.reset(); // hands Q back before the last products
    for (int h : {0, 1}) {
      if (hasPrev) { // P V of the last block keeps the unit busy meanwhile
        auto out = acc.near(h).take();
        auto p0 = sp.near(h).claimChunk(0);
        multiply(out, mma(p0, *v).range(0, 96), n.index != 1);
        auto p1 = sp.near(h).claimChunk(1);
        multiply(out, mma(p1, *v).range(96, 128), true);
      }
      if (hasNext)
        sp.near(h).put(mma(h ? *q1 : *q0, T(*kNext)));
    }
  }
}

void Fa4Forward::softmax(Int h, const AttentionTile &t) {
  const double inf = std::numeric_limits<double>::infinity();
  Row zero = k.rowConstant(0, rowsPerHalf);
  OnlineSoftmax row(k.rowConstant(-inf, rowsPerHalf), zero, tensors.scale,
                    s.slack);
  Exp2Split split{3, s.expShare, s.expPeriod, 32, 96};
  for (Step n : t.maskedFirst(h, rowsPerHalf)) {
    Frag x = load(sp.far(h).claim());
    if (n.piece == 0)
      x = t.mask(x, zero, n.index, h, rowsPerHalf);
    alpha[h].put(row.update(x)); // "correct" starts meanwhile
    Frag p = row.exp(x, split);
    for (int part : {0, 1}) {
      auto out = sp.far(h).own(part);
      for (int c = part * 96; c < (part ? 128 : 96); c += 32)
        store(cast(r.dtype, slice(p, c, 32)), out, c);
    }
    row.add(p);
  }
  sum[h].put(row.total());
  t.storeLse(tensors.lse, row.logSumExp(), h, rowsPerHalf);
}

void Fa4Forward::correct(const AttentionTile &t) {
  for (Step n : t.peelFirst()) {
    for (int h : {0, 1}) {
      auto f = alpha[h].take();
      if (n.piece == 0)
        continue; // nothing is accumulated yet
      Row factor = load(f);
      auto out = acc.far(h).take();
      when(any(factor < 1.0), [&] {
        for (int c = 0; c < dv; c += 16)
          store(load(out, c, 16) * factor, out, c);
      });
    }
  }
  for (int h : {0, 1}) {
    auto l = sum[h].take();
    Row inverse = OnlineSoftmax::normalizer(load(l));
    auto in = acc.far(h).take();
    auto out = o.fill();
    for (int c = 0; c < dv; c += 16)
      store(cast(r.dtype, load(in, c, 16) * inverse), out, c);
  }
}

void Fa4Forward::storeTiles(const AttentionTile &t) {
  for (int h : {0, 1}) {
    auto out = o.take();
    storeTo(tensors.o.at({t.batch, t.row(h, rowsPerHalf), t.head}), out);
  }
}

static std::optional<std::string> reject(const Request &r) {
  Fa4Schedule s(r);
  if (s.kvStages < 2)
    return fmt::format("kv-stages is {}; the pipeline holds K and V of "
                       "different blocks at once and needs at least 2",
                       s.kvStages);
  if (s.expPeriod < 2 || s.expPeriod % 2)
    return fmt::format("exp2-period is {}; it must be even and at least 2",
                       s.expPeriod);
  if (s.expShare % 2 || s.expShare < 0 || s.expShare > s.expPeriod)
    return fmt::format("exp2-share is {} of {}; it must be even and within "
                       "the period",
                       s.expShare, s.expPeriod);
  return rejectSlack(s.slack, r.dtype);
}

KernelDefinition fa4ForwardDefinition() {
  KernelDefinition d;
  d.name = "fa4_fwd";
  d.summary = "FlashAttention-4 forward, 256 query rows a CTA";
  d.archs = {Arch::sm_100a};
  d.headDims = {{64, 64}, {96, 96}, {128, 128}, {192, 128}};
  d.schedule = {
      {"kv-stages", "slots of the K/V ring; 0: what fits"},
      {"out-stages", "slots for O on its way out; 0: what fits"},
      {"rescale-slack", "log2 units that the maximum may lag; 0: exact"},
      {"exp2-share", "columns of each period computed by the polynomial"},
      {"exp2-period", "see exp2-share"},
      {"softmax-registers", "registers of a softmax thread"},
      {"correct-registers", "registers of a correction thread"},
      {"persistent", "1: one CTA an SM walks the tiles; 0: one a tile"}};
  d.reject = reject;
  d.build = [](const Request &r) { return Fa4Forward(r).build(); };
  return d;
}

} // namespace tile
