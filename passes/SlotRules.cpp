#include "passes/SlotRules.h"

using namespace mlir;

namespace tile {

/// mbarriers count fewer than 2^20 bytes (PTX ISA, tx-count).
constexpr int64_t maxAnnouncedBytes = (1 << 20) - 1;

static LogicalResult checkKinds(ir::ReleaseOp release, const SlotUse &use) {
  StringRef name = pipeOf(release.getSlot()).getName();
  // Threads are in roles of their own (L6).
  if (use.copiesIn.empty() || !use.multiplied)
    return success();
  return release.emitError("R5: TMA fills and MMAs use a slot of '")
         << name << "' before one release; release it in between";
}

static LogicalResult checkBytes(ir::ReleaseOp release, const SlotUse &use) {
  ir::PipeOp pipe = pipeOf(release.getSlot());
  for (Operation *copy : use.copiesIn) {
    if (copy->getBlock() == release->getBlock())
      continue;
    return copy->emitError("R8: a copy into '")
           << pipe.getName()
           << "' stands in another loop or branch than the slot's release; "
              "its bytes can't be announced";
  }
  int64_t space = pipe.getSlotType().getBytes();
  if (use.bytesIn > space)
    return release.emitError("R8: copies of ")
           << use.bytesIn << " bytes fill a slot of '" << pipe.getName()
           << "', which has " << space;
  if (use.bytesIn > maxAnnouncedBytes)
    return release.emitError("R8: a fill of '")
           << pipe.getName() << "' has " << use.bytesIn
           << " bytes; a barrier counts at most " << maxAnnouncedBytes;
  return success();
}

LogicalResult checkSlotRules(ir::KernelOp kernel) {
  WalkResult result = kernel.walk([](ir::ReleaseOp release) {
    SlotUse use = useOf(release.getSlot());
    if (failed(checkKinds(release, use)) || failed(checkBytes(release, use)))
      return WalkResult::interrupt();
    return WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}

SmallVector<int64_t> filledBytes(ir::PipeOp pipe) {
  SmallVector<int64_t> sizes;
  for (Operation *user : pipe.getResult().getUsers()) {
    int64_t bytes = useOf(user->getResult(0)).bytesIn;
    if (bytes && !llvm::is_contained(sizes, bytes))
      sizes.push_back(bytes);
  }
  return sizes;
}

} // namespace tile
