// Verifiers of order between CTAs.
#include "dsl/ir/Tile.h"

using namespace mlir;
using namespace tile::ir;

/// One thread orders what it does itself; fences for a whole role are none.
static LogicalResult verifyOneThread(Operation *op) {
  auto role = op->getParentOfType<RoleOp>();
  if (!role || role.getWarps() == 1)
    return success();
  return op->emitOpError("O1: stands in role '")
         << role.getName() << "' of " << role.getWarps()
         << " warps; only a role of one thread orders CTAs";
}

LogicalResult CounterWaitOp::verify() {
  if (auto kernel = (*this)->getParentOfType<KernelOp>()) {
    for (WalkOp walk : kernel.getBody().getOps<WalkOp>())
      if (!walk.getTickets())
        return emitOpError("O2: waits for CTAs that may not have begun; a walk "
                           "by tickets begins tiles in order");
  }
  return verifyOneThread(*this);
}

LogicalResult CounterPostOp::verify() { return verifyOneThread(*this); }
