// What a role may do to one slot between taking and releasing it.
#pragma once
#include "passes/SlotUse.h"

namespace tile {

/// R5: one kind of work decides how a slot is handed over: TMA, MMAs, or
/// threads, which L6 keeps apart from both. R8: the bytes of a TMA fill can be
/// announced, and fit.
mlir::LogicalResult checkSlotRules(ir::KernelOp kernel);

/// Bytes that the TMA fills of a pipe announce, one entry for each size.
llvm::SmallVector<int64_t> filledBytes(ir::PipeOp pipe);

} // namespace tile
