// How a fragment's elements are spread over the threads of a role.
#pragma once
#include "passes/Emit.h"

namespace tile {

using ir::isFragment;
using ir::isQuad;
/// The per-thread type. Row layout: a fragment R x C is a vector of C, a
/// per-row value a scalar. Quad layout (64 rows a warpgroup): a vector of
/// C / 2, rows (element / 2) % 2; a per-row value a vector of 2.
mlir::Type threadType(mlir::Type type);

/// Thread of the role's 128, which is also its row in the row layout.
mlir::Value threadInRole(Emit e);
/// Row of the tile that element `half` (0 or 1) of a quad per-row value holds.
mlir::Value quadRow(Emit e, int64_t half);

/// Elements [begin, begin + count) of a vector; a vector of 1 stays a vector.
mlir::Value extractSlice(Emit e, mlir::Value vector, int64_t begin,
                         int64_t count);
mlir::Value extractElement(Emit e, mlir::Value vector, int64_t index);
/// A vector from consecutive pieces.
mlir::Value concatenate(Emit e, llvm::ArrayRef<mlir::Value> pieces);

/// Folds a thread's elements of one row into `init`, in four chains.
mlir::Value foldRow(Emit e, llvm::StringRef kind,
                    llvm::ArrayRef<mlir::Value> elements, mlir::Value init);
/// Combines a value over the four lanes that share a row.
mlir::Value combineQuad(Emit e, llvm::StringRef kind, mlir::Value value);

} // namespace tile
