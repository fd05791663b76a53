#include "passes/RoleTrace.h"
#include <map>

using namespace mlir;

namespace tile {

std::string nameOf(ir::RoleOp role, int64_t copy) {
  std::string name = "role '" + role.getName().str() + "'";
  if (role.getCopies() > 1)
    name = "copy " + std::to_string(copy) + " of " + name;
  return name;
}

namespace {

/// A slot that the role owns now, or owned.
struct Owned {
  Operation *root;
  int64_t pipe, instance, index, edgeIn;
  int64_t acquired = 0;            // parts taken
  uint64_t released = 0;           // parts handed on, one bit each
  Operation *handedOver = nullptr; // set by the last part's release
};

class Tracer {
public:
  Tracer(const RoleProgram &program, const PipeTable &table, ir::RoleOp role,
         int64_t copy, const Integers &known)
      : program(program), table(table), known(known) {
    trace.role = role;
    trace.copy = copy;
    this->known[role.getBody().getArgument(0)] = copy;
  }

  FailureOr<RoleTrace> run() {
    if (failed(block(trace.role.getBody().front())) || failed(end()))
      return failure();
    return std::move(trace);
  }

private:
  /// Counts a step; an error where a tile has too many.
  LogicalResult spend(Operation *op);
  LogicalResult block(Block &body);
  LogicalResult loop(scf::ForOp op);
  LogicalResult branch(scf::IfOp op);
  LogicalResult acquire(ir::AcquireOp op);
  LogicalResult hold(ir::HoldOp op);
  LogicalResult release(ir::ReleaseOp op);
  LogicalResult use(Operation *op);
  LogicalResult turn(ir::TurnOp op);
  LogicalResult end();
  FailureOr<int64_t> instance(Operation *op, ir::PipeOp pipe, Value value);
  /// The last slot of the pipe instance that is still owned, or -1.
  int64_t newest(int64_t pipe, int64_t instance, int64_t edgeIn = -1);
  std::string self() { return nameOf(trace.role, trace.copy); }
  void step(bool waits, Operation *op, const Owned &slot, int64_t edge,
            int64_t part);

  /// Far beyond what a tile of any of the sampled sizes takes.
  static constexpr int64_t mostExecuted = 1 << 20;

