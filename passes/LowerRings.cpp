// Each (pipe, edge, part) has one mbarrier a slot. A role keeps, for each pipe
// and edge that it acquires, the slot's index and the parity of its phase. The
// kind of an arrival follows from what the role did with the slot:
//   TMA filled it      the bytes complete the phase, one arrival announces them
//   MMAs used it       tcgen05.commit arrives when they are done
//   threads used it    fences, then one arrival a warp (or of the elected lane)
// Fences and bar.warp.sync that the next or the last one implies are left out.
// In a pair of CTAs, arrivals for the leader come from both CTAs, and the
// leader's go to both (PairRules.h).
#include "passes/Emit.h"
#include "passes/PairRules.h"
#include "passes/RoleProgram.h"
#include "passes/SlotUse.h"
#include "passes/Stage.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringExtras.h"
#include <map>

using namespace mlir;

namespace tile {
#define GEN_PASS_DEF_LOWERRINGS
#include "passes/Passes.h.inc"

namespace {

/// Where a role stands in a pipe, seen from one of its edges: variables.
struct Position {
  Value stage; // null where the depth is 1
  Value parity;
};

struct LowerRings : impl::LowerRingsBase<LowerRings> {
  void runOnOperation() override {
    ir::KernelOp kernel = getOperation();
    if (failed(expectRecorded(kernel)) || failed(expectPlaced(kernel)))
      return signalPassFailure();
    for (ir::PipeOp pipe : kernel.getBody().getOps<ir::PipeOp>()) {
      arrivals[pipe].assign(pipe.getEdges().size(), 0);
      for (int64_t edge = 0; edge < int64_t(pipe.getEdges().size()); ++edge) {
        destinations[{pipe.getOperation(), edge}] = destinationOf(pipe, edge);
        handingOver[{pipe.getOperation(), edge}] =
            copiesHandingOver(pipe, edge);
      }
    }
    for (ir::RoleOp role : kernel.getBody().getOps<ir::RoleOp>())
      lowerRole(role);
    for (auto &[pipe, counts] : arrivals)
      if (failed(setCounts(cast<ir::PipeOp>(pipe), counts)))
        return signalPassFailure();
  }

private:
  void lowerRole(ir::RoleOp role);
  void locate(ir::RoleOp role, Operation *root);
  void arrive(ir::RoleOp role, ir::ReleaseOp release);
  void announceBytes(ir::ReleaseOp release, const SlotUse &use);
  void replaceSlot(Operation *op);
  Position &position(ir::RoleOp role, ir::AcquireOp acquire);
  void advance(Emit e, ir::PipeOp pipe, Position &at);
  void count(ir::RoleOp role, ir::ReleaseOp release, StringRef by);
  LogicalResult setCounts(ir::PipeOp pipe, ArrayRef<int64_t> counts);
  void describeEdges(ir::PipeOp pipe);

