// Async operations: forks, accesses, completions; TMEM.
#include "runtime/emulator/check/CheckerState.h"

namespace fa4::emulator {
namespace {

uint32_t threadOf(Actor warp, uint32_t lanes) {
  return warp * 32 + uint32_t(__builtin_ctz(lanes));
}

// Groups that only the newest `pending` committed ones may follow.
Time doneGroups(const GroupState &group, uint32_t pending) {
  const Time committed = group.open - 1;
  return committed > pending ? committed - pending : 0;
}

} // namespace

Actor Checker::State::groupActor(const Who &who, AsyncKind kind) {
  const Actor warp = warpOf(who);
  switch (kind) {
  case AsyncKind::Wgmma:
    return actors.async(ActorKind::Wgmma, who.cta << 16 | who.warp / 4);
  case AsyncKind::CopyAsync:
    return actors.async(ActorKind::CopyAsync, warp);
  default:
    return actors.async(ActorKind::BulkRead, threadOf(warp, who.lanes));
  }
}

AsyncToken Checker::issue(const Who &who, AsyncKind kind) {
  const AsyncToken token = state->nextToken++;
  AsyncOperationState &operation = state->operations[token];
  WarpClocks &clocks = state->clocksOf(who);
  operation.kind = kind;
  operation.site = who.site;
  operation.known = clocks.of(who.lanes);
  clocks.advance();
  const uint32_t thread = threadOf(state->warpOf(who), who.lanes);
  if (kind == AsyncKind::Tensor) {
    operation.readActor = operation.writeActor =
        state->actors.async(ActorKind::TensorQueue, thread);
    operation.time = ++state->queues[thread];
  } else if (kind != AsyncKind::Transaction) {
    operation.readActor = operation.writeActor = state->groupActor(who, kind);
    if (kind == AsyncKind::BulkStore)
      operation.writeActor = state->actors.async(ActorKind::BulkWrite, thread);
    GroupState &group = state->groups[state->groupKey(who, kind)];
    operation.time = group.used = group.open;
    group.site = who.site;
  }
  return token;
}

// Groups of wgmma and cp.async are counted by warp, of bulk stores by thread.
uint64_t Checker::State::groupKey(const Who &who, AsyncKind kind) const {
  const Actor warp = warpOf(who);
  const uint32_t part =
      kind == AsyncKind::BulkStore ? threadOf(warp, who.lanes) : warp;
  return uint64_t(kind) << 32 | part;
}

Accessor Checker::State::accessorOf(const AsyncOperationState &operation,
                                    AccessMode mode, uint32_t mbarrier) {
  Accessor by;
  by.known = &operation.known;
  by.site = operation.site;
  if (operation.kind == AsyncKind::Transaction) {
    by.actor = actors.async(ActorKind::Transaction, mbarrier);
    by.time = mbarriers.at(mbarrier).completions + 1;
  } else {
    by.actor =
        mode == AccessMode::Read ? operation.readActor : operation.writeActor;
    by.time = operation.time;
  }
  by.asyncProxy = operation.kind != AsyncKind::CopyAsync;
  by.inOrder = isInOrder(actors.kind(by.actor));
  return by;
}

void Checker::asyncShared(AsyncToken token, AccessMode mode, uint32_t address,
                          uint32_t bytes, uint32_t mbarrier) {
  state->touchBytes(
      MemoryKind::Shared, address, bytes, mode,
      state->accessorOf(state->operations[token], mode, mbarrier));
}

void Checker::asyncSharedChunks(AsyncToken token, uint32_t cta,
                                std::span<const uint32_t> chunks) {
  state->touchChunks(
      cta, chunks,
      state->accessorOf(state->operations[token], AccessMode::Read, 0));
}

void Checker::asyncGlobal(AsyncToken token, AccessMode mode, uint64_t address,
                          uint64_t bytes, uint32_t mbarrier) {
  Accessor by = state->accessorOf(state->operations[token], mode, mbarrier);
  by.adds = mode == AccessMode::Atomic;
  state->touchBytes(MemoryKind::Global, address, bytes, mode, by);
}

void Checker::asyncTmem(AsyncToken token, AccessMode mode, uint32_t cta,
                        const TmemRect &rect) {
  state->touchRect(cta, rect, mode,
                   state->accessorOf(state->operations[token], mode, 0));
}

void Checker::asyncArrive(AsyncToken token, uint32_t mbarrier) {
  const AsyncOperationState &operation = state->operations[token];
  state->lastSite = operation.site;
  const Accessor by =
      state->accessorOf(operation, AccessMode::Atomic, mbarrier);
  state->touchObject(mbarrier, AccessMode::Atomic, by);
  state->checkInitFence(mbarrier, by);
  ClockPair &target = state->mbarriers.at(mbarrier).arriving;
  operation.known.releaseInto(target);
  if (operation.kind != AsyncKind::Transaction)
    target.generic.raise(by.actor, by.time);
}

void Checker::finish(AsyncToken token) { state->operations.erase(token); }

void Checker::commitGroup(const Who &who, AsyncKind kind) {
  if (kind != AsyncKind::BulkStore) {
    ++state->groups[state->groupKey(who, kind)].open;
    return;
  }
  for (uint32_t rest = who.lanes; rest; rest &= rest - 1) {
    Who thread = who;
    thread.lanes = rest & (0 - rest);
    ++state->groups[state->groupKey(thread, kind)].open;
  }
}

void Checker::waitGroup(const Who &who, AsyncKind kind, uint32_t pending,
                        bool readsOnly) {
  WarpClocks &clocks = state->clocksOf(who);
  const bool byThread = kind == AsyncKind::BulkStore;
  for (uint32_t rest = who.lanes; rest; rest &= rest - 1) {
    Who part = who;
    if (byThread)
      part.lanes = rest & (0 - rest);
    const auto at = state->groups.find(state->groupKey(part, kind));
    if (at != state->groups.end()) {
      const Time done = doneGroups(at->second, pending);
      at->second.waited = std::max(at->second.waited, done);
      clocks.raise(part.lanes, state->groupActor(part, kind), done);
      if (byThread && !readsOnly) {
        at->second.written = std::max(at->second.written, done);
        clocks.raise(
            part.lanes,
            state->actors.async(ActorKind::BulkWrite,
                                threadOf(state->warpOf(who), part.lanes)),
            done);
      }
    }
    if (!byThread)
      return;
  }
  if (state->setup.global && !state->writesBulk(who.cta))
    state->lastWritten[who.cta] = state->setup.global->tick();
}

void Checker::tmemAccess(const Who &who, AccessMode mode,
                         std::span<const TmemRect> rects) {
  WarpClocks &clocks = state->clocksOf(who);
  const Knowledge known = clocks.of(who.lanes);
  const Actor warp = state->warpOf(who);
  const bool load = mode == AccessMode::Read;
  Accessor by;
  by.known = &known;
  by.site = who.site;
  by.actor =
      load ? state->actors.tmemLoad(warp) : state->actors.tmemStore(warp);
  by.time = load ? clocks.loadStamp() : clocks.storeStamp();
  by.lanes = state->setup.families.strict ? who.lanes : 0;
  by.inOrder = isInOrder(state->actors.kind(by.actor));
  for (const TmemRect &rect : rects)
    state->touchRect(who.cta, rect, mode, by);
}

void Checker::tmemWait(const Who &who, AccessMode mode) {
  if (mode == AccessMode::Read)
    state->clocksOf(who).waitLoads();
  else
    state->clocksOf(who).waitStores();
}

void Checker::tmemAllocate(const Who &who, uint32_t column, uint32_t columns) {
  std::vector<Cell> &cells = state->tmemCellsOf(who.cta);
  for (uint32_t i = column * 8; i < (column + columns) * 8; ++i)
    cells[i].reset();
}

void Checker::tmemDeallocate(const Who &who, uint32_t column,
                             uint32_t columns) {
  Knowledge known = state->clocksOf(who).of(who.lanes);
  Accessor by;
  by.known = &known;
  by.actor = state->warpOf(who);
  by.lanes = who.lanes;
  by.time = state->clocksOf(who).now();
  by.site = who.site;
  state->touchRect(who.cta, {0, tmemLanes, column, columns}, AccessMode::Write,
                   by);
}

void Checker::finishCluster() {
  for (const auto &[key, group] : state->groups) {
    if (key >> 32 == uint64_t(AsyncKind::Wgmma) && group.used > group.waited) {
      state->report("race",
                    fmt::format("the kernel ends while the wgmma at {} was not "
                                "waited for; wgmma.commit_group and wait_group "
                                "must come first",
                                state->setup.describe(group.site)),
                    group.site);
    }
  }
}

} // namespace fa4::emulator
