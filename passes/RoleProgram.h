// The part of a kernel's program that decides who waits for whom: hand-overs
// and uses of slots, and the integers that loops, branches and pipe instances
// depend on.
#pragma once
#include "passes/SizeExpression.h"
#include "passes/SlotUse.h"
#include "llvm/ADT/SetVector.h"

namespace tile {

/// Known integers; a value without an entry depends on data.
using Integers = llvm::DenseMap<mlir::Value, int64_t>;

/// What of a kernel the interpreter looks at.
class RoleProgram {
public:
  explicit RoleProgram(ir::KernelOp kernel);

  /// The ops of a block that matter, in order.
  llvm::ArrayRef<mlir::Operation *> stepsOf(mlir::Block &block) const;
  /// Names of the sizes that anything here depends on.
  llvm::ArrayRef<mlir::StringRef> sizeNames() const {
    return names.getArrayRef();
  }
  /// Kernel-level integers for one choice of sizes.
  Integers evaluateKernel(const Sizes &sizes) const;

  ir::WalkOp walk;
  llvm::SmallVector<ir::RoleOp> roles;

private:
  void need(mlir::Value value);
  void needOperandsOf(mlir::Operation *op);

  mlir::Block *body;
  llvm::DenseMap<mlir::Block *, llvm::SmallVector<mlir::Operation *>> steps;
  llvm::DenseSet<mlir::Operation *> needed;
  llvm::SetVector<mlir::StringRef> names;
};

/// True for ops that move or touch a slot.
bool touchesSlot(mlir::Operation *op);
/// True for ops that other roles, or other copies of the role, can see: they
/// hand something over or wait for it.
bool handsOver(mlir::Operation *op);

/// The value of an integer op whose operands are known.
std::optional<int64_t> evaluate(mlir::Operation *op, const Integers &known);

} // namespace tile