  using Key = std::tuple<Operation *, int64_t, int64_t>;
  std::map<Key, Position> positions;
  /// Of each acquire and hold: the slot's index and address.
  DenseMap<Operation *, Value> indices, addresses;
  llvm::MapVector<Operation *, SmallVector<int64_t>> arrivals;
  /// Of each edge: which roles hand it over, taken from the recorded program.
  std::map<std::pair<Operation *, int64_t>, RoleCopies> handingOver;
  /// Who hands an edge over, how, and to whom: for `explain` and reports.
  struct Parties {
    SetVector<StringRef> from, to, by;
  };
  std::map<std::pair<Operation *, int64_t>, Parties> parties;
  /// Known before the first role is lowered, which takes its hand-overs away.
  DenseMap<std::pair<Operation *, int64_t>, Destination> destinations;
  Destination destination(ir::PipeOp pipe, int64_t edge) {
    return destinations.at({pipe.getOperation(), edge});
  }
  /// The `at` of an arrival.
  StringAttr at(OpBuilder &b, ir::PipeOp pipe, int64_t edge) {
    StringRef text = name(destination(pipe, edge));
    return text.empty() ? StringAttr() : b.getStringAttr(text);
  }
};

Value get(Emit e, Value variable) {
  return ir::GetOp::create(e.b, e.loc, e.b.getI32Type(), variable);
}

void fence(Emit e, StringRef kind) {
  ir::FenceOp::create(e.b, e.loc, e.b.getStringAttr(kind));
}

Value smemBase(Emit e) {
  return ir::SmemBaseOp::create(e.b, e.loc, e.b.getI32Type());
}

/// Address of the barrier of (edge, part) for the slot at `index`.
Value barrierAddress(Emit e, ir::PipeOp pipe, int64_t edge, int64_t part,
                     Value index) {
  int64_t first = *pipe.getBarriers() + 8 * pipe.getBarrierIndex(edge, part);
  return e.add(e.add(smemBase(e), e.mul(index, 8)), first);
}

Value slotAddress(Emit e, ir::PipeOp pipe, Value index) {
  ir::SlotType type = pipe.getSlotType();
  if (type.getMemory() == ir::Memory::tmem) {
    Value base = ir::TmemBaseOp::create(e.b, e.loc, e.b.getI32Type());
    return e.add(e.add(base, e.mul(index, type.getColumns())),
                 *pipe.getColumn());
  }
  return e.add(e.add(smemBase(e), e.mul(index, type.getBytes())),
               *pipe.getOffset());
}

/// The next use of tensor memory waits first, which orders this one's, too.
bool nextWaitOrders(ir::AcquireOp acquire) {
  for (Operation *op = acquire->getNextNode(); op; op = op->getNextNode()) {
    if (auto next = dyn_cast<ir::AcquireOp>(op)) {
      if (pipeOf(next.getSlot()).getSlotType().getMemory() == ir::Memory::tmem)
        return true;
    } else if (!isa<ir::HoldOp, ir::ViewOp>(op) &&
               (touchesSlot(op) || !isMemoryEffectFree(op))) {
      return false;
    }
  }
  return false;
}

/// A warp's arrival stands right before: its lanes are still together.
bool followsArrival(ir::ReleaseOp release) {
  for (Operation *op = release->getPrevNode(); op; op = op->getPrevNode()) {
    if (auto arrival = dyn_cast<ir::BarrierArriveOp>(op))
      return arrival.getBy() == "warp" || arrival.getBy() == "together";
    if (!isa<ir::ReleaseOp>(op) && (touchesSlot(op) || !isMemoryEffectFree(op)))
      return false;
  }
  return false;
}

} // namespace

void LowerRings::lowerRole(ir::RoleOp role) {
  positions.clear();
  role.setElected(role.getWarps() == 1);
  SmallVector<Operation *> slots;
  SmallVector<ir::ReleaseOp> releases;
  role.getBody().walk([&](Operation *op) {
    if (isa<ir::AcquireOp, ir::HoldOp, ir::ViewOp>(op))
      slots.push_back(op);
    if (auto release = dyn_cast<ir::ReleaseOp>(op))
      releases.push_back(release);
  });
  for (Operation *op : slots)
    if (!isa<ir::ViewOp>(op))
      locate(role, op);
  for (ir::ReleaseOp release : releases)
    arrive(role, release);
  for (ir::ReleaseOp release : releases)
    release.erase();
  for (Operation *op : slots)
    replaceSlot(op);
  for (Operation *op : llvm::reverse(slots))
    op->erase();
}

Position &LowerRings::position(ir::RoleOp role, ir::AcquireOp acquire) {
  ir::PipeOp pipe = pipeOf(acquire.getSlot());
  int64_t edge = acquire.getEdge();
  APInt constant;
  int64_t instance = -1;
  if (matchPattern(acquire.getInstance(), m_ConstantInt(&constant)))
    instance = constant.getSExtValue();
  Key key{pipe.getOperation(), instance, edge};
  auto found = positions.find(key);
  if (found != positions.end())
    return found->second;
  // Kept across tiles: declared before the role, which has one body a tile.
  OpBuilder b(role);
  Emit e{b, pipe.getLoc()};
  auto variable = [&](int64_t init) -> Value {
    auto type = ir::VarType::get(b.getContext(), b.getI32Type());
    return ir::VarOp::create(b, e.loc, type, e.i32(init));
  };
  bool free =
      edge + 1 == int64_t(pipe.getEdges().size()) && firstOwnerAcquires(pipe);
  Position fresh;
  if (pipe.getDepth() > 1)
    fresh.stage = variable(0);
  fresh.parity = variable(free);
  return positions[key] = fresh;
}

void LowerRings::advance(Emit e, ir::PipeOp pipe, Position &at) {
  Value parity = get(e, at.parity);
  Value flipped = arith::XOrIOp::create(e.b, e.loc, parity, e.i32(1));
  if (!at.stage) {
    ir::SetOp::create(e.b, e.loc, at.parity, flipped);
    return;
  }
  Value next = e.add(get(e, at.stage), 1);
  Value wraps = e.equal(next, pipe.getDepth());
  auto choose = [&](Value a, Value c) {
    return arith::SelectOp::create(e.b, e.loc, wraps, a, c);
  };
  ir::SetOp::create(e.b, e.loc, at.stage, choose(e.i32(0), next));
  ir::SetOp::create(e.b, e.loc, at.parity, choose(flipped, parity));
}

/// Waits at an acquire, and computes the slot's index and address.
void LowerRings::locate(ir::RoleOp role, Operation *root) {
  OpBuilder b(root);
  Emit e{b, root->getLoc()};
  Value slot = root->getResult(0);
  ir::PipeOp pipe = pipeOf(slot);
  Value index = e.mul(instanceOf(slot), pipe.getDepth());
  if (auto acquire = dyn_cast<ir::AcquireOp>(root)) {
    int64_t edge = acquire.getEdge(), part = acquire.getPart();
    Position &at = position(role, acquire);
    parties[{pipe.getOperation(), edge}].to.insert(role.getName());
    if (at.stage)
      index = e.add(index, get(e, at.stage));
    ir::BarrierWaitOp::create(
        b, e.loc, barrierAddress(e, pipe, edge, part, index), get(e, at.parity),
        b.getStringAttr(edgeName(pipe, edge, part)),
        destination(pipe, edge) != Destination::own);
    if (pipe.getSlotType().getMemory() == ir::Memory::tmem &&
        !nextWaitOrders(acquire))
      fence(e, "tmem_after");
    if (part + 1 == pipe.getEdgeParts(edge))
      advance(e, pipe, at);
  }
  indices[root] = index;
  addresses[root] = slotAddress(e, pipe, index);
}

void LowerRings::arrive(ir::RoleOp role, ir::ReleaseOp release) {
  SlotUse use = useOf(release.getSlot());
  if (!use.copiesIn.empty()) {
    announceBytes(release, use);
    return count(role, release, "tma");
  }
  OpBuilder b(release);
  Emit e{b, release.getLoc()};
  ir::PipeOp pipe = pipeOf(release.getSlot());
  int64_t edge = release.getEdge(), part = release.getPart();
  StringRef by = role.getLeader() ? "mma_pair" : "mma";
  if (!use.multiplied) {
    by = role.getElected() ? "lane" : "warp";
    ir::Memory memory = pipe.getSlotType().getMemory();
    if (use.copiedOut)
      fence(e, "bulk_read");
    if (use.stored && memory == ir::Memory::smem)
      fence(e, "async_proxy");
    if (use.stored && memory == ir::Memory::tmem)
      fence(e, "tmem_store");
    if (memory == ir::Memory::tmem)
      fence(e, "tmem_before");
  }
  Value index = indices[rootOf(release.getSlot())];
  bool together = by == "warp" && followsArrival(release);
  ir::BarrierArriveOp::create(
      b, e.loc, barrierAddress(e, pipe, edge, part, index),
      b.getStringAttr(together ? "together" : by), IntegerAttr(),
      b.getStringAttr(edgeName(pipe, edge, part)), at(b, pipe, edge));
  count(role, release, by);
}

/// One arrival before the first copy announces all bytes; each copy signals
/// the same barrier.
void LowerRings::announceBytes(ir::ReleaseOp release, const SlotUse &use) {
  Operation *first = use.copiesIn.front();
  for (Operation *copy : use.copiesIn)
    if (copy->isBeforeInBlock(first))
      first = copy;
  OpBuilder b(first);
  Emit e{b, first->getLoc()};
  ir::PipeOp pipe = pipeOf(release.getSlot());
  int64_t edge = release.getEdge(), part = release.getPart();
  Value barrier =
      barrierAddress(e, pipe, edge, part, indices[rootOf(release.getSlot())]);
  ir::BarrierArriveOp::create(b, e.loc, barrier, b.getStringAttr("tma"),
                              b.getI64IntegerAttr(use.bytesIn),
                              b.getStringAttr(edgeName(pipe, edge, part)),
                              at(b, pipe, edge));
  bool toLeader = destination(pipe, edge) == Destination::leader;
  for (Operation *copy : use.copiesIn) {
    if (auto in = dyn_cast<ir::CopyInOp>(copy)) {
      in.getBarrierMutable().assign(barrier);
      in.setToLeader(toLeader);
    } else {
      cast<ir::CopyPeerOp>(copy).getBarrierMutable().assign(barrier);
    }
  }
}

/// Each copy arrives once a phase, wherever its releases stand in its program:
/// the first one counts for all.
void LowerRings::count(ir::RoleOp role, ir::ReleaseOp release, StringRef by) {
  ir::PipeOp pipe = pipeOf(release.getSlot());
  int64_t edge = release.getEdge();
  Parties &edgeParties = parties[{pipe.getOperation(), edge}];
  edgeParties.from.insert(role.getName());
  edgeParties.by.insert(by);
  int64_t &copies = handingOver[{pipe.getOperation(), edge}][role];
  int64_t arrivalsOfCopy = by == "warp" ? role.getWarps() : 1;
  if (destination(pipe, edge) == Destination::leader)
    arrivalsOfCopy *= 2; // of both CTAs
  arrivals[pipe][edge] += std::exchange(copies, 0) * arrivalsOfCopy;
}

LogicalResult LowerRings::setCounts(ir::PipeOp pipe, ArrayRef<int64_t> counts) {
  for (auto [edge, total] : llvm::enumerate(counts)) {
    if (total == 0)
      return pipe.emitError("pipe '")
             << pipe.getName() << "' is never handed over along edge '"
             << cast<StringAttr>(pipe.getEdges()[edge]).getValue() << "'";
  }
  pipe->setAttr("counts", Builder(&getContext()).getDenseI64ArrayAttr(counts));
  describeEdges(pipe);
  return success();
}

void LowerRings::describeEdges(ir::PipeOp pipe) {
  Builder b(&getContext());
  SmallVector<std::string> from, to, by;
  for (size_t edge = 0; edge < pipe.getEdges().size(); ++edge) {
    Parties &p = parties[{pipe.getOperation(), edge}];
    from.push_back(llvm::join(p.from, ", "));
    to.push_back(llvm::join(p.to, ", "));
    by.push_back(llvm::join(p.by, ", "));
  }
  auto strings = [&](ArrayRef<std::string> values) {
    return b.getStrArrayAttr(
        SmallVector<StringRef>(values.begin(), values.end()));
  };
  pipe->setAttr("from", strings(from));
  pipe->setAttr("to", strings(to));
  pipe->setAttr("by", strings(by));
}

void LowerRings::replaceSlot(Operation *op) {
  OpBuilder b(op);
  Emit e{b, op->getLoc()};
  Value slot = op->getResult(0);
  Value address = addresses[rootOf(slot)];
  if (auto view = dyn_cast<ir::ViewOp>(op))
    address = e.add(address, view.getAt());
  Value at =
      ir::SlotAtOp::create(b, e.loc, cast<ir::SlotType>(slot.getType()),
                           address, b.getStringAttr(pipeOf(slot).getName()));
  slot.replaceUsesWithIf(
      at, [](OpOperand &use) { return !isa<ir::ViewOp>(use.getOwner()); });
}

} // namespace tile
