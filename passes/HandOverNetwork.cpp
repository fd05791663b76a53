#include "passes/HandOverNetwork.h"
#include "llvm/ADT/Sequence.h"
#include <map>

using namespace mlir;

namespace tile {

static int64_t expectedArrivals(ir::PipeOp pipe, int64_t edge) {
  int64_t total = 0;
  for (auto [role, copies] : copiesHandingOver(pipe, edge))
    total += copies;
  return total;
}

HandOverNetwork::HandOverNetwork(const PipeTable &table,
                                 ArrayRef<RoleTrace> traces)
    : table(table), traces(traces), next(traces.size(), 0),
      channels(table.channels()) {
  for (ir::PipeOp pipe : table.pipes) {
    depths.push_back(pipe.getDepth());
    deepest = std::max(deepest, depths.back());
  }
  for (auto [role, trace] : llvm::enumerate(traces)) {
    for (const Step &step : trace.steps) {
      Channel &channel = channels[step.channel];
      channel.puts.resize(traces.size());
      channel.takes.resize(traces.size());
      ++(step.waits ? channel.takes : channel.puts)[role];
      if (step.waits)
        continue;
      if (!llvm::is_contained(channel.from, role))
        channel.from.push_back(role);
      if (!channel.firstPut) {
        channel.firstPut = &step;
        channel.expected =
            step.pipe < 0 ? 1
                          : expectedArrivals(table.pipes[step.pipe], step.edge);
      }
    }
  }
}

/// Nobody needs to hand over the first of these: a free slot, copy 0's turn.
bool HandOverNetwork::startsFree(const Step &step) const {
  if (step.pipe < 0)
    return step.instance == 0;
  ir::PipeOp pipe = table.pipes[step.pipe];
  return step.edge + 1 == int64_t(pipe.getEdges().size()) &&
         table.startsFree[step.pipe];
}

bool HandOverNetwork::canRun(const Step &step) {
  return !step.waits ||
         barrierOf(step).phases + startsFree(step) > step.index / depthOf(step);
}

bool HandOverNetwork::advance(size_t role) {
  size_t before = next[role];
  ArrayRef<Step> steps = traces[role].steps;
  for (; next[role] < steps.size(); ++next[role]) {
    const Step &step = steps[next[role]];
    if (!canRun(step))
      break;
    if (step.waits)
      continue;
    Barrier &barrier = barrierOf(step);
    if (++barrier.arrived == channels[step.channel].expected)
      barrier = {0, barrier.phases + 1};
  }
  if (next[role] == before)
    return false;
  order.emplace_back(role, next[role]);
  return true;
}

void HandOverNetwork::setDepth(int64_t pipe, int64_t depth) {
  depths[pipe] = depth;
}

bool HandOverNetwork::settles() {
  next.assign(traces.size(), 0);
  order.clear();
  barriers.assign(channels.size() * deepest, {});
  for (bool moved = true; moved;) {
    moved = false;
    for (size_t role = 0; role < traces.size(); ++role)
      moved |= advance(role);
  }
  return llvm::all_of(llvm::seq(traces.size()),
                      [&](size_t role) { return ended(role); });
}

LogicalResult HandOverNetwork::run(StringRef found) {
  if (failed(checkArrivals()))
    return failure();
  if (!settles())
    return explainBlocked(found);
  if (failed(checkLeftOver(found)))
    return failure();
  return checkContents();
}

/// One role puts, if need be all its copies together; what comes back may come
/// from several roles. Each copy arrives once a phase.
LogicalResult HandOverNetwork::checkArrivals() {
  for (const Channel &channel : channels) {
    if (!channel.firstPut || channel.firstPut->pipe < 0)
      continue;
    const Step &step = *channel.firstPut;
    ir::PipeOp pipe = table.pipes[step.pipe];
    auto other = llvm::find_if(channel.from, [&](size_t trace) {
      return traces[trace].role != traces[channel.from[0]].role;
    });
    if (step.edge == 0 && other != channel.from.end())
      return pipe.emitError("R3: ")
             << roleName(channel.from[0]) << " and " << roleName(*other)
             << " put into '" << pipe.getName() << "'; a pipe has one producer";
    if (int64_t(channel.from.size()) != channel.expected) {
      return pipe.emitError("R3: '")
             << nameOfEdge(step) << "' of instance " << step.instance
             << " is handed over by " << channel.from.size()
             << " roles, but its barriers count " << channel.expected
             << "; all instances need the same roles";
    }
  }
  return success();
}

int64_t HandOverNetwork::heldBy(size_t role, const Step &at) const {
  ir::PipeOp pipe = table.pipes[at.pipe];
  int64_t held = 0;
  for (const Step &step : ArrayRef(traces[role].steps).take_front(next[role])) {
    if (step.pipe != at.pipe || step.instance != at.instance)
      continue;
    if (step.waits && step.part == 0)
      ++held;
    if (!step.waits && step.part + 1 == pipe.getEdgeParts(step.edge))
      --held;
  }
  return held;
}

/// How much a blocked role explains: 3 where it waits for more slots than
/// there are, 2 for a role that has ended, 1 in a circle.
int64_t HandOverNetwork::urgency(size_t role) {
  const Step &step = traces[role].steps[next[role]];
  if (step.pipe >= 0 && step.part == 0 &&
      heldBy(role, step) >= depths[step.pipe])
    return 3;
  return llvm::all_of(channels[step.channel].from,
                      [&](size_t other) { return ended(other); })
             ? 2
             : 1;
}

void HandOverNetwork::explain(InFlightDiagnostic &error, size_t role) {
  const Step &step = traces[role].steps[next[role]];
  const Channel &channel = channels[step.channel];
  int64_t kind = urgency(role);
  if (kind == 3) {
    ir::PipeOp pipe = table.pipes[step.pipe];
    error << "deadlock: " << roleName(role) << " holds "
          << heldBy(role, step) + 1 << " slots of '" << pipe.getName()
          << "'; depth " << pipe.getDepth() << " cannot make progress";
    return;
  }
  if (channel.from.empty()) {
    error << roleName(role) << " waits for '" << nameOfEdge(step)
          << "', which no role hands over";
    return;
  }
  size_t other = channel.from[0];
  if (kind == 2) {
    error << roleName(role) << " takes '" << nameOfEdge(step) << "' "
          << channel.takes[role] << " times a tile, but " << roleName(other)
          << " hands it over " << channel.puts[other] << " times";
  } else {
    error << "deadlock: " << roleName(role) << " waits for '"
          << nameOfEdge(step) << "' from " << roleName(other)
          << ", which waits as well";
  }
}

void HandOverNetwork::describeWaits(InFlightDiagnostic &error,
                                    StringRef found) {
  for (size_t role = 0; role < traces.size(); ++role) {
    if (ended(role))
      continue;
    const Step &step = traces[role].steps[next[role]];
    error.attachNote(step.op->getLoc())
        << roleName(role) << " waits here for '" << nameOfEdge(step) << "'";
  }
  error.attachNote() << "found with " << found;
}

LogicalResult HandOverNetwork::explainBlocked(StringRef found) {
  size_t chosen = 0;
  int64_t best = 0;
  for (size_t role = 0; role < traces.size(); ++role) {
    int64_t kind = ended(role) ? 0 : urgency(role);
    if (kind > best) {
      best = kind;
      chosen = role;
    }
  }
  InFlightDiagnostic error =
      traces[chosen].steps[next[chosen]].op->emitError("R7: ");
  explain(error, chosen);
  describeWaits(error, found);
  return error;
}

/// A hand-over that nobody took is a slot lost: the next tile would find it in
/// place of its own.
LogicalResult HandOverNetwork::checkLeftOver(StringRef found) {
  for (const Channel &channel : channels) {
    if (!channel.firstPut)
      continue;
    const Step &step = *channel.firstPut;
    int64_t puts = channel.puts[channel.from[0]];
    bool taken = false;
    for (int64_t takes : channel.takes) {
      taken |= takes > 0;
      if (takes == 0 || takes == puts)
        continue;
      InFlightDiagnostic error = step.op->emitError("R7: ")
                                 << roleName(channel.from[0]) << " hands '"
                                 << nameOfEdge(step) << "' over " << puts
                                 << " times a tile, but it is taken " << takes
                                 << " times";
      error.attachNote() << "found with " << found;
      return error;
    }
    if (taken)
      continue;
    InFlightDiagnostic error = step.op->emitError("R7: ")
                               << roleName(channel.from[0]) << " hands '"
                               << nameOfEdge(step) << "' over " << puts
                               << " times a tile, but no role takes it";
    error.attachNote() << "found with " << found;
    return error;
  }
  return success();
}

/// Follows what lies in each slot through the order that was run. Clocks of
/// hand-overs tell what holds in every order.
class HandOverNetwork::ContentCheck {
public:
  explicit ContentCheck(const HandOverNetwork &network)
      : network(network), done(network.traces.size(), 0),
        steps(network.traces.size(), 0),
        clocks(network.traces.size(), RoleClock(network.traces.size(), 0)) {}

