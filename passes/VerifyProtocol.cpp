// Proves, tile by tile, that the roles' hand-overs fit together: for many sizes
// each role's program is reduced to its waits and hand-overs, and these run
// against each other. Leaves what was proven in the attribute `proofs`.
#include "passes/HandOverNetwork.h"
#include "passes/PairRules.h"
#include "passes/SlotRules.h"
#include "passes/Stage.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;

namespace tile {
#define GEN_PASS_DEF_VERIFYPROTOCOL
#include "passes/Passes.h.inc"

namespace {

/// Sizes around the edges of blocks of 64 to 256, and loops of 0 to 8 trips.
constexpr int64_t sampleSizes[] = {0, 1, 2, 3, 64, 128, 129, 300, 1000};

/// One size at a time runs through the samples, the others being all small or
/// all large.
std::vector<Sizes> chooseSizes(ArrayRef<StringRef> names) {
  std::vector<Sizes> chosen;
  if (names.empty())
    chosen.emplace_back();
  for (StringRef varied : names) {
    for (int64_t others : {1, 300}) {
      for (int64_t sample : sampleSizes) {
        Sizes sizes;
        for (StringRef name : names)
          sizes[name] = name == varied ? sample : others;
        chosen.push_back(std::move(sizes));
      }
    }
  }
  return chosen;
}

class Prover {
public:
  explicit Prover(ir::KernelOp kernel) : program(kernel), table(kernel) {}

  LogicalResult run() {
    for (const Sizes &sizes : chooseSizes(program.sizeNames()))
      if (failed(proveSizes(sizes)))
        return failure();
    return success();
  }
  SmallVector<std::string> proofs();

private:
  LogicalResult proveSizes(const Sizes &sizes);
  LogicalResult proveTile(const Integers &kernelLevel, int64_t index,
                          const std::string &found);
  std::string describe(const Sizes &sizes, int64_t index);
  std::string neededDepths();
  std::string rolesWithTurns();

