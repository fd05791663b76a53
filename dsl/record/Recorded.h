// What a tile::Kernel holds: the compiler's side of the language.
#pragma once
#include "dsl/lang/Kernel.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"

namespace tile {

struct Kernel::Impl {
  std::unique_ptr<mlir::MLIRContext> context;
  /// A module with one tile.kernel.
  mlir::OwningOpRef<mlir::ModuleOp> module;
  /// False after a misuse that was diagnosed at the author's line.
  bool valid = true;
};

} // namespace tile