  /// Runs a role up to, not including, a step.
  LogicalResult run(size_t role, size_t end) {
    const RoleTrace &trace = network.traces[role];
    for (; steps[role] < end; ++steps[role]) {
      const Step &step = trace.steps[steps[role]];
      if (failed(touch(role, step.contents)))
        return failure();
      handOver(role, step);
    }
    return touch(role, end < trace.steps.size() ? trace.steps[end].contents
                                                : trace.contents.size());
  }

private:
  LogicalResult touch(size_t role, size_t end) {
    for (; done[role] < end; ++done[role]) {
      const ContentStep &at = network.traces[role].contents[done[role]];
      ir::PipeOp pipe = network.table.pipes[at.pipe];
      int64_t position =
          positionOf(pipe, at.instance, at.index % network.depths[at.pipe]);
      if (failed(contents[homeOf(pipe)].access(at.access, position, role,
                                               clocks[role])))
        return failure();
    }
    return success();
  }

  void handOver(size_t role, const Step &step) {
    RoleClock &clock = clocks[role];
    int64_t depth = network.depthOf(step);
    int64_t barrier = step.channel * network.deepest + step.index % depth;
    Barrier &state = barriers[barrier];
    // A slot that is free at first needs no phase then.
    int64_t phase = step.waits ? step.index / depth - network.startsFree(step)
                               : state.phases;
    RoleClock &sent = messages[{barrier, phase}];
    sent.resize(clock.size(), 0);
    if (!step.waits) {
      ++clock[role];
      if (++state.arrived == network.channels[step.channel].expected)
        state = {0, state.phases + 1};
    }
    RoleClock &into = step.waits ? clock : sent;
    const RoleClock &from = step.waits ? sent : clock;
    for (auto [a, b] : llvm::zip(into, from))
      a = std::max<int64_t>(a, b);
  }

  const HandOverNetwork &network;
  SmallVector<size_t> done, steps;
  std::vector<RoleClock> clocks;
  DenseMap<int64_t, Barrier> barriers;
  /// By barrier and phase.
  std::map<std::pair<int64_t, int64_t>, RoleClock> messages;
  DenseMap<Operation *, SlotContents> contents;
};

LogicalResult HandOverNetwork::checkContents() {
  ContentCheck check(*this);
  for (auto [role, step] : order)
    if (failed(check.run(role, step)))
      return failure();
  return success();
}

} // namespace tile
