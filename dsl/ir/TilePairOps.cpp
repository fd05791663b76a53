// Verifiers of what two CTAs do together.
#include "dsl/ir/Tile.h"

using namespace mlir;
using namespace tile::ir;

/// A lowered kernel has no op of its own any more.
bool tile::ir::isOfPair(Operation *op) {
  auto kernel = op->getParentOfType<KernelOp>();
  return !kernel || kernel->hasAttr("pair");
}

LogicalResult RankOp::verify() {
  if (!isOfPair(*this))
    return emitOpError("asks for a rank where CTAs aren't paired");
  return success();
}

LogicalResult CopyPeerOp::verify() {
  if (!isOfPair(*this))
    return emitOpError("names a peer where CTAs aren't paired");
  SlotType slot = getSlot().getType();
  int64_t from = getFrom(), count = getCount();
  if (slot.getMemory() != Memory::smem || slot.getPanels() != 1)
    return emitOpError("copies rows of a slot that isn't one panel of shared "
                       "memory");
  // A pattern of 8 rows is copied as it is.
  if (from < 0 || count < 1 || from % 8 || count % 8 ||
      count > slot.getRows() || from > slot.getRows() - count) {
    return emitOpError("copies rows ")
           << from << " to " << from + count << " of a slot with "
           << slot.getRows() << "; whole groups of 8 can be copied";
  }
  return success();
}
