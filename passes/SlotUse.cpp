#include "passes/SlotUse.h"

using namespace mlir;

namespace tile {

ir::PipeOp pipeOf(Value slot) {
  Operation *root = rootOf(slot);
  Value pipe = isa<ir::HoldOp>(root) ? cast<ir::HoldOp>(root).getPipe()
                                     : cast<ir::AcquireOp>(root).getPipe();
  return pipe.getDefiningOp<ir::PipeOp>();
}

Value instanceOf(Value slot) {
  Operation *root = rootOf(slot);
  return isa<ir::HoldOp>(root) ? cast<ir::HoldOp>(root).getInstance()
                               : cast<ir::AcquireOp>(root).getInstance();
}

std::string edgeName(ir::PipeOp pipe, int64_t edge, int64_t part) {
  std::string text = pipe.getName().str() + "." +
                     cast<StringAttr>(pipe.getEdges()[edge]).str();
  if (pipe.getEdgeParts(edge) > 1)
    text += "." + std::to_string(part);
  return text;
}

static void collect(Value slot, SlotUse &use) {
  for (Operation *user : slot.getUsers()) {
    if (auto view = dyn_cast<ir::ViewOp>(user)) {
      collect(view.getResult(), use);
    } else if (auto copy = dyn_cast<ir::CopyInOp>(user)) {
      use.bytesIn += cast<ir::SlotType>(slot.getType()).getBytes();
      use.copiesIn.push_back(copy);
    } else if (auto copy = dyn_cast<ir::CopyPeerOp>(user)) {
      auto type = cast<ir::SlotType>(slot.getType());
      use.bytesIn += type.getBytes() / type.getRows() * copy.getCount();
      use.copiesIn.push_back(copy);
      use.copiedToPeer = true;
    } else if (isa<ir::CopyOutOp>(user)) {
      use.copiedOut = true;
    } else if (isa<ir::MmaOp>(user)) {
      use.multiplied = true;
    } else if (isa<ir::LoadOp, ir::WarpgroupMmaOp>(user)) {
      use.loaded = true;
    } else if (isa<ir::StoreOp>(user)) {
      use.stored = true;
    }
  }
}

SlotUse useOf(Value slot) {
  SlotUse use;
  collect(rootOf(slot)->getResult(0), use);
  return use;
}

bool releasesEdge(Value slot, int64_t edge) {
  for (Operation *user : slot.getUsers()) {
    if (auto view = dyn_cast<ir::ViewOp>(user))
      if (releasesEdge(view.getResult(), edge))
        return true;
    if (auto release = dyn_cast<ir::ReleaseOp>(user))
      if (int64_t(release.getEdge()) == edge)
        return true;
  }
  return false;
}

RoleCopies copiesHandingOver(ir::PipeOp pipe, int64_t edge) {
  RoleCopies copies;
  auto visit = [&](auto &self, Value slot, Value instance) -> void {
    for (Operation *user : slot.getUsers()) {
      if (auto view = dyn_cast<ir::ViewOp>(user))
        self(self, view.getResult(), instance);
      auto release = dyn_cast<ir::ReleaseOp>(user);
      if (!release || int64_t(release.getEdge()) != edge)
        continue;
      auto role = release->getParentOfType<ir::RoleOp>();
      bool shared = matchPattern(instance, m_Constant());
      int64_t &count = copies[role];
      count = std::max<int64_t>(count, shared ? role.getCopies() : 1);
    }
  };
  for (Operation *user : pipe.getResult().getUsers())
    visit(visit, user->getResult(0), user->getOperand(1));
  return copies;
}

bool firstOwnerAcquires(ir::PipeOp pipe) {
  for (Operation *user : pipe.getResult().getUsers())
    if (auto hold = dyn_cast<ir::HoldOp>(user))
      if (releasesEdge(hold.getSlot(), 0))
        return false;
  return true;
}

} // namespace tile
