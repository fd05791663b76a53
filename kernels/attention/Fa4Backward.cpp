// FlashAttention-4 backward for Blackwell: dQ, dK and dV of one key block of
// 128. S and dP are computed transposed, rows are keys, so that P and dS, once
// rounded, are operands in the tensor memory that they came from. While threads
// work on one block of queries, the MMA role already multiplies for the next.
#include "kernels/Kernels.h"
#include "kernels/attention/BackwardOperands.h"
#include "kernels/attention/Fa4BackwardPair.h"
#include "kernels/attention/KeyTiles.h"
#include <fmt/format.h>

namespace tile {

namespace {
constexpr int keysPerTile = 128, queriesPerBlock = 128;
/// Columns of dQ that one reduction adds, and of dK and dV that one store
/// writes: what a stage holds.
constexpr int sumColumns = 32;
/// Shared memory of a CTA less barriers and the four slots of row statistics.
constexpr int smemBudget =
    sharedBytesOfCta - barrierBytes - 4 * queriesPerBlock * 4;

/// What may change without changing the result's definition.
struct Fa4BackwardSchedule {
  explicit Fa4BackwardSchedule(const Request &r)
      : qStages(r.get("q-stages", 2)), sumStages(r.get("sum-stages", 2)),
        computeRegisters(r.get("compute-registers", 240)),
        reduceRegisters(r.get("reduce-registers", 128)) {}
  int smemBytes(const Request &r) const {
    int row = 2 * (r.headDim + r.headDimV);
    return keysPerTile * row + qStages * queriesPerBlock * 2 * r.headDim +
           queriesPerBlock * 2 * r.headDimV +
           keysPerTile * queriesPerBlock * 2 +
           sumStages * queriesPerBlock * sumColumns * 4;
  }
  int qStages, sumStages, computeRegisters, reduceRegisters;
};
} // namespace

static Kernel fa4Backward(const Request &r) {
  const Fa4BackwardSchedule s(r);
  const int d = r.headDim, dv = r.headDimV;
  KernelBuilder k({"fa4_bwd", "attention_backward", r});
  k.overlapLaunch();
  Tensor Q = k.input("q", r.dtype, queryDims(d));
  Tensor K = k.input("k", r.dtype, keyDims(d));
  Tensor V = k.input("v", r.dtype, keyDims(dv));
  Tensor dO = k.input("do", r.dtype, queryDims(dv));
  Tensor delta = k.input("delta", DType::f32, rowStatisticsDims());
  Tensor negLse = k.input("neg_lse_log2", DType::f32, rowStatisticsDims());
  Tensor dQ = k.inout("dq_accum", DType::f32, queryDims(d));
  Tensor dK = k.output("dk", r.dtype, keyDims(d));
  Tensor dV = k.output("dv", r.dtype, keyDims(dv));
  Scalar scale = k.scalar("scale");
  Scalar scaleLog2 = k.scalar("scale * 1.4426950408889634");
  AttentionSizes sizes(k);
  const KeyTiling tiling(r, keysPerTile, queriesPerBlock);
  walkKeys(k, sizes, tiling);
  AdditionTurns turns(k, sizes, tiling);

  const SlotSpec square = tmem(DType::f32, keysPerTile, queriesPerBlock);
  const SlotSpec operand = tmem(r.dtype, keysPerTile, queriesPerBlock);
  const SlotSpec sums = tmem(DType::f32, queriesPerBlock, d);
  const SlotSpec stage = smem(r.dtype, keysPerTile, sumColumns);
  auto keys = k.ring("k", smem(r.dtype, keysPerTile, d), 1);
  auto values = k.ring("v", smem(r.dtype, keysPerTile, dv), 1);
  // The MMA role multiplies by Q twice, a block of queries apart.
  auto q = k.smemCycle("q", smem(r.dtype, queriesPerBlock, d),
                       {"full", "again", "empty"}, s.qStages);
  auto gradient = k.ring("do", smem(r.dtype, queriesPerBlock, dv), 1);
  auto shift = k.rowRing("lse", queriesPerBlock, 2, 1);
  auto sub = k.rowRing("delta", queriesPerBlock, 1, 1);
  auto ds = k.ring("ds", smem(r.dtype, keysPerTile, queriesPerBlock), 1);
  auto out =
      k.ring("out", smem(DType::f32, queriesPerBlock, sumColumns), s.sumStages);
  auto sp = k.duplex("sp", square, operand);
  auto sumV = k.duplex("sum_v", tmem(DType::f32, keysPerTile, dv),
                       tmem(DType::f32, keysPerTile, dv));
  // dP goes out, dS comes back in its place, then dQ, which is added up.
  auto dp = k.tmemCycle("dp", square, {"dp", "ds", "dq", "free"});
  auto sumK = k.duplex("sum_k", tmem(DType::f32, keysPerTile, d),
                       tmem(DType::f32, keysPerTile, d));
  auto tile = [&](const std::vector<Int> &coords) {
    return KeyTile(k, sizes, tiling, coords);
  };

  k.role("load", {.warps = 1}, [&](Int, const std::vector<Int> &coords) {
    KeyTile t = tile(coords);
    keys.put(K.at({t.batch, t.key(), t.kvHead}));
    values.put(V.at({t.batch, t.key(), t.kvHead}));
    for (Step h : t.heads()) {
      Int head = t.head(h.index);
      for (Step n : t.blocks()) {
        Int row = t.query(n.index);
        q[0].put(Q.at({t.batch, row, head}));
        shift.put(negLse.at({t.batch, head}, row));
        gradient.put(dO.at({t.batch, row, head}));
        sub.put(delta.at({t.batch, head}, row));
      }
    }
  });

  k.role("mma", {.warps = 1}, [&](Int, const std::vector<Int> &coords) {
    KeyTile t = tile(coords);
    auto key = keys.take();
    auto value = values.take();
    std::optional dv = sumV.near().take();
    auto dk = sumK.near().take();
    for (Step n : t.overlapped()) {
      bool hasPrev = n.piece > 0, hasNext = n.piece < 2;
      if (hasNext) {
        auto query = q[1].take();
        sp.near().put(mma(key, T(query)));
      } else {
        dv.reset(); // is stored while the last products run
      }
      if (hasPrev) {
        auto square = dp[2].take();
        auto query = q[2].take();
        auto a = alias(square, operand);
        multiply(dk, mma(a, query), n.index != 1);
        std::move(query).release();
        auto gradientOfS = ds.take();
        auto dq = alias(square, sums);
        multiply(dq, mma(T(gradientOfS), key), false);
      }
      if (hasNext) {
        auto g = gradient.take();
        {
          auto square = dp[0].take();
          multiply(square, mma(value, T(g)), false);
        }
        auto p = sp.near().claim();
        multiply(*dv, mma(p, g), n.index != 0);
      }
    }
  });

  k.role("compute", {.warps = 4, .registers = s.computeRegisters},
         [&](Int, const std::vector<Int> &coords) {
           KeyTile t = tile(coords);
           Row zero = k.rowConstant(0, keysPerTile);
           for ([[maybe_unused]] Step h : t.heads()) {
             for (Step n : t.maskedFirst()) {
               auto offset = shift.take();
               Frag x = load(sp.far().claim());
               x = fma(x, scaleLog2, loadAcross(offset, x));
               std::move(offset).release();
               if (n.piece == 0)
                 x = t.mask(x, zero, n.index);
               Frag p = exp2(x);
               {
                 auto back = sp.far().own();
                 store(cast(r.dtype, p), back);
               }
               auto rows = sub.take();
               auto square = dp[1].take();
               auto inPlace = alias(square, operand);
               auto copy = ds.fill();
               for (int c = 0; c < queriesPerBlock; c += 32) {
                 Frag y = load(square, c, 32);
                 Frag z = slice(p, c, 32) * (y - loadAcross(rows, y, c));
                 Rounded rounded = cast(r.dtype, z);
                 store(rounded, inPlace, c);
                 store(rounded, copy, c);
               }
             }
           }
         });

  k.role("reduce", {.warps = 4, .registers = s.reduceRegisters},
         [&](Int, const std::vector<Int> &coords) {
           KeyTile t = tile(coords);
           for ([[maybe_unused]] Step n : k.loop(0, t.steps())) {
             auto in = dp[3].takeAs(sums);
             for (int c = 0; c < d; c += sumColumns) {
               auto part = out.fill();
               store(load(in, c, sumColumns), part);
             }
           }
           auto dv = sumV.far().take();
           for (int c = 0; c < r.headDimV; c += sumColumns) {
             auto part = out.fillAs(stage);
             store(cast(r.dtype, load(dv, c, sumColumns)), part);
           }
           auto dk = sumK.far().take();
           for (int c = 0; c < d; c += sumColumns) {
             auto part = out.fillAs(stage);
             store(cast(r.dtype, load(dk, c, sumColumns) * scale), part);
           }
         });

  k.role("store", {.warps = 1}, [&](Int, const std::vector<Int> &coords) {
    KeyTile t = tile(coords);
    for (Step h : t.heads()) {
      Int head = t.head(h.index);
      for (Step n : t.blocks()) {
        turns.inTurn(t, head, n.index, [&] {
          for (int c = 0; c < d; c += sumColumns) {
            auto part = out.take();
            addTo(dQ.at({t.batch, t.query(n.index), head}, c), part);
          }
        });
      }
    }
    for (int c = 0; c < dv; c += sumColumns) {
      auto part = out.takeAs(stage);
      storeTo(dV.at({t.batch, t.key(), t.kvHead}, c), part);
    }
    for (int c = 0; c < d; c += sumColumns) {
      auto part = out.takeAs(stage);
      storeTo(dK.at({t.batch, t.key(), t.kvHead}, c), part);
    }
  });
  return k.build();
}

static std::optional<std::string> reject(const Request &r) {
  if (r.get("two-cta", 0))
    return rejectFa4BackwardPair(r);
  if (r.headDim > 128)
    return fmt::format("head dim {} takes more columns of tensor memory than "
                       "one CTA has; add two-cta",
                       r.headDim);
  Fa4BackwardSchedule s(r);
  if (s.qStages < 2)
    return fmt::format("q-stages is {}; the pipeline holds Q of two blocks at "
                       "once and needs at least 2",
                       s.qStages);
  if (auto reason = rejectKeyTiling(r))
    return reason;
  return rejectSharedBytes(s.smemBytes(r), smemBudget,
                           "q-stages or sum-stages");
}

KernelDefinition fa4BackwardDefinition() {
  KernelDefinition d;
  d.name = "fa4_bwd";
  d.summary = "FlashAttention-4 backward, 128 keys a CTA";
  d.archs = {Arch::sm_100a};
  d.headDims = {{64, 64}, {96, 96}, {128, 128}, {192, 128}};
  d.schedule = {{"q-stages", "slots of the Q ring"},
                {"sum-stages", "slots for dQ, dK and dV on their way out"},
                {"compute-registers", "registers of a computing thread"},
                {"reduce-registers", "registers of a thread that moves sums"},
                {"two-cta", "1: two CTAs work together on 256 keys"}};
  std::vector<ScheduleFlag> flags = keyTilingFlags();
  d.schedule.insert(d.schedule.end(), flags.begin(), flags.end());
  d.forms = {"deterministic", "two-cta"};
  d.reject = reject;
  d.build = [](const Request &r) {
    return r.get("two-cta", 0) ? fa4BackwardPair(r) : fa4Backward(r);
  };
  return d;
}

} // namespace tile
