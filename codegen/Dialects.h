// The dialects that a kernel is written in, at any stage.
#pragma once
#include "mlir/IR/DialectRegistry.h"

namespace tile {

/// The tile dialect and those upstream ones that its lowering goes through.
void insertDialects(mlir::DialectRegistry &registry);

} // namespace tile
