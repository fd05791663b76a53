// Which value lies where in the slots of a kernel's pipes (M3).
//
// A slot serves values of several types: S and then P, dP and then dS; and a
// pipe may lie in the columns of another. Its owners come one after the other,
// so accesses to a slot have the same order in every schedule, and following
// one of them is enough. Between pipes, hand-overs have to order the accesses.
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

/// How many hand-overs of each role come before a point of one role's program.
using RoleClock = llvm::SmallVector<int64_t>;

/// The contents of a pipe's slots and of the pipes that lie in them, as far as
/// types, writers and readers go.
class SlotContents {
public:
  /// One access, by the role whose clock this is. `position`: of the slot, in
  /// the units of access. Fails, at the author's line, where a read finds
  /// nothing, or a value of another type in place of the one that was written
  /// there before; or where nothing orders the access after others.
  mlir::LogicalResult access(const SlotAccess &access, int64_t position,
                             size_t role, const RoleClock &clock);

private:
  struct Use {
    mlir::Operation *op = nullptr;
    mlir::Value slot;
    size_t role = 0;
    int64_t time = 0; // hand-overs of the role before it
  };
  struct Cell {
    mlir::Type type;
    Use writer;
    llvm::SmallVector<Use, 2> readers;
  };
  static bool isBefore(const Use &use, const Use &later,
                       const RoleClock &clock);
  mlir::LogicalResult visit(Cell &cell, const SlotAccess &access, Use use,
                            const RoleClock &clock, int64_t at);
  llvm::SmallVector<Cell> cells;
};

/// The pipe whose memory the slots of `pipe` lie in.
ir::PipeOp homeOf(ir::PipeOp pipe);
/// Where the slot of an instance begins in the memory of the pipe's home.
int64_t positionOf(ir::PipeOp pipe, int64_t instance, int64_t slot);

} // namespace tile
