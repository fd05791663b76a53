#include "passes/PairRules.h"
#include "passes/SlotUse.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace tile {

namespace {

/// Who takes part in one edge.
struct EdgeUse {
  SmallVector<ir::AcquireOp> takes;
  SmallVector<ir::ReleaseOp> gives;
};

bool leads(Operation *op) {
  return op->getParentOfType<ir::RoleOp>().getLeader();
}

void collectReleases(Value slot, int64_t edge, EdgeUse &use) {
  for (Operation *user : slot.getUsers()) {
    if (auto view = dyn_cast<ir::ViewOp>(user))
      collectReleases(view.getResult(), edge, use);
    auto release = dyn_cast<ir::ReleaseOp>(user);
    if (release && int64_t(release.getEdge()) == edge)
      use.gives.push_back(release);
  }
}

EdgeUse useOfEdge(ir::PipeOp pipe, int64_t edge) {
  EdgeUse use;
  for (Operation *user : pipe.getResult().getUsers()) {
    auto acquire = dyn_cast<ir::AcquireOp>(user);
    if (acquire && int64_t(acquire.getEdge()) == edge)
      use.takes.push_back(acquire);
    if (user->getNumResults() == 1)
      collectReleases(user->getResult(0), edge, use);
  }
  return use;
}

bool goesToPeer(ir::ReleaseOp release) {
  return useOf(release.getSlot()).copiedToPeer;
}

LogicalResult checkEdge(ir::PipeOp pipe, int64_t edge) {
  EdgeUse use = useOfEdge(pipe, edge);
  std::string name = edgeName(pipe, edge, 0);
  bool toLeader = llvm::any_of(use.takes, leads);
  for (ir::AcquireOp take : use.takes) {
    if (leads(take) != toLeader)
      return take.emitError("P1: '")
             << name << "' is taken by a leading role and by one that isn't; a "
             << "hand-over goes to the leader or to both CTAs";
  }
  for (ir::ReleaseOp release : use.gives) {
    SlotUse slot = useOf(release.getSlot());
    if (leads(release) && !slot.multiplied)
      return release.emitError("P2: a leading role hands '")
             << name << "' over without a product; only those are announced "
             << "to both CTAs";
    if (slot.copiedToPeer && toLeader)
      return release.emitError("P3: '")
             << name << "' was copied to the peer, but the leader takes it; a "
             << "role of the peer must have it first";
  }
  return success();
}

} // namespace

StringRef name(Destination destination) {
  constexpr StringRef names[] = {"", "leader", "both", "peer"};
  return names[int(destination)];
}

Destination destinationOf(ir::PipeOp pipe, int64_t edge) {
  EdgeUse use = useOfEdge(pipe, edge);
  bool toLeader = llvm::any_of(use.takes, leads);
  bool fromLeader = llvm::any_of(use.gives, leads);
  if (llvm::any_of(use.gives, goesToPeer))
    return Destination::peer;
  if (toLeader == fromLeader)
    return Destination::own;
  return toLeader ? Destination::leader : Destination::both;
}

LogicalResult checkPairRules(ir::KernelOp kernel) {
  for (ir::PipeOp pipe : kernel.getBody().getOps<ir::PipeOp>())
    for (int64_t edge = 0; edge < int64_t(pipe.getEdges().size()); ++edge)
      if (failed(checkEdge(pipe, edge)))
        return failure();
  return success();
}

} // namespace tile
