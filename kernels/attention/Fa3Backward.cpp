// FlashAttention-3 backward for Hopper: adds dQ to its sums, writes dK and dV.
// A CTA owns 128 keys, a warpgroup 64 of them: their dK and dV stay in its
// registers while it walks the queries of all heads that read these keys.
// Everything is transposed, rows are keys, so that P and dS are the operands of
// dV and dK from registers. dS goes through shared memory once more: of dQ a
// warpgroup computes a half, over the keys of both.
#include "kernels/Kernels.h"
#include "kernels/attention/BackwardOperands.h"
#include "kernels/attention/KeyTiles.h"
#include <fmt/format.h>

namespace tile {

namespace {
constexpr int groups = 2, keysPerGroup = 64, keysPerTile = 128;
constexpr int partRows = 64; // queries at a time
/// Shared memory of a CTA less barriers.
constexpr int smemBudget = sharedBytesOfCta - barrierBytes;

/// What may change without changing the result's definition.
struct Fa3BackwardSchedule {
  explicit Fa3BackwardSchedule(const Request &r)
      : parts(r.get("parts", r.headDim == 64 ? 2 : 1)),
        stages(r.get("stages", 2)), dsStages(r.get("ds-stages", 2)) {}
  int queries() const { return parts * partRows; }
  int slots() const { return parts * stages; }
  int smemBytes(const Request &r) const {
    int d = r.headDim, dv = r.headDimV;
    return 2 * (keysPerTile + slots() * partRows) * (d + dv) +
           2 * slots() * partRows * 4 + dsStages * keysPerTile * queries() * 2 +
           4 * queries() * d;
  }
  int parts, stages, dsStages;
};
} // namespace

static Kernel fa3Backward(const Request &r) {
  const Fa3BackwardSchedule s(r);
  const int d = r.headDim, dv = r.headDimV;
  // A warpgroup computes the rows of dQ for one of two parts, or its half of
  // the columns for the only one.
  const int dqColumns = s.parts == 2 ? d : d / groups;
  const SlotSpec gradient = smem(r.dtype, keysPerGroup, d);
  KernelBuilder k({"fa3_bwd", "attention_backward", r});
  Tensor Q = k.input("q", r.dtype, queryDims(d));
  Tensor K = k.input("k", r.dtype, keyDims(d));
  Tensor V = k.input("v", r.dtype, keyDims(dv));
  Tensor dO = k.input("do", r.dtype, queryDims(dv));
  Tensor negLse = k.input("neg_lse_log2", DType::f32, rowStatisticsDims(), 2);
  Tensor delta = k.input("delta", DType::f32, rowStatisticsDims(), 2);
  Tensor dQ = k.inout("dq_accum", DType::f32, queryDims(d));
  Tensor dK = k.output("dk", r.dtype, keyDims(d));
  Tensor dV = k.output("dv", r.dtype, keyDims(dv));
  Scalar scale = k.scalar("scale");
  Scalar scaleLog2 = k.scalar("scale * 1.4426950408889634");
  AttentionSizes sizes(k);
  const KeyTiling tiling(r, keysPerTile, s.queries());
  walkKeys(k, sizes, tiling);
  AdditionTurns turns(k, sizes, tiling);

  auto keys = k.ring("k", smem(r.dtype, keysPerTile, d), 1);
  auto values = k.ring("v", smem(r.dtype, keysPerTile, dv), 1);
  auto q = k.ring("q", smem(r.dtype, partRows, d), s.slots());
  auto grad = k.ring("do", smem(r.dtype, partRows, dv), s.slots());
  // Of each part -LSE, then delta.
  auto stats = k.rowRing("stats", partRows, 2 * s.slots(), 1);
  auto ds = k.ring("ds", smem(r.dtype, keysPerTile, s.queries()), s.dsStages);
  auto dq = k.ring("dq", smem(DType::f32, partRows, dqColumns), 1, groups);
  auto tile = [&](const std::vector<Int> &coords) {
    return KeyTile(k, sizes, tiling, coords);
  };

  k.role("load", {.warps = 1}, [&](Int, const std::vector<Int> &coords) {
    KeyTile at = tile(coords);
    keys.put(K.at({at.batch, at.key(), at.kvHead}));
    values.put(V.at({at.batch, at.key(), at.kvHead}));
    for (Step head : at.heads()) {
      for (Step n : at.blocks()) {
        for (int part = 0; part < s.parts; ++part) {
          Int h = at.head(head.index);
          Int row = at.query(n.index) + part * partRows;
          q.put(Q.at({at.batch, row, h}));
          stats.put(negLse.at({at.batch, h}, row));
          grad.put(dO.at({at.batch, row, h}));
          stats.put(delta.at({at.batch, h}, row));
        }
      }
    }
  });

  k.role(
      "multiply", {.warps = 4, .registers = 240, .copies = groups},
      [&](Int w, const std::vector<Int> &coords) {
        KeyTile at = tile(coords);
        Row zero = k.rowConstant(0, keysPerGroup);
        Carried<Frag> sumK(k.constant(0, keysPerGroup, d));
        Carried<Frag> sumV(k.constant(0, keysPerGroup, dv));
        Int first = w * keysPerGroup;
        auto kSlot = keys.take();
        auto vSlot = values.take();
        // dQ of the block that both warpgroups have left in the dS ring.
        std::optional<Slot<Smem>> all;
        auto startQ = [&] {
          all.emplace(ds.take());
          return start(mma(
              columnsFrom(*all, s.parts == 2 ? first : 0),
              columnsFrom(kSlot, s.parts == 2 ? 0 : w * dqColumns, dqColumns)));
        };
        auto storeQ = [&](Pending product, int later) {
          Frag sums = await(std::move(product), later);
          all.reset();
          auto slot = dq[w].fill();
          store(sums, slot);
        };
        for ([[maybe_unused]] Step head : at.heads()) {
          for (Step n : at.firstThenMasked()) {
            std::optional<Slot<Smem>> qSlot, gSlot, out;
            std::optional<Pending> newV, newK, newQ;
            for (int part = 0; part < s.parts; ++part) {
              auto qNext = q.take();
              Pending scores = start(mma(rowsFrom(kSlot, first), T(qNext)));
              auto gNext = grad.take();
              Pending dP = start(mma(rowsFrom(vSlot, first), T(gNext)));
              if (part) {
                sumV = await(std::move(*newV), 3);
                gSlot.reset();
                sumK = await(std::move(*newK), 2);
                qSlot.reset();
              }
              Frag x = await(std::move(scores), 1);
              if (n.piece < 2)
                x = at.mask(x, zero, n.index, first, part * partRows);
              auto lse = stats.take();
              Frag p = exp2(fma(x, scaleLog2, loadAcross(lse, x)));
              std::move(lse).release();
              Frag y = await(std::move(dP));
              auto sums = stats.take();
              Frag dS = p * (y - loadAcross(sums, y));
              std::move(sums).release();
              Rounded a = cast(r.dtype, dS);
              if (part == 0)
                out.emplace(ds.fill());
              storeRows(a, *out, first, part * partRows);
              newV.emplace(start(mma(cast(r.dtype, p), gNext), sumV.get()));
              // The last block's, so that nobody waits for the other
              // warpgroup; before dK, which runs while dQ is stored.
              if (part + 1 == s.parts && n.piece > 0)
                newQ.emplace(startQ());
              newK.emplace(start(mma(a, qNext), sumK.get()));
              qSlot.emplace(std::move(qNext)), gSlot.emplace(std::move(gNext));
            }
            out.reset();
            sumV = await(std::move(*newV), newQ ? 2 : 1);
            gSlot.reset();
            if (newQ)
              storeQ(std::move(*newQ), 1);
            sumK = await(std::move(*newK));
            qSlot.reset();
          }
          storeQ(startQ(), 0);
        }
        std::move(kSlot).release();
        std::move(vSlot).release();
        {
          auto rows = dq[w].fillAs(gradient);
          store(cast(r.dtype, sumV.get()), rows);
        }
        auto rows = dq[w].fillAs(gradient);
        store(cast(r.dtype, sumK.get() * scale), rows);
      });

  k.role("reduce", {.warps = 1}, [&](Int, const std::vector<Int> &coords) {
    KeyTile at = tile(coords);
    for (Step head : at.heads()) {
      for (Step n : at.blocks()) {
        turns.inTurn(at, at.head(head.index), n.index, [&] {
          for (int w = 0; w < groups; ++w) {
            auto sums = dq[w].take();
            Int row = at.query(n.index) + (s.parts == 2 ? w * partRows : 0);
            addTo(dQ.at({at.batch, row, at.head(head.index)},
                        s.parts == 2 ? 0 : w * dqColumns),
                  sums);
          }
        });
      }
    }
    for (const Tensor &to : {dV, dK}) {
      for (int w = 0; w < groups; ++w) {
        auto rows = dq[w].takeAs(gradient);
        storeTo(to.at({at.batch, at.key() + w * keysPerGroup, at.kvHead}),
                rows);
      }
    }
  });
  return k.build();
}

static std::optional<std::string> reject(const Request &r) {
  Fa3BackwardSchedule s(r);
  if (s.parts != 1 && s.parts != 2)
    return fmt::format("parts is {}; a block has 1 or 2 of 64 queries",
                       s.parts);
  if (s.dsStages < 2)
    return fmt::format("ds-stages is {}; dQ comes a block after dS and needs "
                       "at least 2",
                       s.dsStages);
  if (s.parts == 1 && r.headDim == 64)
    return std::string("with 1 part, dQ of head dim 64 can't be halved in "
                       "whole panels; parts 2 fit");
  if (auto reason = rejectKeyTiling(r))
    return reason;
  return rejectSharedBytes(s.smemBytes(r), smemBudget, "stages or parts");
}

KernelDefinition fa3BackwardDefinition() {
  KernelDefinition d;
  d.name = "fa3_bwd";
  d.summary = "FlashAttention-3 backward, 64 keys a warpgroup";
  d.archs = {Arch::sm_90a};
  d.headDims = {{64, 64}, {128, 128}};
  d.schedule = {{"parts", "64 queries each, of a block"},
                {"stages", "blocks whose Q and dO are in shared memory"},
                {"ds-stages", "slots of the dS ring"}};
  std::vector<ScheduleFlag> flags = keyTilingFlags();
  d.schedule.insert(d.schedule.end(), flags.begin(), flags.end());
  d.forms = {"deterministic"};
  d.reject = reject;
  d.build = fa3Backward;
  return d;
}

} // namespace tile
