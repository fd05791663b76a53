// A tile is copied in column panels as wide as the swizzle span, one TMA
// instruction each. Each (tensor, box, swizzle) becomes one tensor map.
#include "passes/Emit.h"

using namespace mlir;

namespace tile {
#define GEN_PASS_DEF_LOWERCOPIES
#include "passes/Passes.h.inc"

namespace {
struct LowerCopies : impl::LowerCopiesBase<LowerCopies> {
  void runOnOperation() override {
    getOperation().walk([&](Operation *op) {
      if (auto in = dyn_cast<ir::CopyInOp>(op))
        lowerIn(in);
      if (auto out = dyn_cast<ir::CopyOutOp>(op))
        lowerOut(out);
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
    for (int64_t panel = 0; panel < slot.getPanels(); ++panel) {
      NVVM::CpAsyncBulkTensorGlobalToSharedClusterOp::create(
          b, e.loc,
          e.pointer(e.add(addressOf(op.getSlot()), panel * panelBytes), 3), map,
          reversed(e, op.getCoords(), panel * slot.getPanelCols()),
          e.pointer(op.getBarrier(), 3), ValueRange(), Value(), Value(),
          NVVM::TMALoadModeAttr::get(b.getContext(), NVVM::TMALoadMode::TILE),
          b.getBoolAttr(true), NVVM::CTAGroupKindAttr(), Value());
    }
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