  const RoleProgram &program;
  const PipeTable &table;
  Integers known;
  RoleTrace trace;
  int64_t executed = 0;
  std::vector<Owned> slots;
  /// Those that aren't handed over, oldest first.
  SmallVector<int64_t> owned;
  /// Which of `slots` an acquire or hold yielded last, and whether a release
  /// ended that value.
  DenseMap<Operation *, int64_t> valueOf;
  DenseMap<Operation *, Operation *> ended;
  std::map<std::tuple<int64_t, int64_t, int64_t>, int64_t> taken;
  DenseMap<int64_t, int64_t> stagedInstance;
  /// Turns waited for, and the op that got the one the copy has; by named
  /// barrier.
  DenseMap<int64_t, int64_t> turnsTaken;
  llvm::MapVector<int64_t, Operation *> turnsHeld;
};

int64_t Tracer::newest(int64_t pipe, int64_t instance, int64_t edgeIn) {
  for (int64_t i : llvm::reverse(owned))
    if (slots[i].pipe == pipe && slots[i].instance == instance &&
        (edgeIn < 0 || slots[i].edgeIn == edgeIn))
      return i;
  return -1;
}

void Tracer::step(bool waits, Operation *op, const Owned &slot, int64_t edge,
                  int64_t part) {
  trace.steps.push_back({waits, op, slot.pipe, slot.instance, edge, part,
                         slot.index,
                         table.channelOf(slot.pipe, slot.instance, edge, part),
                         trace.contents.size()});
}

LogicalResult Tracer::spend(Operation *op) {
  if (++executed <= mostExecuted)
    return success();
  return op->emitError("L1: ") << self() << " takes more than " << mostExecuted
                               << " steps a tile; that many can't be checked";
}

LogicalResult Tracer::block(Block &body) {
  for (Operation *op : program.stepsOf(body)) {
    if (failed(spend(op)))
      return failure();
    LogicalResult result = success();
    if (auto forOp = dyn_cast<scf::ForOp>(op))
      result = loop(forOp);
    else if (auto ifOp = dyn_cast<scf::IfOp>(op))
      result = branch(ifOp);
    else if (auto acquireOp = dyn_cast<ir::AcquireOp>(op))
      result = acquire(acquireOp);
    else if (auto holdOp = dyn_cast<ir::HoldOp>(op))
      result = hold(holdOp);
    else if (auto releaseOp = dyn_cast<ir::ReleaseOp>(op))
      result = release(releaseOp);
    else if (auto turnOp = dyn_cast<ir::TurnOp>(op))
      result = turn(turnOp);
    else if (touchesSlot(op))
      result = use(op);
    else if (op->getNumResults() == 1)
      if (std::optional<int64_t> value = evaluate(op, known))
        known[op->getResult(0)] = *value;
    if (failed(result))
      return failure();
  }
  return success();
}

LogicalResult Tracer::loop(scf::ForOp op) {
  auto lower = known.find(op.getLowerBound()),
       upper = known.find(op.getUpperBound()), by = known.find(op.getStep());
  if (lower == known.end() || upper == known.end() || by == known.end())
    return op.emitError("L1: the trip count of a loop that takes or puts slots "
                        "must follow from the walk and the kernel's sizes");
  int64_t begin = lower->second, end = upper->second, stride = by->second;
  if (stride < 1)
    return op.emitError("L1: a loop advances by ")
           << stride << " a step; it must be at least 1";
  trace.longestLoop = std::max(trace.longestLoop, end - begin);
  for (int64_t i = begin; i < end; i += stride) {
    known[op.getInductionVar()] = i;
    if (failed(spend(op)) || failed(block(*op.getBody())))
      return failure();
  }
  return success();
}

LogicalResult Tracer::branch(scf::IfOp op) {
  auto condition = known.find(op.getCondition());
  if (condition == known.end()) {
    bool moves = false;
    op->walk([&](Operation *inner) { moves |= handsOver(inner); });
    if (moves)
      return op.emitError(
          "L1: a slot or turn is taken or put under a condition "
          "that depends on data; other roles can't know it");
    // Either branch may run; both only touch slots.
    for (Region &region : op->getRegions())
      for (Block &body : region)
        if (failed(block(body)))
          return failure();
    return success();
  }
  Block *body = condition->second ? op.thenBlock() : op.elseBlock();
  if (!body)
    return success();
  if (failed(block(*body)))
    return failure();
  for (auto [result, value] :
       llvm::zip(op.getResults(), body->getTerminator()->getOperands())) {
    auto found = known.find(value);
    if (found != known.end())
      known[result] = int64_t(found->second);
  }
  return success();
}

FailureOr<int64_t> Tracer::instance(Operation *op, ir::PipeOp pipe,
                                    Value value) {
  auto found = known.find(value);
  if (found == known.end())
    return op->emitError("R9: the instance of pipe '")
           << pipe.getName() << "' depends on data";
  int64_t number = found->second, count = pipe.getInstances();
  if (number < 0 || number >= count)
    return op->emitError("R9: ")
           << self() << " uses instance " << number << " of pipe '"
           << pipe.getName() << "', which has " << count;
  if (matchPattern(value, m_Constant()))
    return number;
  // Its position in the pipe is one variable for all staged instances.
  auto [first, fresh] = stagedInstance.try_emplace(table.indexOf(pipe), number);
  if (!fresh && first->second != number) {
    return op->emitError("R9: ")
           << self() << " uses instances " << first->second << " and " << number
           << " of pipe '" << pipe.getName()
           << "' by one staged index; unroll the loop on the host";
  }
  return number;
}

LogicalResult Tracer::acquire(ir::AcquireOp op) {
  ir::PipeOp pipe = pipeOf(op.getSlot());
  int64_t index = table.indexOf(pipe), edge = op.getEdge(), part = op.getPart();
  FailureOr<int64_t> at = instance(op, pipe, op.getInstance());
  if (failed(at))
    return failure();
  int64_t held = newest(index, *at, edge);
  bool partial = held >= 0 && slots[held].acquired < pipe.getEdgeParts(edge);
  if (part != (partial ? slots[held].acquired : 0)) {
    return op.emitError("R10: ")
           << self() << " takes part " << part << " of '" << pipe.getName()
           << "' where part " << (partial ? slots[held].acquired : 0)
           << " is next";
  }
  int64_t &count = taken[{index, *at, edge}];
  if (part == 0) {
    held = slots.size();
    owned.push_back(held);
    slots.push_back({op, index, *at, count, edge});
  }
  ++slots[held].acquired;
  valueOf[op] = held;
  ended.erase(op);
  step(true, op, slots[held], edge, part);
  if (slots[held].acquired == pipe.getEdgeParts(edge))
    ++count;
  return success();
}

/// True where the role puts into the pipe before anybody else has it.
static bool ownsFromStart(ir::RoleOp role, ir::PipeOp pipe) {
  for (Operation *user : pipe.getResult().getUsers())
    if (auto held = dyn_cast<ir::HoldOp>(user))
      if (role->isProperAncestor(held) && releasesEdge(held.getSlot(), 0))
        return true;
  return false;
}

LogicalResult Tracer::hold(ir::HoldOp op) {
  ir::PipeOp pipe = pipeOf(op.getSlot());
  int64_t index = table.indexOf(pipe);
  FailureOr<int64_t> at = instance(op, pipe, op.getInstance());
  if (failed(at))
    return failure();
  int64_t held = newest(index, *at);
  if (held < 0) {
    bool touched = llvm::any_of(slots, [&](const Owned &slot) {
      return slot.pipe == index && slot.instance == *at;
    });
    if (touched)
      return op.emitError("R4: ")
             << self() << " puts into '" << pipe.getName()
             << "' again before taking it back; what it put may be unread";
    if (table.startsFree[index] || !ownsFromStart(trace.role, pipe))
      return op.emitError("R4: ") << self() << " uses '" << pipe.getName()
                                  << "' without having taken it";
    held = slots.size();
    owned.push_back(held);
    int64_t back = pipe.getEdges().size() - 1;
    slots.push_back({op, index, *at, 0, back, pipe.getEdgeParts(back)});
  }
  valueOf[op] = held;
  ended.erase(op);
  return success();
}

LogicalResult Tracer::release(ir::ReleaseOp op) {
  Operation *root = rootOf(op.getSlot());
  ir::PipeOp pipe = pipeOf(op.getSlot());
  Owned &slot = slots[valueOf.lookup(root)];
  int64_t edge = op.getEdge(), part = op.getPart();
  Operation *before = slot.handedOver ? slot.handedOver : ended.lookup(root);
  if (before || (slot.released >> part & 1)) {
    InFlightDiagnostic error = op.emitError("R4: a slot of '")
                               << pipe.getName() << "' is released twice";
    if (before)
      error.attachNote(before->getLoc()) << "first released here";
    return error;
  }
  int64_t edges = pipe.getEdges().size();
  if (edge != (slot.edgeIn + 1) % edges) {
    return op.emitError("R4: ")
           << self() << " got '" << edgeName(pipe, slot.edgeIn, 0)
           << "' and may hand it on as '"
           << edgeName(pipe, (slot.edgeIn + 1) % edges, 0) << "', not as '"
           << edgeName(pipe, edge, 0) << "'";
  }
  if (slot.acquired < pipe.getEdgeParts(slot.edgeIn)) {
    return op.emitError("R10: ")
           << self() << " hands '" << pipe.getName() << "' on after taking "
           << slot.acquired << " of its " << pipe.getEdgeParts(slot.edgeIn)
           << " parts";
  }
  slot.released |= uint64_t(1) << part;
  ended[root] = op;
  step(false, op, slot, edge, part);
  if (slot.released + 1 == uint64_t(1) << pipe.getEdgeParts(edge))
    slot.handedOver = op;
  llvm::erase_if(owned, [&](int64_t i) { return slots[i].handedOver; });
  return success();
}

LogicalResult Tracer::use(Operation *op) {
  for (Value operand : op->getOperands()) {
    if (!isa<ir::SlotType>(operand.getType()))
      continue;
    Operation *root = rootOf(operand);
    Operation *over = slots[valueOf.lookup(root)].handedOver;
    if (Operation *own = ended.lookup(root))
      over = own;
    if (!over)
      continue;
    InFlightDiagnostic error = op->emitError("R4: a slot of '")
                               << pipeOf(operand).getName()
                               << "' is used after it was released";
    error.attachNote(over->getLoc()) << "released here";
    return error;
  }
  std::optional<int64_t> accumulates;
  if (auto mma = dyn_cast<ir::MmaOp>(op))
    if (auto value = known.find(mma.getAccumulate()); value != known.end())
      accumulates = value->second;
  for (const SlotAccess &access : accessesOf(op, accumulates)) {
    const Owned &slot = slots[valueOf.lookup(rootOf(access.slot))];
    trace.contents.push_back({slot.pipe, slot.instance, slot.index, access});
  }
  return success();
}

/// Waits and passes alternate: who passes a turn has it, and a second arrival
/// at a named barrier before anybody waits there would be lost.
LogicalResult Tracer::turn(ir::TurnOp op) {
  auto index = known.find(op.getIndex());
  if (index == known.end() || index->second != trace.copy)
    return op.emitError("L4: ")
           << self() << (op.getKind() == "wait" ? " waits for" : " passes")
           << " a turn by an index that isn't its copy";
  int64_t first = op.getFirst(), count = op.getCount();
  bool waits = op.getKind() == "wait";
  Operation *&held = turnsHeld[first];
  if (waits && held) {
    InFlightDiagnostic error = op.emitError("L4: ")
                               << self()
                               << " waits for a turn that it already has";
    error.attachNote(held->getLoc()) << "got here";
    return error;
  }
  if (!waits && !held)
    return op.emitError("L4: ")
           << self() << " passes a turn that it doesn't have";
  held = waits ? op.getOperation() : nullptr;
  int64_t to = waits ? trace.copy : (trace.copy + 1) % count;
  trace.steps.push_back({waits, op, -1, to, 0, 0,
                         waits ? turnsTaken[first]++ : turnsTaken[first] - 1,
                         table.turnChannel(first, to), trace.contents.size()});
  return success();
}

LogicalResult Tracer::end() {
  for (auto [first, held] : turnsHeld)
    if (held)
      return held->emitError("L4: ") << self() << " never passes this turn on";
  for (const Owned &slot : slots) {
    if (slot.handedOver)
      continue;
    ir::PipeOp pipe = table.pipes[slot.pipe];
    bool first = !table.startsFree[slot.pipe] &&
                 slot.edgeIn + 1 == int64_t(pipe.getEdges().size()) &&
                 slot.acquired == pipe.getEdgeParts(slot.edgeIn);
    if (!first)
      return slot.root->emitError("R4: ")
             << self() << " never releases this slot of '" << pipe.getName()
             << "'";
  }
  for (const Owned &slot : slots) {
    ir::PipeOp pipe = table.pipes[slot.pipe];
    if (!table.startsFree[slot.pipe] && slot.handedOver &&
        ownsFromStart(trace.role, pipe) && newest(slot.pipe, slot.instance) < 0)
      return slot.handedOver->emitError("R4: ")
             << self() << " ends a tile without taking '" << pipe.getName()
             << "' back";
  }
  return success();
}
} // namespace

FailureOr<RoleTrace> traceRole(const RoleProgram &program,
                               const PipeTable &table, ir::RoleOp role,
                               int64_t copy, const Integers &known) {
  return Tracer(program, table, role, copy, known).run();
}

} // namespace tile
