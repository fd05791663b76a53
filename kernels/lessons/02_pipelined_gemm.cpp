// Lesson 2: a pipelined GEMM. C = A B^T, f32 accumulation, one 128x128 tile
// per step. A ring decouples the loads from the MMAs; a duplex hands the
// accumulator to the epilogue and back, so that tiles overlap.
#include "dsl/lang/KernelBuilder.h"
#include "kernels/Kernels.h"

namespace tile {

namespace {
constexpr int tileM = 128, tileN = 128, tileK = 64;
} // namespace

static Kernel gemm(const Request &r) {
  KernelBuilder k({"gemm", "gemm", r});
  Tensor A = k.input("a", r.dtype, {"m", "k"}, 0);
  Tensor B = k.input("b", r.dtype, {"n", "k"}, 0);
  Tensor C = k.output("c", r.dtype, {"m", "n"}, 0);
  Int tilesM = k.size("ceildiv(m, 128)"), tilesN = k.size("ceildiv(n, 128)");
  // With k = 0, one step over zeros: C is 0, not what the memory held.
  Int steps = k.size("max(ceildiv(k, 64), 1)");

  auto a = k.ring("a", smem(r.dtype, tileM, tileK), r.get("stages", 4));
  auto b = k.ring("b", smem(r.dtype, tileN, tileK), r.get("stages", 4));
  auto acc = k.duplex("acc", tmem(DType::f32, tileM, tileN),
                      tmem(DType::f32, tileM, tileN));
  auto c = k.ring("c", smem(r.dtype, tileM, tileN), 1);

  k.walk("min(sm_count, ceildiv(m, 128) * ceildiv(n, 128))", tilesM * tilesN,
         [&](Int i) { return std::vector<Int>{i / tilesN, i % tilesN}; });

  k.role("load", {.warps = 1}, [&](Int, const std::vector<Int> &at) {
    for (Step s : k.loop(0, steps)) {
      a.put(A.at({at[0] * tileM}, s.index * tileK));
      b.put(B.at({at[1] * tileN}, s.index * tileK));
    }
  });
  k.role("mma", {.warps = 1}, [&](Int, const std::vector<Int> &) {
    auto d = acc.near().take();
    for (Step s : k.loop(0, steps)) {
      auto x = a.take(), y = b.take();
      multiply(d, mma(x, T(y)), s.index != 0);
    }
  });
  k.role("epilogue", {.warps = 4, .registers = 128},
         [&](Int, const std::vector<Int> &) {
           auto d = acc.far().take();
           auto out = c.fill();
           for (int col = 0; col < tileN; col += 32)
             store(cast(r.dtype, load(d, col, 32)), out, col);
         });
  k.role("store", {.warps = 1}, [&](Int, const std::vector<Int> &at) {
    auto out = c.take();
    storeTo(C.at({at[0] * tileM}, at[1] * tileN), out);
  });
  return k.build();
}

/// The same for Hopper: two warpgroups multiply 64 rows each and accumulate in
/// registers.
static Kernel hopperGemm(const Request &r) {
  constexpr int groups = 2, groupRows = 64;
  KernelBuilder k({"gemm", "gemm", r});
  Tensor A = k.input("a", r.dtype, {"m", "k"}, 0);
  Tensor B = k.input("b", r.dtype, {"n", "k"}, 0);
  Tensor C = k.output("c", r.dtype, {"m", "n"}, 0);
  Int tilesM = k.size("ceildiv(m, 128)"), tilesN = k.size("ceildiv(n, 128)");
  Int steps = k.size("ceildiv(k, 64)");
  auto a = k.ring("a", smem(r.dtype, tileM, tileK), r.get("stages", 4));
  auto b = k.ring("b", smem(r.dtype, tileN, tileK), r.get("stages", 4));
  auto c = k.ring("c", smem(r.dtype, groupRows, tileN), 1, groups);
  k.walk("min(sm_count, ceildiv(m, 128) * ceildiv(n, 128))", tilesM * tilesN,
         [&](Int i) { return std::vector<Int>{i / tilesN, i % tilesN}; });

  k.role("multiply", {.warps = 4, .registers = 160, .copies = groups},
         [&](Int h, const std::vector<Int> &) {
           Carried<Frag> sum(k.constant(0, groupRows, tileN));
           for ([[maybe_unused]] Step s : k.loop(0, steps)) {
             auto x = a.take(), y = b.take();
             sum =
                 await(start(mma(rowsFrom(x, h * groupRows), T(y)), sum.get()));
           }
           auto out = c[h].fill();
           store(cast(r.dtype, sum.get()), out);
         });
  k.role("load", {.warps = 1}, [&](Int, const std::vector<Int> &at) {
    for (Step s : k.loop(0, steps)) {
      a.put(A.at({at[0] * tileM}, s.index * tileK));
      b.put(B.at({at[1] * tileN}, s.index * tileK));
    }
  });
  k.role("store", {.warps = 1}, [&](Int, const std::vector<Int> &at) {
    for (int h = 0; h < groups; ++h) {
      auto out = c[h].take();
      storeTo(C.at({at[0] * tileM + h * groupRows}, at[1] * tileN), out);
    }
  });
  return k.build();
}

KernelDefinition gemmDefinition() {
  KernelDefinition d;
  d.name = "gemm";
  d.summary = "lesson 2: C = A B^T, pipelined";
  d.archs = {Arch::sm_100a, Arch::sm_90a};
  d.headDims = {{128, 128}};
  d.schedule = {{"stages", "slots of the operand rings"}};
  d.reject = rejectCausal;
  d.build = [](const Request &r) {
    return r.arch == Arch::sm_90a ? hopperGemm(r) : gemm(r);
  };
  return d;
}

} // namespace tile
