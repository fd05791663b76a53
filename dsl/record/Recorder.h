// The state of one recording: where ops are appended and what went wrong.
#pragma once
#include "dsl/ir/Tile.h"

#include "dsl/lang/KernelBuilder.h"
#include "dsl/record/Recorded.h"
#include "mlir/IR/Builders.h"
#include <memory>
#include <string>

namespace tile {

class Recorder {
public:
  Recorder(const KernelInfo &info, Where where);

  /// The author's line; also that of operators until the next verb.
  mlir::Location at(Where where);
  mlir::Location here() const { return location; }
  /// An error of the author's, at their line.
  mlir::InFlightDiagnostic error(Where where);
  /// The same at the last verb's line, for operators.
  mlir::InFlightDiagnostic errorHere();

  /// A staged loop begins; returns how many are open then.
  std::size_t openLoop(Where where);
  std::size_t loopDepth() const { return loops.size(); }
  void closeLoop() { loops.pop_back(); }
  /// Called where `depth` loops should be open. A further one was left by break
  /// or return: an error at its line.
  void expectLoops(std::size_t depth);

  Handle wrap(mlir::Value value) { return {this, value.getAsOpaquePointer()}; }
  static mlir::Value unwrap(const Handle &handle) {
    return mlir::Value::getFromOpaquePointer(handle.value);
  }
  /// An error where a slot is used that was released or moved from.
  void expectHeld(const SlotRef &slot, Where where);

  mlir::Value i32(int value);
  mlir::Type type(DType type);
  /// An error where no memory can hold such a slot.
  ir::SlotType slotType(const SlotSpec &spec, Where where);
  /// The type of a fragment, or of a per-row value where cols is 0.
  mlir::RankedTensorType fragmentType(int rows, int cols, mlir::Type element);

  std::unique_ptr<Kernel::Impl> kernel;
  mlir::OpBuilder builder;
  ir::KernelOp op;
  Request request;

private:
  mlir::Location location;
  std::vector<Where> loops;
};

} // namespace tile
