// The host's expressions of a kernel (manifest.md), for chosen sizes.
#pragma once
#include "mlir/Support/LLVM.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringMap.h"

namespace tile {

using Sizes = llvm::StringMap<int64_t>;

/// The names of sizes in an expression, without those of functions.
void collectNames(mlir::StringRef text,
                  llvm::SetVector<mlir::StringRef> &names);

/// The value for these sizes; none for a division by zero, a real number, an
/// unknown name, or a function of strides.
std::optional<int64_t> evaluate(mlir::StringRef text, const Sizes &sizes);

} // namespace tile
