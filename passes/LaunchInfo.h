// The manifest's view of a kernel, as attributes (codegen/manifest.md).
#pragma once
#include "passes/WarpPlan.h"

namespace tile {

/// The dictionary `tile.launch`: everything of a manifest entry that follows
/// from the kernel itself.
mlir::DictionaryAttr describeLaunch(ir::KernelOp kernel, const WarpPlan &plan);

} // namespace tile
