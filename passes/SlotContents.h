// Which value lies where in the slots of a kernel's pipes (M3).
//
// A slot serves values of several types: S and then P, dP and then dS. The
// owners come one after the other, so the order of accesses to a slot is the
// same in every schedule, and following one of them is enough.
#pragma once
#include "passes/SlotUse.h"

namespace tile {

/// Part of a slot that an op reads or writes. Tensor memory counts in columns;
/// other memory in bytes, as if a column's rows were side by side.
struct SlotAccess {
  mlir::Operation *op;
  mlir::Value slot; // the view
  int64_t begin, end;
  bool reads, writes;
};

/// What `op` does to slots. `accumulates`: whether an mma adds to what is
/// there; unknown counts as no.
llvm::SmallVector<SlotAccess> accessesOf(mlir::Operation *op,
                                         std::optional<int64_t> accumulates);

/// The contents of one slot, as far as types and writers go.
class SlotContents {
public:
  /// Fails, at the author's line, where a read finds nothing, or a value of
  /// another type in place of the one that was written there before.
  mlir::LogicalResult access(const SlotAccess &access);

private:
  struct Cell {
    mlir::Type type;
    mlir::Operation *writer = nullptr;
  };
  llvm::SmallVector<Cell> cells;
};

} // namespace tile
