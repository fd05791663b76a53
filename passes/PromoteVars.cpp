// Variables live in structured control flow only, so each becomes an
// additional value carried by the loops and yielded by the branches that
// write it.
#include "passes/Passes.h"
#include "passes/Stage.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace tile {
#define GEN_PASS_DEF_PROMOTEVARS
#include "passes/Passes.h.inc"

namespace {

using Values = DenseMap<Value, Value>; // variable -> what it holds now

/// Variables declared outside of `op` that it writes.
SmallVector<Value> writtenIn(Operation *op, const Values &known) {
  SetVector<Value> written;
  op->walk([&](ir::SetOp set) {
    if (known.contains(set.getVar()))
      written.insert(set.getVar());
  });
  return written.takeVector();
}

void promoteBlock(Block &block, Values &values);

void appendYield(Block &block, ArrayRef<Value> variables, Values &values) {
  Operation *yield = block.getTerminator();
  SmallVector<Value> operands(yield->getOperands());
  for (Value variable : variables)
    operands.push_back(values.lookup(variable));
  yield->setOperands(operands);
}

void promoteFor(scf::ForOp loop, Values &values) {
  SmallVector<Value> written = writtenIn(loop, values);
  SmallVector<Value> inits(loop.getInitArgs());
  for (Value variable : written)
    inits.push_back(values.lookup(variable));
  OpBuilder b(loop);
  auto fresh = scf::ForOp::create(b, loop.getLoc(), loop.getLowerBound(),
                                  loop.getUpperBound(), loop.getStep(), inits);
  Block *body = fresh.getBody();
  if (!body->empty())
    body->back().erase();
  body->getOperations().splice(body->end(), loop.getBody()->getOperations());
  for (auto [old, now] :
       llvm::zip(loop.getBody()->getArguments(), body->getArguments()))
    old.replaceAllUsesWith(now);
  Values inner = values;
  unsigned first = 1 + loop.getInitArgs().size();
  for (auto [i, variable] : llvm::enumerate(written))
    inner[variable] = body->getArgument(first + i);
  promoteBlock(*body, inner);
  appendYield(*body, written, inner);
  for (auto [old, now] : llvm::zip(loop.getResults(), fresh.getResults()))
    old.replaceAllUsesWith(now);
  for (auto [i, variable] : llvm::enumerate(written))
    values[variable] = fresh.getResult(loop.getNumResults() + i);
  loop.erase();
}

void promoteIf(scf::IfOp branch, Values &values) {
  SmallVector<Value> written = writtenIn(branch, values);
  Values thenValues = values, elseValues = values;
  if (written.empty()) {
    promoteBlock(*branch.thenBlock(), thenValues);
    if (branch.elseBlock())
      promoteBlock(*branch.elseBlock(), elseValues);
    return;
  }
  SmallVector<Type> types(branch.getResultTypes());
  for (Value variable : written)
    types.push_back(values.lookup(variable).getType());
  OpBuilder b(branch);
  auto fresh = scf::IfOp::create(b, branch.getLoc(), types,
                                 branch.getCondition(), true, true);
  auto take = [&](Block *from, Block *to, Values &held) {
    to->clear();
    if (from)
      to->getOperations().splice(to->end(), from->getOperations());
    if (to->empty() || !to->back().hasTrait<OpTrait::IsTerminator>()) {
      OpBuilder end = OpBuilder::atBlockEnd(to);
      scf::YieldOp::create(end, branch.getLoc());
    }
    promoteBlock(*to, held);
    appendYield(*to, written, held);
  };
  take(branch.thenBlock(), fresh.thenBlock(), thenValues);
  take(branch.elseBlock(), fresh.elseBlock(), elseValues);
  for (auto [old, now] : llvm::zip(branch.getResults(), fresh.getResults()))
    old.replaceAllUsesWith(now);
  for (auto [i, variable] : llvm::enumerate(written))
    values[variable] = fresh.getResult(branch.getNumResults() + i);
  branch.erase();
}

void promoteBlock(Block &block, Values &values) {
  for (Operation &op : llvm::make_early_inc_range(block)) {
    if (auto variable = dyn_cast<ir::VarOp>(op)) {
      values[variable.getResult()] = variable.getInit();
    } else if (auto get = dyn_cast<ir::GetOp>(op)) {
      get.getResult().replaceAllUsesWith(values.lookup(get.getVar()));
      get.erase();
    } else if (auto set = dyn_cast<ir::SetOp>(op)) {
      values[set.getVar()] = set.getValue();
      set.erase();
    } else if (auto loop = dyn_cast<scf::ForOp>(op)) {
      promoteFor(loop, values);
    } else if (auto branch = dyn_cast<scf::IfOp>(op)) {
      promoteIf(branch, values);
    }
  }
}

struct PromoteVars : impl::PromoteVarsBase<PromoteVars> {
  /// Between a variable and what uses it there are only scf.for and scf.if.
  LogicalResult expectStructured() {
    WalkResult result = getOperation().walk([](Operation *op) {
      if (!isa<ir::GetOp, ir::SetOp>(op))
        return WalkResult::advance();
      Block *declared = op->getOperand(0).getParentBlock();
      Operation *at = op;
      while (at->getBlock() != declared &&
             isa<scf::ForOp, scf::IfOp>(at->getParentOp()))
        at = at->getParentOp();
      if (at->getBlock() == declared && op->getParentOfType<LLVM::LLVMFuncOp>())
        return WalkResult::advance();
      op->emitError("uses a variable across '")
          << at->getParentOp()->getName()
          << "'; variables live in functions of scf.for and scf.if";
      return WalkResult::interrupt();
    });
    return failure(result.wasInterrupted());
  }

  void runOnOperation() override {
    if (failed(expectFunctions(getOperation())))
      return signalPassFailure();
    if (failed(expectStructured()))
      return signalPassFailure();
    SmallVector<ir::VarOp> variables;
    getOperation().walk([&](LLVM::LLVMFuncOp function) {
      for (Block &block : function.getBody()) {
        Values values;
        promoteBlock(block, values);
      }
      function.walk([&](ir::VarOp op) { variables.push_back(op); });
    });
    for (ir::VarOp variable : variables)
      variable.erase();
  }
};
} // namespace
} // namespace tile
