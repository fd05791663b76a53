// Before the backward pass: what it needs of each query row, and zeros to add
// dQ to (BackwardOperands.h). One source for Blackwell and Hopper.
#include "kernels/Kernels.h"
#include "kernels/attention/BackwardOperands.h"

namespace tile {

/// Columns in registers at a time, and those of a block of zeros.
static constexpr int piece = 32;

static Kernel backwardPreprocess(const Request &r) {
  const int rows = rowsPerTile(r), dv = r.headDimV;
  KernelBuilder k({"attn_bwd_preprocess", "attention_backward_preprocess", r});
  k.overlapLaunch();
  Tensor O = k.input("o", r.dtype, queryDims(dv));
  Tensor dO = k.input("do", r.dtype, queryDims(dv));
  RowTensor LSE = k.rowInput("lse", {"batch", "heads_q", "seqlen_q"});
  RowTensor dLSE = k.rowInput("dlse", {"batch", "heads_q", "seqlen_q"});
  RowTensor delta = k.rowOutput("delta", rowStatisticsDims());
  RowTensor negLse = k.rowOutput("neg_lse_log2", rowStatisticsDims());
  Tensor dQ = k.output("dq_accum", DType::f32, queryDims(r.headDim));
  QuerySizes sizes(k);
  Int padded = k.size(paddedQueries);
  walkQueryRows(k, sizes, rows);

  auto o = k.ring("o", smem(r.dtype, rows, dv), 1);
  auto gradient = k.ring("do", smem(r.dtype, rows, dv), 1);
  auto zeros = k.ring("zeros", smem(DType::f32, rows, piece), 1);

  k.role("load", {.warps = 1}, [&](Int, const std::vector<Int> &at) {
    o.put(O.at({at[2], at[0] * rows, at[1]}));
    gradient.put(dO.at({at[2], at[0] * rows, at[1]}));
  });

  k.role("rows", {.warps = 4, .registers = 128},
         [&](Int, const std::vector<Int> &at) {
           const double inf = std::numeric_limits<double>::infinity();
           constexpr double log2e = 1.4426950408889634;
           {
             auto out = zeros.fill();
             store(k.constant(0, rows, piece), out);
           }
           Row zero = k.rowConstant(0, rows);
           RowOf<int> row = rowIndex(zero) + at[0] * rows;
           RowOf<bool> live = row < sizes.seqlenQ;
           Int outer = at[2] * sizes.heads + at[1];
           Row dLse = dLSE.load(outer, sizes.seqlenQ, row, live, zero);
           Row lse = LSE.load(outer, sizes.seqlenQ, row, live, zero);
           auto x = o.take(), y = gradient.take();
           Row sum = zero; // each thread's part of a row
           for (int c = 0; c < dv; c += piece) {
             Frag a = load(x, c, piece), b = load(y, c, piece);
             sum = rowSumPartial(a * b, sum);
           }
           RowOf<bool> here = row < padded;
           delta.store(combined(sum) - dLse, outer, padded, row, here);
           negLse.store(select(lse == -inf, 0.0, lse * -log2e), outer, padded,
                        row, here);
         });

  k.role("clear", {.warps = 1}, [&](Int, const std::vector<Int> &at) {
    auto block = zeros.take();
    for (int c = 0; c < r.headDim; c += piece)
      storeTo(dQ.at({at[2], at[0] * rows, at[1]}, c), block);
  });
  return k.build();
}

KernelDefinition backwardPreprocessDefinition() {
  KernelDefinition d;
  d.name = "attn_bwd_preprocess";
  d.summary = "row statistics and cleared accumulators for the backward pass";
  d.archs = {Arch::sm_100a, Arch::sm_90a};
  d.headDims = {{64, 64}, {96, 96}, {128, 128}, {192, 128}};
  d.reject = rejectCausal;
  d.build = backwardPreprocess;
  return d;
}

} // namespace tile
