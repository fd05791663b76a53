#include "runtime/emulator/Scheduler.h"

#include "runtime/Error.h"
#include "runtime/emulator/Deadlock.h"
#include "runtime/emulator/Residency.h"
#include "runtime/emulator/WarpRunner.h"

namespace fa4::emulator {

namespace {

constexpr uint32_t quantum = 512;     // instructions of a warp in a row
constexpr uint32_t slowQuantum = 4;   // under the eager schedule
constexpr uint32_t expiryLimit = 8;   // time limits without any progress
constexpr uint32_t pollLimit = 1024;  // of loads that may only look like polls
constexpr uint32_t silentRounds = 64; // polling rounds until it counts as idle

class Scheduler {
public:
  explicit Scheduler(Machine &machine) : machine(machine) {}

  void run();

private:
  bool round();
  bool randomRound();
  bool visitWarps(uint32_t instructions, bool drainAfterEach);
  void act(size_t queue);
  void drain();
  void idle();
  void checkSteps();

  Machine &machine;
  uint64_t progressAtExpiry = 0;
  uint64_t progressSeen = 0, stepsThen = 0; // for livelocks
  uint32_t expiries = 0;
  uint32_t silent = 0;
};

void Scheduler::act(size_t queue) {
  AsyncOperation operation = machine.async.take(queue);
  machine.current = operation.instruction;
  auto &lines = machine.statistics.asyncLines;
  if (lines.size() <= operation.ordinal)
    lines.resize(operation.ordinal + 1);
  lines[operation.ordinal] = operation.instruction->line;
  operation.act();
  ++machine.progress;
}

void Scheduler::drain() {
  while (auto queue = machine.async.oldest(machine.options.delayed))
    act(*queue);
}

void Scheduler::checkSteps() {
  if (machine.steps > machine.options.stepLimit)
    fault("limit",
          fmt::format("no end after {} warp instructions", machine.steps));
  if (machine.progress != progressSeen) {
    progressSeen = machine.progress;
    stepsThen = machine.steps;
  } else if (machine.steps - stepsThen > machine.options.livelockLimit) {
    fault("livelock", describeLivelock(machine));
  }
}

bool Scheduler::visitWarps(uint32_t instructions, bool drainAfterEach) {
  bool moved = false;
  const bool eager = machine.options.schedule == Schedule::Eager;
  for (auto &cluster : machine.resident) {
    for (auto &cta : cluster->ctas) {
      for (auto &warp : cta->warps) {
        if (warp->finished())
          continue;
        moved |= runWarp(machine, *warp, instructions, eager) > 0;
        if (drainAfterEach)
          drain();
      }
    }
  }
  return moved;
}

/// False if nothing could act.
bool Scheduler::round() {
  switch (machine.options.schedule) {
  case Schedule::Fifo:
    return visitWarps(quantum, true);
  case Schedule::Eager:
    return visitWarps(slowQuantum, true);
  case Schedule::Random:
    return randomRound();
  case Schedule::Late:
    break;
  }
  const uint64_t before = machine.progress;
  bool moved = visitWarps(quantum, false);
  // Warps that only poll would never let the units act.
  silent = machine.progress == before ? silent + 1 : 0;
  if ((moved && silent < silentRounds) || machine.async.empty())
    return moved;
  silent = 0;
  act(machine.random() % machine.async.queueCount());
  return true;
}

bool Scheduler::randomRound() {
  std::vector<Warp *> warps;
  for (auto &cluster : machine.resident) {
    for (auto &cta : cluster->ctas)
      for (auto &warp : cta->warps)
        if (canRun(machine, *warp))
          warps.push_back(warp.get());
  }
  const size_t choices = warps.size() + machine.async.queueCount();
  if (choices == 0)
    return false;
  size_t choice = machine.random() % choices;
  if (choice >= warps.size()) {
    act(choice - warps.size());
    return true;
  }
  auto length = static_cast<uint32_t>(1 + machine.random() % quantum);
  return runWarp(machine, *warps[choice], length, false) > 0;
}

/// Nothing can act: suspended try_waits reach their time limit, and if that
/// changes nothing, it is a deadlock.
void Scheduler::idle() {
  if (machine.progress != progressAtExpiry)
    expiries = 0;
  progressAtExpiry = machine.progress;
  const uint32_t limit = anyPolls(machine) ? pollLimit : expiryLimit;
  if (++expiries > limit || !expireWaits(machine))
    fault("deadlock", describeDeadlock(machine));
}

void Scheduler::run() {
  chooseDispatch(machine);
  while (admitClusters(machine)) {
    if (!round()) {
      if (!machine.async.empty())
        act(0);
      else
        idle();
    }
    checkSteps();
    retireClusters(machine);
  }
}

} // namespace

bool runGrid(Machine &machine) {
  try {
    Scheduler(machine).run();
    return true;
  } catch (const Fault &fault) {
    machine.report(fault.check, fault.message);
  } catch (const Error &error) {
    machine.report("invalid", error.what());
  }
  return false;
}

} // namespace fa4::emulator
