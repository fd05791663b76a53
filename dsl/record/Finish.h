// The end of a recording: scopes are checked, and the order that the author's
// C++ compiler chose for operands is forgotten.
#pragma once
#include "dsl/ir/Tile.h"

namespace tile {

/// L5: a value is used only in the role, loop and branch that made it. Errors
/// at the author's line.
mlir::LogicalResult checkScopes(ir::KernelOp kernel);

/// Puts each value without effects, and each read of a variable, right before
/// its first use, operands first. C++ evaluates operands in any order (g++ and
/// clang differ), so the recorded order means nothing. Drops unused values.
/// Only an await is a line: what was computed of fragments before it stays
/// before it, for it should run beside the product that is awaited.
void orderValues(mlir::Block &block);

} // namespace tile
