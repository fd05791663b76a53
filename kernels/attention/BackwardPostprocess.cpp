// After the backward pass: dQ = scale * its f32 sums, rounded. One source for
// Blackwell and Hopper.
#include "kernels/Kernels.h"
#include "kernels/attention/BackwardOperands.h"

namespace tile {

static Kernel backwardPostprocess(const Request &r) {
  constexpr int piece = 32; // columns in registers at a time
  const int rows = rowsPerTile(r), d = r.headDim;
  KernelBuilder k(
      {"attn_bwd_postprocess", "attention_backward_postprocess", r});
  k.overlapLaunch();
  Tensor sums = k.input("dq_accum", DType::f32, queryDims(d));
  Tensor dQ = k.output("dq", r.dtype, queryDims(d));
  Scalar scale = k.scalar("scale");
  QuerySizes sizes(k);
  walkQueryRows(k, sizes, rows);

  auto in = k.ring("sums", smem(DType::f32, rows, d), 1);
  auto out = k.ring("dq", smem(r.dtype, rows, d), 1);

  k.role("load", {.warps = 1}, [&](Int, const std::vector<Int> &at) {
    in.put(sums.at({at[2], at[0] * rows, at[1]}));
  });
  k.role("scale", {.warps = 4, .registers = 128},
         [&](Int, const std::vector<Int> &) {
           auto x = in.take();
           auto y = out.fill();
           for (int c = 0; c < d; c += piece)
             store(cast(r.dtype, load(x, c, piece) * scale), y, c);
         });
  k.role("store", {.warps = 1}, [&](Int, const std::vector<Int> &at) {
    auto y = out.take();
    storeTo(dQ.at({at[2], at[0] * rows, at[1]}), y);
  });
  return k.build();
}

KernelDefinition backwardPostprocessDefinition() {
  KernelDefinition d;
  d.name = "attn_bwd_postprocess";
  d.summary = "dQ from its f32 sums, scaled and rounded";
  d.archs = {Arch::sm_100a, Arch::sm_90a};
  d.headDims = {{64, 64}, {96, 96}, {128, 128}, {192, 128}};
  d.reject = rejectCausal;
  d.build = backwardPostprocess;
  return d;
}

} // namespace tile
