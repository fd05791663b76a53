#include "dsl/record/Finish.h"

using namespace mlir;

namespace tile {

static void reportScope(Operation *user, Region *made) {
  InFlightDiagnostic error = user->emitError("L5: ");
  Operation *scope = made->getParentOp();
  auto from = isa<ir::RoleOp>(scope) ? cast<ir::RoleOp>(scope)
                                     : scope->getParentOfType<ir::RoleOp>();
  auto to = user->getParentOfType<ir::RoleOp>();
  if (isa<ir::WalkOp>(scope) || scope->getParentOfType<ir::WalkOp>())
    error << "a value of the walk is used outside of it; return it from the "
             "walk's function";
  else if (from && to && from != to)
    error << "a value of role '" << from.getName() << "' is used in role '"
          << to.getName() << "'; roles hand values over through pipes";
  else
    error << "a value of a staged loop or branch is used outside of it; keep "
             "it in a Carried";
}

LogicalResult checkScopes(ir::KernelOp kernel) {
  WalkResult result = kernel.walk([](Operation *op) {
    for (Value operand : op->getOperands()) {
      Region *made = operand.getParentRegion();
      if (made->isAncestor(op->getParentRegion()))
        continue;
      reportScope(op, made);
      return WalkResult::interrupt();
    }
    return WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}

namespace {
/// Orders one block whose nested blocks are in order.
class Orderer {
public:
  explicit Orderer(Block &block) : block(block) {}

  void run() {
    SmallVector<Operation *> recorded;
    for (Operation &op : block)
      recorded.push_back(&op);
    for (Operation *op : recorded)
      note(op);
    for (Operation *op : llvm::reverse(recorded))
      if (floating.contains(op) && op->use_empty())
        op->erase();
  }

private:
  void note(Operation *op) {
    if (auto get = dyn_cast<ir::GetOp>(op)) {
      auto [held, fresh] = reads.try_emplace(get.getVar(), get);
      if (fresh)
        floating.insert(op);
      else
        replaceRead(get, held->second);
      return;
    }
    if (op->getNumRegions() == 0 && isMemoryEffectFree(op) &&
        !op->hasTrait<OpTrait::IsTerminator>()) {
      floating.insert(op);
      if (isFloatTensor(op))
        sinceAwait.push_back(op);
      return;
    }
    if (isa<ir::AwaitOp>(op)) {
      for (Operation *value : sinceAwait)
        if (!value->use_empty())
          place(value, op);
      sinceAwait.clear();
    }
    // Reads of what this op writes stay before it.
    op->walk([&](ir::SetOp set) {
      auto held = reads.find(set.getVar());
      if (held == reads.end())
        return;
      if (!held->second->use_empty())
        place(held->second, op);
      reads.erase(held);
    });
    op->walk<WalkOrder::PreOrder>([&](Operation *inner) {
      for (Value operand : inner->getOperands())
        if (Operation *made = operand.getDefiningOp())
          place(made, op);
    });
  }

  static bool isFloatTensor(Operation *op) {
    auto type = dyn_cast<RankedTensorType>(op->getResult(0).getType());
    return type && isa<FloatType>(type.getElementType()) &&
           !op->hasTrait<OpTrait::ConstantLike>();
  }

  /// One read stands for all until the next write.
  void replaceRead(ir::GetOp get, Operation *held) {
    get.getResult().replaceAllUsesWith(held->getResult(0));
    floating.insert(get);
  }

  void place(Operation *op, Operation *before) {
    if (!floating.contains(op) || !placed.insert(op).second)
      return;
    for (Value operand : op->getOperands())
      if (Operation *made = operand.getDefiningOp())
        place(made, before);
    op->moveBefore(before);
  }

  Block &block;
  DenseMap<Value, Operation *> reads;
  DenseSet<Operation *> floating, placed;
  /// Values without effects that were recorded since the last await.
  SmallVector<Operation *> sinceAwait;
};
} // namespace

void orderValues(Block &block) {
  for (Operation &op : block)
    for (Region &region : op.getRegions())
      for (Block &inner : region)
        orderValues(inner);
  Orderer(block).run();
}

} // namespace tile
