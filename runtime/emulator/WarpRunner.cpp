#include "runtime/emulator/WarpRunner.h"

#include "runtime/emulator/Announce.h"
#include "runtime/emulator/Lanes.h"
#include "runtime/emulator/Machine.h"
#include "runtime/emulator/Waiting.h"

#include <fmt/format.h>

#include <algorithm>

namespace fa4::emulator {

namespace {

constexpr uint32_t longLoop = 64; // backward jumps before others get a turn

class WarpRunner {
public:
  WarpRunner(Machine &machine, Warp &warp)
      : machine(machine), warp(warp), function(machine.function) {}

  uint32_t run(uint32_t quantum, bool stopAtAsync);
  bool anyRunnable();

private:
  Fragment *choose();
  void wake();
  void announceResume(const Fragment &fragment);
  void releaseWarpSync();
  void merge();
  bool converged(Fragment &fragment);
  void reportParting(const Fragment &fragment);
  bool step(Fragment &fragment);
  bool execute(Fragment &fragment, const Instruction &i, uint32_t mask);
  bool executeWatched(Fragment &fragment, const Instruction &i, uint32_t mask);
  bool movesLoad(const Instruction &i);
  void touchRegisters(const Instruction &i);
  void reportTouch(const Instruction &i, const RegistersInFlight::Use &use);
  void exitLanes(Fragment &fragment, uint32_t mask);
  [[noreturn]] void diverged(const Instruction &i, const Fragment &fragment,
                             uint32_t mask);

