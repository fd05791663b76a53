// The pipes and turns of a kernel, numbered: facts that every trace needs.
#pragma once
#include "passes/SlotUse.h"

namespace tile {

struct PipeTable {
  explicit PipeTable(ir::KernelOp kernel);
  int64_t indexOf(ir::PipeOp pipe) const { return index.lookup(pipe); }
  int64_t channelOf(int64_t pipe, int64_t instance, int64_t edge,
                    int64_t part) const;
  /// The channel by which `copy` gets the turn that starts at named barrier
  /// `first`.
  int64_t turnChannel(int64_t first, int64_t copy) const {
    return turns.lookup(first) + copy;
  }
  int64_t channels() const { return allChannels; }

  llvm::SmallVector<ir::PipeOp> pipes;
  /// False where the first owner holds every slot from the start.
  llvm::SmallVector<bool> startsFree;

private:
  llvm::SmallVector<int64_t> firstChannel{0};
  llvm::DenseMap<int64_t, int64_t> turns; // named barrier -> channel
  int64_t allChannels;
  llvm::DenseMap<mlir::Operation *, int64_t> index;
};

} // namespace tile
