// Loads and stores of distributed fragments.
#pragma once
#include "passes/FragmentLayout.h"

namespace tile {

/// What a load leaves in each thread. `layout` is the fragment's tensor type.
mlir::Value loadSlot(Emit e, ir::LoadOp op, mlir::Type layout);
void storeSlot(Emit e, ir::StoreOp op, mlir::Type layout);

} // namespace tile
