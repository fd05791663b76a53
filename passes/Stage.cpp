#include "passes/Stage.h"
#include "passes/FragmentLayout.h"

using namespace mlir;

namespace tile {

/// Fails at the first op for which `isWrong` holds: IR of this pass comes
/// `relation` (after, before) `pass`.
static LogicalResult expectNone(Operation *root, StringRef relation,
                                StringRef pass,
                                function_ref<bool(Operation *)> isWrong) {
  WalkResult result = root->walk([&](Operation *op) {
    if (!isWrong(op))
      return WalkResult::advance();
    op->emitError("expects IR ") << relation << " " << pass
                                 << ", but there is '" << op->getName() << "'";
    return WalkResult::interrupt();
  });
  return failure(result.wasInterrupted());
}

static LogicalResult needs(Operation *op, StringRef pass, StringRef what) {
  return op->emitError("expects IR after ") << pass << ", but has no " << what;
}

static bool isHandOver(Operation *op) {
  return isa<ir::AcquireOp, ir::HoldOp, ir::ReleaseOp, ir::ViewOp>(op);
}

static bool isOrHoldsFragment(Type type) {
  auto variable = dyn_cast<ir::VarType>(type);
  return isFragment(variable ? variable.getType() : type);
}

static bool hasFragment(Operation *op) {
  if (llvm::any_of(op->getResultTypes(), isOrHoldsFragment))
    return true;
  for (Region &region : op->getRegions())
    for (Block &block : region)
      if (llvm::any_of(block.getArgumentTypes(), isOrHoldsFragment))
        return true;
  return false;
}

bool isPlaced(ir::KernelOp kernel) { return kernel->hasAttr("smem_bytes"); }

LogicalResult expectRecorded(ir::KernelOp kernel) {
  return expectNone(kernel, "before", "tile-lower-rings", [](Operation *op) {
    return isa<ir::SlotAtOp, ir::BarrierWaitOp, ir::BarrierArriveOp>(op);
  });
}

LogicalResult expectPlaced(ir::KernelOp kernel) {
  for (ir::PipeOp pipe : kernel.getBody().getOps<ir::PipeOp>()) {
    bool tmem = pipe.getSlotType().getMemory() == ir::Memory::tmem;
    if (tmem && !pipe.getColumn())
      return needs(pipe, "tile-assign-tmem", "column");
    if (!tmem && !pipe.getOffset())
      return needs(pipe, "tile-assign-smem", "offset");
    if (!pipe.getBarriers())
      return needs(pipe, "tile-assign-smem", "barriers");
  }
  return success();
}

LogicalResult expectAddresses(ir::KernelOp kernel) {
  return expectNone(kernel, "after", "tile-lower-rings", [](Operation *op) {
    auto in = dyn_cast<ir::CopyInOp>(op);
    auto peer = dyn_cast<ir::CopyPeerOp>(op);
    return isHandOver(op) || (in && !in.getBarrier()) ||
           (peer && !peer.getBarrier());
  });
}

LogicalResult expectVectors(ir::KernelOp kernel) {
  if (failed(expectAddresses(kernel)))
    return failure();
  return expectNone(
      kernel, "after", "tile-distribute-fragments", [](Operation *op) {
        return hasFragment(op) || isa<ir::StoreOp, ir::StoreGlobalOp>(op);
      });
}

LogicalResult checkNothingLeft(ir::KernelOp kernel) {
  WalkResult result = kernel.walk([&](Operation *op) {
    if (isHandOver(op)) {
      op->emitError("R6: a hand-over is left after tile-lower-rings");
      return WalkResult::interrupt();
    }
    if (isa<ir::MmaOp, ir::WarpgroupMmaOp, ir::AwaitOp, ir::CopyInOp,
            ir::CopyOutOp, ir::CopyPeerOp, ir::Exp2Op, ir::StoreOp,
            ir::StoreGlobalOp>(op)) {
      op->emitError("R6: '") << op->getName() << "' is left after lowering";
      return WalkResult::interrupt();
    }
    if (hasFragment(op)) {
      op->emitError("F2: a fragment is left after distribution");
      return WalkResult::interrupt();
    }
    return WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}

/// What tile-lower-rings says of each edge: arrivals, and who, how, to whom.
static LogicalResult expectEdges(ir::PipeOp pipe) {
  size_t edges = pipe.getEdges().size();
  auto counts = pipe->getAttrOfType<DenseI64ArrayAttr>("counts");
  if (!counts || size_t(counts.size()) != edges)
    return needs(pipe, "tile-lower-rings", "count for each edge");
  for (StringRef name : {"from", "to", "by"}) {
    auto texts = pipe->getAttrOfType<ArrayAttr>(name);
    if (!texts || texts.size() != edges ||
        !llvm::all_of(texts, llvm::IsaPred<StringAttr>))
      return needs(pipe, "tile-lower-rings",
                   "'" + name.str() + "' for each edge");
  }
  return success();
}

LogicalResult expectLowered(ir::KernelOp kernel) {
  if (failed(expectPlaced(kernel)) || failed(checkNothingLeft(kernel)))
    return failure();
  if (!kernel->getAttrOfType<IntegerAttr>("tmem_columns"))
    return needs(kernel, "tile-assign-tmem", "'tmem_columns'");
  for (StringRef name : {"smem_bytes", "tmem_slot"})
    if (!kernel->getAttrOfType<IntegerAttr>(name))
      return needs(kernel, "tile-assign-smem", "'" + name.str() + "'");
  for (ir::PipeOp pipe : kernel.getBody().getOps<ir::PipeOp>())
    if (failed(expectEdges(pipe)))
      return failure();
  if (kernel.getBody().getOps<ir::WalkOp>().empty())
    return kernel.emitError("L1: the kernel has no walk");
  return success();
}

LogicalResult expectFunctions(ModuleOp module) {
  return expectNone(module, "after", "tile-lower-roles",
                    llvm::IsaPred<ir::KernelOp>);
}

} // namespace tile
