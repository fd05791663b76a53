// After the kernel's phases nothing may own a slot, hold a fragment, or be an
// MMA or a copy over slots.
#include "passes/FragmentLayout.h"

using namespace mlir;

namespace tile {
#define GEN_PASS_DEF_VERIFYLOWERED
#include "passes/Passes.h.inc"

namespace {
struct VerifyLowered : impl::VerifyLoweredBase<VerifyLowered> {
  void runOnOperation() override {
    WalkResult result = getOperation().walk([&](Operation *op) {
      if (isa<ir::AcquireOp, ir::HoldOp, ir::ReleaseOp, ir::ViewOp>(op)) {
        op->emitError("R6: a hand-over is left after tile-lower-rings");
        return WalkResult::interrupt();
      }
      if (isa<ir::MmaOp, ir::WarpgroupMmaOp, ir::AwaitOp, ir::CopyInOp,
              ir::CopyOutOp, ir::CopyPeerOp, ir::Exp2Op>(op)) {
        op->emitError("R6: '") << op->getName() << "' is left after lowering";
        return WalkResult::interrupt();
      }
      for (Value value : op->getResults())
        if (isFragment(value.getType())) {
          op->emitError("F2: a fragment is left after distribution");
          return WalkResult::interrupt();
        }
      return WalkResult::advance();
    });
    if (result.wasInterrupted())
      signalPassFailure();
  }
};
} // namespace
} // namespace tile