  Machine &machine;
  Warp &warp;
  const Function &function;
};

/// The wait is over: what it waited for happens before what follows.
void WarpRunner::announceResume(const Fragment &fragment) {
  const Wait &wait = fragment.wait;
  if (wait.kind == WaitKind::WgmmaGroup)
    warp.inFlight.groupsDone(wait.id);
  Checker *checker = warp.cta->cluster->checker.get();
  if (!checker)
    return;
  const Who who = whoOf(warp, fragment.pc, fragment.mask);
  Who waiting = who;
  waiting.lanes = wait.mask;
  switch (wait.kind) {
  case WaitKind::NamedBarrier:
    return checker->barrierPass(who, wait.id);
  case WaitKind::ClusterBarrier:
    return checker->clusterWait(who);
  case WaitKind::BulkGroup:
    return checker->waitGroup(waiting, AsyncKind::BulkStore, wait.id,
                              wait.parity);
  case WaitKind::CopyGroup:
    return checker->waitGroup(waiting, AsyncKind::CopyAsync, wait.id);
  case WaitKind::WgmmaGroup:
    return checker->waitGroup(who, AsyncKind::Wgmma, wait.id);
  default:
    return;
  }
}

void WarpRunner::wake() {
  for (Fragment &fragment : warp.fragments) {
    Wait &wait = fragment.wait;
    if (wait.kind == WaitKind::None || wait.kind == WaitKind::Converge ||
        !ready(machine, warp, fragment))
      continue;
    announceResume(fragment);
    if (wait.resume)
      ++fragment.pc;
    // A try_wait that is executed again must know that its time is over.
    bool expired = wait.expired;
    wait = {};
    wait.expired = expired;
  }
}

void WarpRunner::releaseWarpSync() {
  uint32_t waiting = 0;
  for (const Fragment &fragment : warp.fragments)
    if (fragment.wait.kind == WaitKind::WarpSync)
      waiting |= fragment.mask;
  if (!waiting)
    return;
  Who released = whoOf(warp, 0, 0);
  for (Fragment &fragment : warp.fragments) {
    if (fragment.wait.kind != WaitKind::WarpSync ||
        (fragment.wait.mask & warp.live & ~waiting) != 0)
      continue;
    released.lanes |= fragment.mask;
    ++fragment.pc;
    fragment.wait = {};
  }
  Checker *checker = warp.cta->cluster->checker.get();
  if (checker && released.lanes)
    checker->warpSync(released);
}

void WarpRunner::merge() {
  auto &fragments = warp.fragments;
  auto mergeable = [](const Fragment &f) {
    return f.wait.kind == WaitKind::None || f.wait.kind == WaitKind::Converge;
  };
  for (size_t a = 0; a < fragments.size(); ++a) {
    for (size_t b = fragments.size(); b-- > a + 1;) {
      if (fragments[a].pc != fragments[b].pc || !mergeable(fragments[a]) ||
          !mergeable(fragments[b]))
        continue;
      fragments[a].mask |= fragments[b].mask;
      fragments[a].backward = 0;
      fragments[a].wait = {};
      fragments.erase(fragments.begin() + static_cast<std::ptrdiff_t>(b));
    }
  }
}

/// True if all lanes that the instruction needs are in the fragment.
bool WarpRunner::converged(Fragment &fragment) {
  const Instruction &i = function.code[fragment.pc];
  if (i.convergence == Convergence::None)
    return true;
  uint32_t needed = warp.live;
  if (i.convergence == Convergence::MaskOperand) {
    Context c{machine, function, *warp.cta, warp, fragment, fragment.mask};
    needed &= static_cast<uint32_t>(
        uniformValue(c, c.operand(i, i.with.maskOperand)));
  }
  return (needed & ~fragment.mask) == 0;
}

/// The other lanes wait for something, too. Hardware may bring the lanes
/// together here; PTX does not promise it.
void WarpRunner::reportParting(const Fragment &fragment) {
  const Instruction &i = function.code[fragment.pc];
  if (i.convergence != Convergence::Aligned)
    return;
  const Instruction *current = machine.current;
  machine.current = &i;
  machine.report(
      "strict", fmt::format("{} waits for lanes of {} that are elsewhere (here "
                            "are 0x{:x}); missing: bar.warp.sync before it",
                            machine.program.opcodes[i.opcode],
                            describe(warp, static_cast<uint32_t>(
                                               __builtin_ctz(fragment.mask))),
                            fragment.mask));
  machine.current = current;
}

Fragment *WarpRunner::choose() {
  if (warp.fragments.size() > 1) {
    releaseWarpSync();
    wake();
    merge();
  } else if (warp.fragments[0].wait.kind != WaitKind::None) {
    releaseWarpSync();
    wake();
  }
  Fragment *best = nullptr;
  for (Fragment &fragment : warp.fragments) {
    if (fragment.wait.kind == WaitKind::Converge && converged(fragment))
      fragment.wait = {};
    if (fragment.wait.kind != WaitKind::None)
      continue;
    if (!converged(fragment)) {
      fragment.wait.kind = WaitKind::Converge;
      continue;
    }
    auto rank = [](const Fragment &f) {
      return std::pair(f.backward / longLoop, f.pc);
    };
    if (!best || rank(fragment) < rank(*best))
      best = &fragment;
  }
  if (!best && machine.options.checks.strict)
    for (const Fragment &fragment : warp.fragments)
      if (fragment.wait.kind == WaitKind::Converge)
        reportParting(fragment);
  return best;
}

void WarpRunner::diverged(const Instruction &i, const Fragment &fragment,
                          uint32_t mask) {
  fault("divergence",
        fmt::format("{} is executed by lanes 0x{:x} of 0x{:x} of {}",
                    machine.program.opcodes[i.opcode], mask, fragment.mask,
                    describe(warp, static_cast<uint32_t>(
                                       __builtin_ctz(fragment.mask)))));
}

void WarpRunner::exitLanes(Fragment &fragment, uint32_t mask) {
  if (Checker *checker = warp.cta->cluster->checker.get())
    checker->exitLanes(whoOf(warp, fragment.pc, mask));
  warp.live &= ~mask;
  fragment.mask &= ~mask;
  ++fragment.pc;
  if (!fragment.mask)
    warp.fragments.erase(warp.fragments.begin() +
                         (&fragment - warp.fragments.data()));
  ++machine.progress;
  Cluster &cluster = *warp.cta->cluster;
  cluster.liveLanes -= static_cast<uint32_t>(__builtin_popcount(mask));
  completeClusterBarrier(cluster);
  if (warp.live)
    return;
  --warp.cta->liveWarps;
  for (NamedBarrier &barrier : warp.cta->barriers)
    if (barrier.wholeCta)
      completeBarrier(*warp.cta, barrier);
}

/// True if the same fragment may go on.
bool WarpRunner::execute(Fragment &fragment, const Instruction &i,
                         uint32_t mask) {
  Context c{machine, function, *warp.cta, warp, fragment, mask};
  switch (i.execute(c, i)) {
  case Outcome::Next:
    ++fragment.pc;
    return true;
  case Outcome::Jump:
    return warp.fragments.size() == 1;
  case Outcome::Block:
    return false;
  case Outcome::Exit:
    exitLanes(fragment, mask);
    return false;
  }
  return false;
}

/// A move does not look at the value: its registers wait for it as well.
bool WarpRunner::movesLoad(const Instruction &i) {
  RegistersInFlight::Use moved;
  for (uint32_t n = 0; n < i.operandCount; ++n)
    if (auto use = warp.inFlight.of(function.operand(i, n));
        use.kind == RegistersInFlight::Kind::Load)
      moved = use;
  if (moved.kind == RegistersInFlight::Kind::None ||
      !machine.program.opcodes[i.opcode].starts_with("mov."))
    return false;
  for (uint32_t n = 0; n < i.operandCount; ++n)
    warp.inFlight.loads(function.operand(i, n), moved.site);
  return true;
}

void WarpRunner::reportTouch(const Instruction &i,
                             const RegistersInFlight::Use &use) {
  const std::string &opcode = machine.program.opcodes[i.opcode];
  const std::string owner = describeSite(machine, use.site);
  switch (use.kind) {
  case RegistersInFlight::Kind::None:
    return;
  case RegistersInFlight::Kind::Load:
    return machine.report(
        "strict", fmt::format("{} touches a register that the load at {} still "
                              "writes; missing: tcgen05.wait::ld before it",
                              opcode, owner));
  case RegistersInFlight::Kind::Accumulator:
  case RegistersInFlight::Kind::Operand:
    return machine.report(
        "race",
        fmt::format("{} {} register of the product at {}, which is in flight; "
                    "missing: wgmma.commit_group and wait_group before it",
                    opcode,
                    use.kind == RegistersInFlight::Kind::Operand
                        ? "changes an operand"
                        : "touches an accumulator",
                    owner));
  }
}

/// As execute, with a report for registers that belong to an async operation.
bool WarpRunner::executeWatched(Fragment &fragment, const Instruction &i,
                                uint32_t mask) {
  // wgmma is in order with wgmma.
  if (i.isWgmma || (warp.inFlight.anyLoad() && movesLoad(i)))
    return execute(fragment, i, mask);
  std::vector<std::pair<const Operand *, std::vector<uint32_t>>> before;
  for (uint32_t n = 0; n < i.operandCount; ++n) {
    const Operand &o = function.operand(i, n);
    const auto use = warp.inFlight.of(o);
    if (use.kind == RegistersInFlight::Kind::None)
      continue;
    if (use.kind != RegistersInFlight::Kind::Operand)
      reportTouch(i, use);
    else // it may be read
      before.emplace_back(
          &o, std::vector(warp.row32(o.index), warp.row32(o.index) + 32));
  }
  const bool more = execute(fragment, i, mask);
  for (const auto &[operand, row] : before)
    if (!std::equal(row.begin(), row.end(), warp.row32(operand->index)))
      reportTouch(i, warp.inFlight.of(*operand));
  return more;
}

void WarpRunner::touchRegisters(const Instruction &i) {
  for (uint32_t n = 0; n < i.operandCount; ++n)
    warp.inFlight.touch(function.operand(i, n));
}

bool WarpRunner::step(Fragment &fragment) {
  const Instruction &i = function.code[fragment.pc];
  machine.current = &i;
  ++machine.executed[fragment.pc];
  ++machine.steps;
  uint32_t mask = fragment.mask;
  if (i.guard >= 0) {
    uint32_t predicate = warp.predicates[static_cast<size_t>(i.guard)];
    mask &= i.guardNegated ? ~predicate : predicate;
    if (!mask) {
      ++fragment.pc;
      return true;
    }
    if (i.convergence == Convergence::Aligned && mask != fragment.mask)
      diverged(i, fragment, mask);
  }
  if (machine.watchesFragments && !i.isWgmma) [[unlikely]]
    touchRegisters(i);
  return warp.inFlight.any() ? executeWatched(fragment, i, mask)
                             : execute(fragment, i, mask);
}

uint32_t WarpRunner::run(uint32_t quantum, bool stopAtAsync) {
  uint32_t ran = 0;
  while (ran < quantum && warp.live) {
    Fragment *fragment = choose();
    if (!fragment)
      break;
    const bool alone = warp.fragments.size() == 1;
    if (alone)
      fragment->backward = 0;
    while (ran < quantum) {
      const Instruction &i = function.code[fragment->pc];
      if (i.convergence != Convergence::None && !converged(*fragment))
        break; // choose() lets it wait
      const bool async = i.startsAsync;
      ++ran;
      bool more = step(*fragment);
      if (async && stopAtAsync)
        return ran;
      if (!more || !alone)
        break;
    }
  }
  return ran;
}

bool WarpRunner::anyRunnable() { return warp.live && choose() != nullptr; }

} // namespace

uint32_t runWarp(Machine &machine, Warp &warp, uint32_t quantum,
                 bool stopAtAsync) {
  return WarpRunner(machine, warp).run(quantum, stopAtAsync);
}

bool canRun(Machine &machine, Warp &warp) {
  return WarpRunner(machine, warp).anyRunnable();
}

} // namespace fa4::emulator
