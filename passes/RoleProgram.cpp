#include "passes/RoleProgram.h"

using namespace mlir;

namespace tile {

bool touchesSlot(Operation *op) {
  return isa<ir::AcquireOp, ir::HoldOp, ir::ReleaseOp, ir::CopyInOp,
             ir::CopyOutOp, ir::CopyPeerOp, ir::MmaOp, ir::WarpgroupMmaOp,
             ir::LoadOp, ir::StoreOp>(op);
}

bool handsOver(Operation *op) {
  return isa<ir::AcquireOp, ir::HoldOp, ir::ReleaseOp, ir::TurnOp>(op);
}

RoleProgram::RoleProgram(ir::KernelOp kernel)
    : body(&kernel.getBody().front()) {
  for (ir::WalkOp op : kernel.getBody().getOps<ir::WalkOp>())
    walk = op;
  llvm::append_range(roles, kernel.getBody().getOps<ir::RoleOp>());
  if (walk)
    need(walk.getCount());
  for (ir::RoleOp role : roles) {
    role.getBody().walk([&](Operation *op) {
      if (!touchesSlot(op) && !handsOver(op))
        return;
      if (isa<ir::AcquireOp, ir::HoldOp>(op))
        need(op->getOperand(1));
      if (auto turn = dyn_cast<ir::TurnOp>(op))
        need(turn.getIndex());
      if (auto mma = dyn_cast<ir::MmaOp>(op))
        need(mma.getAccumulate());
      needed.insert(op);
      for (Operation *at = op->getParentOp(); at != role;
           at = at->getParentOp()) {
        needed.insert(at);
        needOperandsOf(at);
      }
    });
  }
  kernel.walk([&](Operation *op) {
    if (needed.contains(op))
      steps[op->getBlock()].push_back(op);
  });
}

void RoleProgram::needOperandsOf(Operation *op) {
  for (Value operand : op->getOperands())
    need(operand);
}

void RoleProgram::need(Value value) {
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    // A role's arguments are its copy, then what the walk yields.
    auto role = dyn_cast<ir::RoleOp>(argument.getOwner()->getParentOp());
    if (role && walk && argument.getArgNumber() > 0) {
      Operation *yield = walk.getBody().front().getTerminator();
      if (argument.getArgNumber() - 1 < yield->getNumOperands())
        need(yield->getOperand(argument.getArgNumber() - 1));
    }
    return;
  }
  Operation *op = value.getDefiningOp();
  if (isa<ir::PipeOp, ir::TensorOp>(op) || !needed.insert(op).second)
    return;
  if (auto scalar = dyn_cast<ir::ScalarOp>(op))
    collectNames(scalar.getValue(), names);
  needOperandsOf(op);
  // What an scf.if yields depends on its branches.
  for (Region &region : op->getRegions()) {
    for (Block &block : region) {
      needed.insert(block.getTerminator());
      needOperandsOf(block.getTerminator());
    }
  }
}

ArrayRef<Operation *> RoleProgram::stepsOf(Block &block) const {
  auto found = steps.find(&block);
  return found == steps.end() ? ArrayRef<Operation *>() : found->second;
}

Integers RoleProgram::evaluateKernel(const Sizes &sizes) const {
  Integers known;
  for (Operation *op : stepsOf(*body)) {
    std::optional<int64_t> value;
    if (auto scalar = dyn_cast<ir::ScalarOp>(op)) {
      if (scalar.getType().isInteger())
        value = tile::evaluate(scalar.getValue(), sizes);
    } else if (op->getNumResults() == 1) {
      value = evaluate(op, known);
    }
    if (value)
      known[op->getResult(0)] = *value;
  }
  return known;
}

static std::optional<int64_t> divide(Operation *op, int64_t a, int64_t b) {
  if (b == 0)
    return std::nullopt;
  return isa<arith::DivSIOp>(op) ? a / b : a % b;
}

static std::optional<int64_t> binary(Operation *op, int64_t a, int64_t b) {
  if (isa<arith::AddIOp>(op))
    return int32_t(a + b);
  if (isa<arith::SubIOp>(op))
    return int32_t(a - b);
  if (isa<arith::MulIOp>(op))
    return int32_t(a * b);
  if (isa<arith::DivSIOp, arith::RemSIOp>(op))
    return divide(op, a, b);
  if (isa<arith::MinSIOp>(op))
    return std::min(a, b);
  if (isa<arith::MaxSIOp>(op))
    return std::max(a, b);
  if (isa<arith::AndIOp>(op))
    return a & b;
  if (isa<arith::OrIOp>(op))
    return a | b;
  if (isa<arith::XOrIOp>(op))
    return a ^ b;
  if (auto compare = dyn_cast<arith::CmpIOp>(op))
    return arith::applyCmpPredicate(compare.getPredicate(), APInt(64, a, true),
                                    APInt(64, b, true));
  return std::nullopt;
}

std::optional<int64_t> evaluate(Operation *op, const Integers &known) {
  if (auto constant = dyn_cast<arith::ConstantOp>(op)) {
    auto attr = dyn_cast<IntegerAttr>(constant.getValue());
    if (!attr)
      return std::nullopt;
    return attr.getType().isInteger(1) ? attr.getValue().getZExtValue()
                                       : attr.getValue().getSExtValue();
  }
  SmallVector<int64_t, 3> operands;
  for (Value operand : op->getOperands()) {
    auto found = known.find(operand);
    if (found == known.end())
      return std::nullopt;
    operands.push_back(found->second);
  }
  if (isa<arith::SelectOp>(op))
    return operands[operands[0] ? 1 : 2];
  if (operands.size() == 2)
    return binary(op, operands[0], operands[1]);
  return std::nullopt;
}

} // namespace tile
