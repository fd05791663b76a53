// A tile is copied in column panels as wide as the swizzle span, one TMA
// instruction each. Each (tensor, box, swizzle) becomes one tensor map.
#include "passes/Emit.h"
#include "passes/Stage.h"

using namespace mlir;

namespace tile {
#define GEN_PASS_DEF_LOWERCOPIES
#include "passes/Passes.h.inc"

namespace {
struct LowerCopies : impl::LowerCopiesBase<LowerCopies> {
  void runOnOperation() override {
    if (failed(expectAddresses(getOperation())))
      return signalPassFailure();
    getOperation().walk([&](Operation *op) {
      if (auto in = dyn_cast<ir::CopyInOp>(op))
        lowerIn(in);
      if (auto out = dyn_cast<ir::CopyOutOp>(op))
        lowerOut(out);
      if (auto peer = dyn_cast<ir::CopyPeerOp>(op))
        lowerPeer(peer);
    });
  }

private:
  Value mapOf(Value tensor, ir::SlotType slot, int64_t rowDim);

  /// Coordinates innermost first, as TMA wants them, at column `column`.
  static SmallVector<Value> reversed(Emit e, ValueRange coords,
                                     int64_t column) {
    SmallVector<Value> result(llvm::reverse(coords));
    result.front() = e.add(result.front(), column);
    return result;
  }

  void lowerIn(ir::CopyInOp op) {
    OpBuilder b(op);
    Emit e{b, op.getLoc()};
    auto slot = cast<ir::SlotType>(op.getSlot().getType());
    Value map = mapOf(op.getTensor(), slot, op.getRowDim());
    int64_t panelBytes = slot.getBytes() / slot.getPanels();
    // Bytes may be counted in the leader by cta_group::2 alone, which names the
    // copy's own destination by a cluster address.
    bool toLeader = op.getToLeader();
    Value barrier = toLeader ? asShared(e, e.inCta(op.getBarrier(), e.i32(0)))
                             : e.pointer(op.getBarrier(), 3);
    NVVM::CTAGroupKindAttr group;
    if (toLeader)
      group = NVVM::CTAGroupKindAttr::get(b.getContext(),
                                          NVVM::CTAGroupKind::CTA_2);
    for (int64_t panel = 0; panel < slot.getPanels(); ++panel) {
      NVVM::CpAsyncBulkTensorGlobalToSharedClusterOp::create(
          b, e.loc,
          e.pointer(e.add(addressOf(op.getSlot()), panel * panelBytes),
                    toLeader ? 7 : 3),
          map, reversed(e, op.getCoords(), panel * slot.getPanelCols()),
          barrier, ValueRange(), Value(), Value(),
          NVVM::TMALoadModeAttr::get(b.getContext(), NVVM::TMALoadMode::TILE),
          b.getBoolAttr(!toLeader), group, Value());
    }
    op.erase();
  }

  /// A cluster address where NVVM wants one of shared::cta; the number counts.
  static Value asShared(Emit e, Value clusterPointer) {
    return e.pointer(
        LLVM::PtrToIntOp::create(e.b, e.loc, e.b.getI32Type(), clusterPointer),
        3);
  }

  void lowerPeer(ir::CopyPeerOp op) {
    OpBuilder b(op);
    Emit e{b, op.getLoc()};
    auto slot = cast<ir::SlotType>(op.getSlot().getType());
    int64_t rowBytes = slot.getBytes() / slot.getRows();
    Value base = addressOf(op.getSlot());
    NVVM::CpAsyncBulkSharedCTAToSharedClusterOp::create(
        b, e.loc, e.inPeer(e.add(base, e.mul(op.getTo(), rowBytes))),
        e.pointer(e.add(base, int64_t(op.getFrom()) * rowBytes), 3),
        asShared(e, e.inPeer(op.getBarrier())),
        e.i32(int64_t(op.getCount()) * rowBytes));
    op.erase();
  }

  void lowerOut(ir::CopyOutOp op) {
    OpBuilder b(op);
    Emit e{b, op.getLoc()};
    auto slot = cast<ir::SlotType>(op.getSlot().getType());
    Value map = mapOf(op.getTensor(), slot, op.getRowDim());
    int64_t panelBytes = slot.getBytes() / slot.getPanels();
    auto mode =
        NVVM::TMAStoreModeAttr::get(b.getContext(), NVVM::TMAStoreMode::TILE);
    for (int64_t panel = 0; panel < slot.getPanels(); ++panel) {
      Value from =
          e.pointer(e.add(addressOf(op.getSlot()), panel * panelBytes), 3);
      SmallVector<Value> coords =
          reversed(e, op.getCoords(), panel * slot.getPanelCols());
      if (op.getAdd()) {
        NVVM::CpAsyncBulkTensorReduceOp::create(
            b, e.loc, map, from,
            NVVM::TMAReduxKindAttr::get(b.getContext(),
                                        NVVM::TMAReduxKind::ADD),
            mode, coords, Value());
      } else {
        NVVM::CpAsyncBulkTensorSharedCTAToGlobalOp::create(
            b, e.loc, map, from, coords, Value(), mode, Value());
      }
    }
    NVVM::CpAsyncBulkCommitGroupOp::create(b, e.loc);
    op.erase();
  }
};
} // namespace

Value LowerCopies::mapOf(Value tensor, ir::SlotType slot, int64_t rowDim) {
  auto declared = tensor.getDefiningOp<ir::TensorOp>();
  int64_t rank = declared.getDims().size();
  SmallVector<int64_t> box(rank, 1);
  if (slot.getMemory() == ir::Memory::rows) {
    box[0] = slot.getRows(); // one value a row, from the last dim
  } else {
    box[0] = slot.getPanelCols();
    box[rank - 1 - rowDim] = slot.getRows();
  }
  for (Operation *user : tensor.getUsers()) {
    if (auto map = dyn_cast<ir::TensorMapOp>(user))
      if (map.getBox() == ArrayRef(box) &&
          int64_t(map.getSwizzle()) == slot.getSwizzle())
        return map;
  }
  OpBuilder b(declared->getContext());
  b.setInsertionPointAfter(declared);
  return ir::TensorMapOp::create(b, declared.getLoc(),
                                 LLVM::LLVMPointerType::get(b.getContext()),
                                 tensor, box, slot.getSwizzle());
}

} // namespace tile
