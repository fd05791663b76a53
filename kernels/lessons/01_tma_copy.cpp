// Lesson 1: a copy through shared memory. Two roles and a ring: one fills
// slots by TMA, the other takes them, in the same order, and stores them.
// The end of a slot's scope hands it over; nobody names a barrier.
#include "dsl/lang/KernelBuilder.h"
#include "kernels/Kernels.h"

namespace tile {

static Kernel copy(const Request &r) {
  constexpr int rows = 128, cols = 64;
  KernelBuilder k({"tma_copy", "copy", r});
  Tensor X = k.input("x", r.dtype, {"rows", "cols"}, 0);
  Tensor Y = k.output("y", r.dtype, {"rows", "cols"}, 0);
  Int across = k.size("ceildiv(cols, 64)");
  Int tiles = k.size("ceildiv(rows, 128) * ceildiv(cols, 64)");

  auto ring = k.ring("tiles", smem(r.dtype, rows, cols), r.get("stages", 4));
  // Each CTA walks the tiles: its index, then every gridDim-th after it.
  k.walk("min(sm_count, ceildiv(rows, 128) * ceildiv(cols, 64))", tiles,
         [&](Int i) {
           return std::vector<Int>{i / across * rows, i % across * cols};
         });

  k.role("load", {.warps = 1}, [&](Int, const std::vector<Int> &at) {
    ring.put(X.at({at[0]}, at[1]));
  });
  k.role("store", {.warps = 1}, [&](Int, const std::vector<Int> &at) {
    auto slot = ring.take();
    storeTo(Y.at({at[0]}, at[1]), slot);
  });
  return k.build();
}

KernelDefinition copyDefinition() {
  KernelDefinition d;
  d.name = "tma_copy";
  d.summary = "lesson 1: a copy through shared memory";
  d.archs = {Arch::sm_100a, Arch::sm_90a};
  d.headDims = {{128, 128}};
  d.schedule = {{"stages", "slots of the ring"}};
  d.reject = rejectCausal;
  d.build = copy;
  return d;
}

} // namespace tile
