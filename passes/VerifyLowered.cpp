// After the kernel's phases nothing may own a slot, hold a fragment, or be an
// MMA or a copy over slots.
#include "passes/Stage.h"

using namespace mlir;

namespace tile {
#define GEN_PASS_DEF_VERIFYLOWERED
#include "passes/Passes.h.inc"

namespace {
struct VerifyLowered : impl::VerifyLoweredBase<VerifyLowered> {
  void runOnOperation() override {
    if (failed(checkNothingLeft(getOperation())))
      signalPassFailure();
  }
};
} // namespace
} // namespace tile