  RoleProgram program;
  PipeTable table;
  int64_t combinations = 0, longestLoop = 0;
  std::vector<RoleTrace> longest;
  size_t longestSteps = 0;
};

std::string Prover::describe(const Sizes &sizes, int64_t index) {
  std::string text;
  for (StringRef name : program.sizeNames())
    text += (name + " = " + Twine(sizes.lookup(name)) + ", ").str();
  return text + "tile " + std::to_string(index);
}

LogicalResult Prover::proveSizes(const Sizes &sizes) {
  Integers known = program.evaluateKernel(sizes);
  auto count = known.find(program.walk.getCount());
  // No tile, or sizes that the host's expressions have no value for.
  if (count == known.end() || count->second <= 0)
    return success();
  int64_t last = count->second - 1;
  SetVector<int64_t> indices;
  for (int64_t index : {int64_t(0), last / 2, last})
    if (indices.insert(index))
      if (failed(proveTile(known, index, describe(sizes, index))))
        return failure();
  ++combinations;
  return success();
}

LogicalResult Prover::proveTile(const Integers &kernelLevel, int64_t index,
                                const std::string &found) {
  Integers known = kernelLevel;
  Block &walk = program.walk.getBody().front();
  known[walk.getArgument(0)] = index;
  for (Operation *op : program.stepsOf(walk))
    if (op->getNumResults() == 1)
      if (std::optional<int64_t> value = evaluate(op, known))
        known[op->getResult(0)] = *value;
  std::vector<RoleTrace> traces;
  size_t steps = 0;
  for (ir::RoleOp role : program.roles) {
    Block &body = role.getBody().front();
    for (auto [argument, coord] :
         llvm::zip(body.getArguments().drop_front(),
                   walk.getTerminator()->getOperands())) {
      auto value = known.find(coord);
      if (value != known.end())
        known[argument] = int64_t(value->second);
    }
    for (int64_t copy = 0; copy < int64_t(role.getCopies()); ++copy) {
      FailureOr<RoleTrace> trace = traceRole(program, table, role, copy, known);
      if (failed(trace))
        return failure();
      longestLoop = std::max(longestLoop, trace->longestLoop);
      steps += trace->steps.size();
      traces.push_back(std::move(*trace));
    }
  }
  if (failed(HandOverNetwork(table, traces).run(found)))
    return failure();
  if (steps > longestSteps) {
    longestSteps = steps;
    longest = std::move(traces);
  }
  return success();
}

/// "'kv' needs 2 of its 3 slots", for pipes of more than one.
std::string Prover::neededDepths() {
  SmallVector<std::string> texts;
  for (auto [index, pipe] : llvm::enumerate(table.pipes)) {
    int64_t depth = pipe.getDepth(), needed = depth;
    for (HandOverNetwork network(table, longest); needed > 1; --needed) {
      network.setDepth(index, needed - 1);
      if (!network.settles())
        break;
    }
    if (depth > 1)
      texts.push_back("'" + pipe.getName().str() + "' " +
                      std::to_string(needed) + " of " + std::to_string(depth));
  }
  return llvm::join(texts, ", ");
}

std::string Prover::rolesWithTurns() {
  SmallVector<std::string> names;
  for (ir::RoleOp role : program.roles) {
    bool turns = false;
    role.getBody().walk([&](ir::TurnOp) { turns = true; });
    if (turns)
      names.push_back("'" + role.getName().str() + "'");
  }
  return llvm::join(names, ", ");
}

SmallVector<std::string> Prover::proofs() {
  SmallVector<std::string> result;
  std::string sizes =
      program.sizeNames().empty()
          ? "no size matters"
          : std::to_string(combinations) + " choices of " +
                llvm::join(program.sizeNames(), ", ") + " from 0 to " +
                std::to_string(*std::rbegin(sampleSizes)) +
                ", loops of up to " + std::to_string(longestLoop) + " trips";
  result.push_back(
      "R7 progress: no deadlock, and every tile returns every slot (" + sizes +
      "); hence for any sequence of these tiles");
  result.push_back("R3, R4 ownership: each pipe has one producer; no slot is "
                   "overwritten unread, used after its release, or released "
                   "twice");
  SmallVector<std::string> fills;
  for (ir::PipeOp pipe : table.pipes)
    for (int64_t bytes : filledBytes(pipe))
      fills.push_back("'" + pipe.getName().str() + "' " +
                      std::to_string(bytes));
  if (!fills.empty())
    result.push_back("R8 bytes: every TMA fill announces what its copies "
                     "deliver (" +
                     llvm::join(fills, ", ") + ")");
  std::string depths = neededDepths();
  if (!depths.empty())
    result.push_back("R7 slack: slots without which there is no progress: " +
                     depths);
  result.push_back("M3 contents: no value in a slot is overwritten by one of "
                   "another type before its last read, and none is read before "
                   "it is written");
  std::string turns = rolesWithTurns();
  if (!turns.empty())
    result.push_back("L4 turns: the copies of " + turns +
                     " take them in order, as many each in a tile; they are "
                     "part of R7");
  if (!program.sizeNames().empty())
    result.push_back("not covered: other sizes and longer loops than these");
  return result;
}

struct VerifyProtocol : impl::VerifyProtocolBase<VerifyProtocol> {
  void runOnOperation() override {
    ir::KernelOp kernel = getOperation();
    if (failed(expectRecorded(kernel)))
      return signalPassFailure();
    if (kernel.getBody().getOps<ir::WalkOp>().empty()) {
      kernel.emitError("L1: the kernel has no walk");
      return signalPassFailure();
    }
    if (failed(checkSlotRules(kernel)) || failed(checkPairRules(kernel)))
      return signalPassFailure();
    Prover prover(kernel);
    if (failed(prover.run()))
      return signalPassFailure();
    SmallVector<std::string> proofs = prover.proofs();
    SmallVector<StringRef> texts(proofs.begin(), proofs.end());
    kernel->setAttr("proofs", Builder(&getContext()).getStrArrayAttr(texts));
  }
};
} // namespace
} // namespace tile
