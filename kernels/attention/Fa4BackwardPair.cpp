// The FlashAttention-4 backward by pairs of CTAs: 128 keys a CTA, all queries
// for both. S, dP, dV and dK are products of 256 keys, for which a CTA loads
// half of Q and dO. dQ sums over the keys of both: each CTA hands the other its
// dS of 64 queries, so that it has those of 256 keys for the other 64, and adds
// half as much to dQ in global memory. Q, dO and K come in two cuts, since a
// CTA has half of a product's columns: rows for S and dP, columns for the rest.
#include "kernels/attention/Fa4BackwardPair.h"
#include "kernels/attention/BackwardOperands.h"
#include "kernels/attention/KeyTiles.h"
#include <fmt/format.h>

namespace tile {

namespace {
/// Keys of a CTA, queries of a block, and those that are one CTA's share.
constexpr int ctaKeys = 128, queries = 128, share = queries / 2;
constexpr int pairKeys = 2 * ctaKeys;
/// Columns of dQ that one reduction adds, of dK and dV that one store writes.
constexpr int sumColumns = 16, outColumns = 32;
/// Shared memory of a CTA less barriers and the two slots of row statistics.
constexpr int smemBudget = sharedBytesOfCta - barrierBytes - 2 * queries * 4;

/// With wide heads both cuts of Q, and of dO, take turns in one slot, dP starts
/// in columns of S, and blocks of queries are multiplied one after the other.
bool isWide(const Request &r) { return r.headDim > 128; }

struct PairSchedule {
  explicit PairSchedule(const Request &r)
      : sumStages(r.get("sum-stages", isWide(r) ? 1 : 2)),
        computeRegisters(r.get("compute-registers", 240)),
        reduceRegisters(r.get("reduce-registers", 128)) {}
  int smemBytes(const Request &r) const {
    int d = r.headDim, dv = r.headDimV;
    int cuts = isWide(r) ? 1 : 2;
    int q = cuts * share * d, gradient = cuts * share * dv;
    int k = ctaKeys * d + pairKeys * d / 2, v = ctaKeys * dv;
    int ds = (pairKeys + ctaKeys) * share;
    return 2 * (q + gradient + k + v + ds) +
           sumStages * queries * sumColumns * 4;
  }
  int sumStages, computeRegisters, reduceRegisters;
};
} // namespace

Kernel fa4BackwardPair(const Request &r) {
  const PairSchedule s(r);
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
  const KeyTiling tiling(r, pairKeys, queries);
  Int rank = k.pair();
  walkKeys(k, sizes, tiling);
  AdditionTurns turns(k, sizes, tiling, 2);

  const SlotSpec square = tmem(DType::f32, ctaKeys, queries);
  const SlotSpec operand = tmem(r.dtype, ctaKeys, queries);
  const bool wide = isWide(r);
  const SlotSpec region = wide ? tmem(DType::f32, ctaKeys, 192) : square;
  const SlotSpec halfSums = tmem(DType::f32, queries, d / 2);
  const SlotSpec stage = smem(r.dtype, ctaKeys, outColumns);
  auto keys = k.ring("k", smem(r.dtype, ctaKeys, d), 1);
  auto values = k.ring("v", smem(r.dtype, ctaKeys, dv), 1);
  auto keyColumns = k.ring("k_cols", smem(r.dtype, pairKeys, d / 2), 1);
  auto queryRows = k.ring("q", smem(r.dtype, share, d), 1);
  const SlotSpec queryCut = smem(r.dtype, queries, d / 2);
  auto queryColumns = wide ? queryRows : k.ring("q_cols", queryCut, 1);
  auto gradientRows = k.ring("do", smem(r.dtype, share, dv), 1);
  const SlotSpec gradientCut = smem(r.dtype, queries, dv / 2);
  auto gradientColumns =
      wide ? gradientRows : k.ring("do_cols", gradientCut, 1);
  auto shift = k.rowRing("lse", queries, 1, 1);
  auto sub = k.rowRing("delta", queries, 1, 1);
  // dS of this CTA's share of queries and the keys of both, by rank; behind
  // them what goes to the peer. compute stores, exchange sends, and has the
  // slot again when the peer's half is in it, mma multiplies. That the slot is
  // free says that the pair has multiplied, hence that both halves had arrived:
  // nothing else has to guard what was sent.
  auto ds = k.smemCycle("ds", smem(r.dtype, pairKeys + ctaKeys, share),
                        {"stored", "sent", "full", "empty"}, 1);
  auto out = k.ring("out", smem(DType::f32, queries, sumColumns), s.sumStages);
  auto sp = k.duplex("sp", region, operand);
  auto sumV = k.duplex("sum_v", tmem(DType::f32, ctaKeys, dv),
                       tmem(DType::f32, ctaKeys, dv));
  auto dp = k.duplex("dp", square, operand);
  auto sumK = k.duplex("sum_k", tmem(DType::f32, ctaKeys, d),
                       tmem(DType::f32, ctaKeys, d));
  // Beside P, in columns of S: free between the time that S has become P and
  // the next S, before which mma takes dQ's columns back.
  auto sumQ = k.duplex("sum_q", halfSums, halfSums);
  k.overlay(sumQ, sp, wide ? 192 - d / 2 : queries / 2);
  if (wide) // behind P; dQ then overwrites part of dS, which dK has used
    k.overlay(dp, sp, queries / 2);
  auto tile = [&](const std::vector<Int> &coords) {
    return KeyTile(k, sizes, tiling, coords);
  };
  auto ownKey = [&](const KeyTile &t) { return t.key() + rank * ctaKeys; };

  k.role("load", {.warps = 1}, [&](Int, const std::vector<Int> &coords) {
    KeyTile t = tile(coords);
    keys.put(K.at({t.batch, ownKey(t), t.kvHead}));
    values.put(V.at({t.batch, ownKey(t), t.kvHead}));
    keyColumns.put(K.at({t.batch, t.key(), t.kvHead}, rank * (d / 2)));
    for (Step h : t.heads()) {
      Int head = t.head(h.index);
      for (Step n : t.blocks()) {
        Int row = t.query(n.index), ownRow = row + rank * share;
        queryRows.put(Q.at({t.batch, ownRow, head}));
        shift.put(negLse.at({t.batch, head}, row));
        gradientRows.put(dO.at({t.batch, ownRow, head}));
        sub.put(delta.at({t.batch, head}, row));
        gradientColumns.putAs(gradientCut,
                              dO.at({t.batch, row, head}, rank * (dv / 2)));
        queryColumns.putAs(queryCut,
                           Q.at({t.batch, row, head}, rank * (d / 2)));
      }
    }
  });

  // S dP dV dK dQ, block by block.
  auto multiplyWide = [&](const KeyTile &t) {
    auto key = keys.take(), value = values.take(), keyHalf = keyColumns.take();
    auto dv = sumV.near().take(), dk = sumK.near().take();
    for (Step n : k.loop(0, t.steps())) {
      auto dq = sumQ.near().take(); // S overwrites its columns
      {
        auto query = queryRows.take();
        auto whole = sp.near().own();
        auto s = alias(whole, square);
        multiply(s, mma(key, T(query)), false);
      }
      auto p = sp.near().claim(); // S has been read
      {
        auto g = gradientRows.take();
        dp.near().put(mma(value, T(g)));
      }
      {
        auto g = gradientColumns.takeAs(gradientCut);
        multiply(dv, mma(p, g), n.index != 0);
      }
      {
        auto gradientOfS = dp.near().claim();
        auto query = queryColumns.takeAs(queryCut);
        multiply(dk, mma(gradientOfS, query), n.index != 0);
      }
      auto slot = ds[3].take();
      auto both = rowsOf(slot, 0, pairKeys);
      multiply(dq, mma(T(both), keyHalf), false);
    }
  };
  // S' dK dP' dQ dV': while threads turn S' into P', dK and dP' are multiplied
  // and dS travels; while they compute dS', dQ and dV'.
  k.role("mma", {.warps = 1, .leader = true},
         [&](Int, const std::vector<Int> &coords) {
           KeyTile t = tile(coords);
           if (wide)
             return multiplyWide(t);
           auto key = keys.take();
           auto value = values.take();
           auto keyHalf = keyColumns.take();
           std::optional dv = sumV.near().take();
           auto dk = sumK.near().take();
           for (Step n : t.overlapped()) {
             bool hasPrev = n.piece > 0, hasNext = n.piece < 2;
             std::optional<Slot<Tmem>> dq, p;
             if (hasPrev)
               dq.emplace(sumQ.near().take()); // S' overwrites its columns
             if (hasNext) {
               auto query = queryRows.take();
               sp.near().put(mma(key, T(query)));
             } else {
               dv.reset(); // is stored while the last products run
             }
             if (hasPrev) {
               auto gradientOfS = dp.near().claim();
               auto query = queryColumns.take();
               multiply(dk, mma(gradientOfS, query), n.index != 1);
             }
             if (hasNext) {
               auto g = gradientRows.take();
               dp.near().put(mma(value, T(g)));
               p.emplace(sp.near().claim()); // S' has been read
             }
             if (hasPrev) {
               auto slot = ds[3].take();
               auto both = rowsOf(slot, 0, pairKeys);
               multiply(*dq, mma(T(both), keyHalf), false);
               dq.reset();
             }
             if (hasNext) {
               auto g = gradientColumns.take();
               multiply(*dv, mma(*p, g), n.index != 0);
             }
           }
         });

  k.role("compute", {.warps = 4, .registers = s.computeRegisters},
         [&](Int, const std::vector<Int> &coords) {
           KeyTile t = tile(coords);
           Row zero = k.rowConstant(0, ctaKeys);
           for ([[maybe_unused]] Step h : t.heads()) {
             for (Step n : t.maskedFirst()) {
               auto offset = shift.take();
               Frag x = load(sp.far().claim(), 0, queries);
               x = fma(x, scaleLog2, loadAcross(offset, x));
               std::move(offset).release();
               if (n.piece == 0)
                 x = t.mask(x, zero, n.index, rank * ctaKeys);
               Frag p = exp2(x);
               {
                 auto back = sp.far().own();
                 store(cast(r.dtype, p), back);
               }
               auto rows = sub.take();
               auto square = dp.far().take();
               auto inPlace = alias(square, operand);
               auto copy = ds[0].take();
               for (int c = 0; c < queries; c += 32) {
                 Frag y = load(square, c, 32);
                 Frag z = slice(p, c, 32) * (y - loadAcross(rows, y, c));
                 Rounded rounded = cast(r.dtype, z);
                 store(rounded, inPlace, c);
                 // To the rows of this CTA's keys, or to those that travel.
                 Int row = select(rank == c / share, rank * ctaKeys, pairKeys);
                 storeRows(rounded, copy, row, c % share);
               }
             }
           }
         });

  k.role("exchange", {.warps = 1}, [&](Int, const std::vector<Int> &coords) {
    KeyTile t = tile(coords);
    for ([[maybe_unused]] Step n : k.loop(0, t.steps())) {
      {
        auto mine = ds[1].take();
        copyToPeer(mine, pairKeys, ctaKeys, rank * ctaKeys);
      }
      auto both = ds[2].take(); // the peer's half has come
    }
  });

  // Of dQ, lanes 64 to 127 hold the right half of the columns.
  k.role("reduce", {.warps = 4, .registers = s.reduceRegisters},
         [&](Int, const std::vector<Int> &coords) {
           KeyTile t = tile(coords);
           for ([[maybe_unused]] Step n : k.loop(0, t.steps())) {
             auto in = sumQ.far().take();
             for (int c = 0; c < d / 2; c += sumColumns) {
               auto part = out.fill();
               store(load(in, c, sumColumns), part);
             }
           }
           auto dv = sumV.far().take();
           for (int c = 0; c < r.headDimV; c += outColumns) {
             auto part = out.fillAs(stage);
             store(cast(r.dtype, load(dv, c, outColumns)), part);
           }
           auto dk = sumK.far().take();
           for (int c = 0; c < d; c += outColumns) {
             auto part = out.fillAs(stage);
             store(cast(r.dtype, load(dk, c, outColumns) * scale), part);
           }
         });

  k.role("store", {.warps = 1}, [&](Int, const std::vector<Int> &coords) {
    KeyTile t = tile(coords);
    for (Step h : t.heads()) {
      Int head = t.head(h.index);
      for (Step n : t.blocks()) {
        Int row = t.query(n.index) + rank * share;
        auto add = [&] {
          for (int c = 0; c < d / 2; c += sumColumns) {
            auto part = out.take();
            auto left = rowsOf(part, 0, share);
            auto right = rowsOf(part, share, share);
            addTo(dQ.at({t.batch, row, head}, c), left);
            addTo(dQ.at({t.batch, row, head}, d / 2 + c), right);
          }
        };
        turns.inTurn(t, head, n.index, add, rank);
      }
    }
    for (int c = 0; c < dv; c += outColumns) {
      auto part = out.takeAs(stage);
      storeTo(dV.at({t.batch, ownKey(t), t.kvHead}, c), part);
    }
    for (int c = 0; c < d; c += outColumns) {
      auto part = out.takeAs(stage);
      storeTo(dK.at({t.batch, ownKey(t), t.kvHead}, c), part);
    }
  });
  return k.build();
}

std::optional<std::string> rejectFa4BackwardPair(const Request &r) {
  if (r.get("two-cta", 0) > 1)
    return fmt::format("two-cta is {}; it is 0 or 1", r.get("two-cta", 0));
  if (r.headDim < 128)
    return fmt::format("two-cta takes head dims 128 and 192,128, not {}",
                       r.headDim);
  if (r.schedule.contains("q-stages"))
    return "two-cta has one slot for Q and takes no q-stages";
  if (auto reason = rejectKeyTiling(r))
    return reason;
  return rejectSharedBytes(PairSchedule(r).smemBytes(r), smemBudget,
                           "sum-stages");
}

} // namespace tile
