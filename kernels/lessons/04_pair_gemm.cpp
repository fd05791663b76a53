// Lesson 4: two CTAs multiply together. C = A B^T, a tile of 256x128 a pair.
// Each CTA loads 128 rows of A and half of B's 64 columns of a step; the
// leader's tensor core reads the memory of both, and each CTA gets 128 rows of
// the product. Per CTA half of B is read, where two of lesson 2 read all of it.
#include "dsl/lang/KernelBuilder.h"
#include "kernels/Kernels.h"

namespace tile {

namespace {
constexpr int rowsOfCta = 128, tileN = 128, tileK = 64;
} // namespace

static Kernel pairGemm(const Request &r) {
  KernelBuilder k({"pair_gemm", "gemm", r});
  Tensor A = k.input("a", r.dtype, {"m", "k"}, 0);
  Tensor B = k.input("b", r.dtype, {"n", "k"}, 0);
  Tensor C = k.output("c", r.dtype, {"m", "n"}, 0);
  Int tilesM = k.size("ceildiv(m, 256)"), tilesN = k.size("ceildiv(n, 128)");
  Int steps = k.size("max(ceildiv(k, 64), 1)");
  Int rank = k.pair();

  auto a = k.ring("a", smem(r.dtype, rowsOfCta, tileK), r.get("stages", 4));
  auto b = k.ring("b", smem(r.dtype, tileN / 2, tileK), r.get("stages", 4));
  auto acc = k.duplex("acc", tmem(DType::f32, rowsOfCta, tileN),
                      tmem(DType::f32, rowsOfCta, tileN));
  auto c = k.ring("c", smem(r.dtype, rowsOfCta, tileN), 1);

  k.walk("min(max(sm_count / 2, 1), ceildiv(m, 256) * ceildiv(n, 128))",
         tilesM * tilesN,
         [&](Int i) { return std::vector<Int>{i / tilesN, i % tilesN}; });
  auto row = [&](const std::vector<Int> &at) {
    return (at[0] * 2 + rank) * rowsOfCta;
  };

  k.role("load", {.warps = 1}, [&](Int, const std::vector<Int> &at) {
    for (Step s : k.loop(0, steps)) {
      a.put(A.at({row(at)}, s.index * tileK));
      b.put(B.at({at[1] * tileN + rank * (tileN / 2)}, s.index * tileK));
    }
  });
  k.role("mma", {.warps = 1, .leader = true},
         [&](Int, const std::vector<Int> &) {
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
    storeTo(C.at({row(at)}, at[1] * tileN), out);
  });
  return k.build();
}

KernelDefinition pairGemmDefinition() {
  KernelDefinition d;
  d.name = "pair_gemm";
  d.summary = "lesson 4: two CTAs multiply together";
  d.archs = {Arch::sm_100a};
  d.schedule = {{"stages", "depth of the A and B rings"}};
  d.reject = rejectCausal;
  d.build = pairGemm;
  return d;
}

} // namespace tile
