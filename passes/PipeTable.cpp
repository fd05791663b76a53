#include "passes/PipeTable.h"

using namespace mlir;

namespace tile {

PipeTable::PipeTable(ir::KernelOp kernel) {
  for (ir::PipeOp pipe : kernel.getBody().getOps<ir::PipeOp>()) {
    index[pipe] = pipes.size();
    pipes.push_back(pipe);
    startsFree.push_back(firstOwnerAcquires(pipe));
    // A barrier a part and slot: as many channels as barriers of one slot.
    firstChannel.push_back(firstChannel.back() +
                           pipe.getNumBarriers() / pipe.getDepth());
  }
  allChannels = firstChannel.back();
  kernel.walk([&](ir::TurnOp turn) {
    if (turns.try_emplace(turn.getFirst(), allChannels).second)
      allChannels += turn.getCount();
  });
}

int64_t PipeTable::channelOf(int64_t pipe, int64_t instance, int64_t edge,
                             int64_t part) const {
  ir::PipeOp op = pipes[pipe];
  int64_t perInstance = op.getNumBarriers() / op.getDepth() / op.getInstances();
  for (int64_t e = 0; e < edge; ++e)
    part += op.getEdgeParts(e);
  return firstChannel[pipe] + instance * perInstance + part;
}

} // namespace tile
