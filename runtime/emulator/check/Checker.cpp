// Threads: their accesses, fences and barriers.
#include "runtime/emulator/check/CheckerState.h"

#include <algorithm>

namespace fa4::emulator {

Checker::State::State(CheckerSetup given)
    : setup(std::move(given)), actors(setup.ctas, setup.warps, setup.warpNames),
      shared(setup.ctas), tmem(setup.ctas),
      priorGrid(actors.async(ActorKind::PriorGrid, 0)), visits(setup.ctas) {
  for (uint32_t cta = 0; cta < setup.ctas; ++cta) {
    for (uint32_t warp = 0; warp < setup.warps; ++warp) {
      const bool last = warp + 1 == setup.warps && setup.lastWarpLanes < 32;
      const uint32_t lanes = last ? (1u << setup.lastWarpLanes) - 1 : ~0u;
      warps.emplace_back(actors.warp(cta, warp), actors.warpCount(), lanes,
                         setup.families.strict);
    }
  }
  for (std::vector<Cell> &cells : shared)
    cells.resize((setup.sharedBytes + 15) / 16);
}

void Checker::State::release(const Who &who, ClockPair &target) {
  forGroups(who, [&](const Knowledge &known, uint32_t) {
    known.releaseInto(target);
  });
  clocksOf(who).advance();
}

Checker::Checker(CheckerSetup setup)
    : state(std::make_unique<State>(std::move(setup))) {}
Checker::~Checker() = default;

void Checker::access(const Who &who, const MemoryAccess &what,
                     const uint64_t *addresses) {
  const Actor warp = state->warpOf(who);
  Accessor by;
  by.actor = warp;
  by.time = state->clocksOf(who).now();
  by.site = who.site;
  state->forGroups(who, [&](Knowledge &known, uint32_t group) {
    Accessor single = by;
    single.known = &known;
    known.whole = false;
    for (; group; group &= group - 1) {
      const auto lane = uint32_t(__builtin_ctz(group));
      if (what.memory == MemoryKind::Shared)
        state->visit({who.cta, who.warp, 1u << lane, who.site},
                     addresses[lane]);
      known.lanes = single.lanes = 1u << lane;
      state->touchBytes(what.memory, addresses[lane], what.bytes, what.mode,
                        single);
    }
  });
}

void Checker::synchronize(const Who &who, const MemoryAccess &what,
                          const uint64_t *addresses, SyncOrder order) {
  const Actor warp = state->warpOf(who);
  WarpClocks &clocks = state->clocksOf(who);
  for (uint32_t rest = who.lanes; rest; rest &= rest - 1) {
    const auto lane = uint32_t(__builtin_ctz(rest));
    ClockPair &location =
        state->locations[uint64_t(what.memory) << 62 | addresses[lane] >> 2];
    if (state->setup.global && what.memory == MemoryKind::Global)
      state->synchronizeClusters(who.cta, what.mode, addresses[lane] >> 2,
                                 order);
    // Acquire first: a read-modify-write sees what was there.
    if (what.mode != AccessMode::Write) {
      if (order.acquire)
        clocks.acquire(1u << lane, location);
      else
        state->unfenced[warp].join(location);
    }
    if (what.mode == AccessMode::Read)
      continue;
    if (order.release)
      clocks.of(1u << lane).releaseInto(location);
    else if (const auto at = state->fenced.find(warp);
             at != state->fenced.end())
      location.join(at->second);
  }
  clocks.advance();
}

// A relaxed access orders what a fence of the cluster stands behind (a read)
// or before (a write). Additions are ordered once they are complete.
void Checker::State::synchronizeClusters(uint32_t cta, AccessMode mode,
                                         uint64_t location, SyncOrder order) {
  if (mode != AccessMode::Write) {
    if (order.acquire)
      setup.global->observe(setup.cluster, location);
    else
      unfencedLocations.insert(location);
  }
  if (mode == AccessMode::Read)
    return;
  uint64_t time = order.release ? setup.global->tick() : lastFence;
  if (setup.families.order && writesBulk(cta))
    time = std::min(time, lastWritten[cta]);
  setup.global->publish(setup.cluster, location, time);
}

bool Checker::State::writesBulk(uint32_t cta) const {
  return std::any_of(groups.begin(), groups.end(), [&](const auto &group) {
    const auto [key, state] = group;
    return key >> 32 == uint64_t(AsyncKind::BulkStore) &&
           actors.ctaOf(uint32_t(key) / 32) == cta &&
           state.used > state.written;
  });
}

void Checker::warpSync(const Who &who) {
  state->clocksOf(who).joinLanes(who.lanes);
}

void Checker::alignedSync(const Who &who) {
  if (!state->setup.families.strict)
    warpSync(who);
}

void Checker::fence(const Who &who, FenceKind kind) {
  WarpClocks &clocks = state->clocksOf(who);
  const Actor warp = state->warpOf(who);
  if (kind == FenceKind::MbarrierInit || kind == FenceKind::ProxyAsync ||
      kind == FenceKind::ProxyAsyncShared)
    std::erase_if(state->unfencedInits,
                  [&](const auto &init) { return init.second == warp; });
  switch (kind) {
  case FenceKind::Memory:
  case FenceKind::MbarrierInit:
    clocks.acquire(who.lanes, state->unfenced[warp]);
    for (uint64_t location : std::exchange(state->unfencedLocations, {}))
      state->setup.global->observe(state->setup.cluster, location);
    if (state->setup.global && kind == FenceKind::Memory)
      state->lastFence = state->setup.global->tick();
    return state->release(who, state->fenced[warp]);
  case FenceKind::ProxyAsync:
  case FenceKind::ProxyAsyncShared:
    return clocks.fenceAsync(who.lanes);
  case FenceKind::TcgenBefore:
    return clocks.fenceBefore();
  case FenceKind::TcgenAfter:
    return clocks.fenceAfter(who.lanes);
  case FenceKind::ProxyAsyncGlobal:
  case FenceKind::TensormapAcquire:
    return;
  }
}

void Checker::gridWait(const Who &who) {
  state->clocksOf(who).raise(who.lanes, state->priorGrid, 1);
}

void Checker::barrierArrive(const Who &who, uint32_t id) {
  state->release(who, state->barriers[who.cta * 16 + id].arriving);
}

void Checker::barrierComplete(uint32_t cta, uint32_t id) {
  BarrierClocks &barrier = state->barriers[cta * 16 + id];
  barrier.completed = std::move(barrier.arriving);
  barrier.arriving = {};
}

void Checker::barrierPass(const Who &who, uint32_t id) {
  state->acquire(who, state->barriers[who.cta * 16 + id].completed);
}

void Checker::clusterArrive(const Who &who, bool relaxed) {
  ClockPair &target = state->clusterBarrier.arriving;
  if (!relaxed)
    return state->release(who, target);
  const auto fenced = state->fenced.find(state->warpOf(who));
  if (fenced != state->fenced.end())
    target.join(fenced->second);
}

void Checker::clusterComplete() {
  state->clusterBarrier.completed = std::move(state->clusterBarrier.arriving);
  state->clusterBarrier.arriving = {};
}

void Checker::clusterWait(const Who &who) {
  state->acquire(who, state->clusterBarrier.completed);
}

void Checker::exitLanes(const Who &who) {
  for (uint32_t rest = who.lanes; rest; rest &= rest - 1) {
    const auto lane = uint32_t(__builtin_ctz(rest));
    Who thread = who;
    thread.lanes = 1u << lane;
    const auto at =
        state->groups.find(state->groupKey(thread, AsyncKind::BulkStore));
    if (at == state->groups.end() || at->second.used <= at->second.waited)
      continue;
    state->report(
        "race",
        fmt::format("{} lane {} exits while a bulk store that it issued at {} "
                    "may still read shared memory; cp.async.bulk.commit_group "
                    "and wait_group.read must come first",
                    state->actors.warpName(state->warpOf(who)), lane,
                    state->setup.describe(at->second.site)),
        who.site, at->second.site);
  }
  state->leave(who);
  state->clocksOf(who).exit(who.lanes);
}

void Checker::State::visit(const Who &who, uint64_t address) {
  const auto cta = uint32_t(address >> 24);
  if (cta == who.cta || cta >= visits.size())
    return;
  CtaVisits &host = visits[cta];
  const CtaVisits::Visit now{warpOf(who), who.lanes, clocksOf(who).now(),
                             who.site};
  if (host.gone)
    return reportGone(cta, now);
  for (CtaVisits::Visit &earlier : host.visits) {
    if (earlier.actor == now.actor && earlier.lanes == now.lanes) {
      earlier = now;
      return;
    }
  }
  host.visits.push_back(now);
}

// A CTA lives until its last thread leaves: one that knows of a visit is
// enough.
void Checker::State::leave(const Who &who) {
  if (setup.ctas == 1)
    return;
  CtaVisits &host = visits[who.cta];
  forGroups(who, [&](const Knowledge &known, uint32_t) {
    known.releaseInto(host.left);
  });
  for (uint32_t warp = 0; warp < setup.warps; ++warp) {
    const uint32_t live = warps[actors.warp(who.cta, warp)].liveLanes();
    if (live & ~(warp == who.warp ? who.lanes : 0))
      return;
  }
  host.gone = true;
  for (const CtaVisits::Visit &visit : host.visits) {
    for (uint32_t rest = visit.lanes; rest; rest &= rest - 1) {
      if (host.left.generic.laneTime(
              visit.actor, uint32_t(__builtin_ctz(rest))) < visit.time) {
        reportGone(who.cta, visit);
        break;
      }
    }
  }
}

void Checker::State::reportGone(uint32_t cta, const CtaVisits::Visit &visit) {
  report("race",
         fmt::format("cta {} may have left when {} uses its shared memory at "
                     "{}; missing: a cluster barrier between the access and "
                     "the end of cta {}",
                     cta, partyName(visit.actor, visit.lanes),
                     setup.describe(visit.site), cta),
         visit.site);
}

void Checker::mbarrierInit(const Who &who, uint32_t address) {
  const std::string wrong = state->mbarriers.init(address);
  if (!wrong.empty())
    state->report("barrier", wrong, who.site);
  MbarrierClocks &barrier = state->mbarriers.at(address);
  barrier.transactions = state->actors.async(ActorKind::Transaction, address);
  state->touchThreadObject(who, address, AccessMode::Write);
  state->setObject(address, true);
  if (state->setup.families.strict)
    state->unfencedInits[address] = state->warpOf(who);
}

void Checker::mbarrierInvalidate(const Who &who, uint32_t address) {
  state->touchThreadObject(who, address, AccessMode::Write);
  state->setObject(address, false);
  state->mbarriers.invalidate(address);
}

void Checker::mbarrierExpect(const Who &who, uint32_t address) {
  state->touchThreadObject(who, address, AccessMode::Atomic);
}

void Checker::mbarrierArrive(const Who &who, uint32_t address) {
  state->visit(who, address);
  state->touchThreadObject(who, address, AccessMode::Atomic);
  state->release(who, state->mbarriers.at(address).arriving);
}

void Checker::mbarrierComplete(uint32_t address) {
  if (const auto slow = state->mbarriers.unseenBy(address)) {
    state->report(
        "strict",
        fmt::format("a phase of the mbarrier at {:#x} completes while {} may "
                    "not yet have seen, at {}, that the phase before did: the "
                    "parity would turn back under its wait; missing: "
                    "bar.warp.sync between that wait and the arrival that lets "
                    "the mbarrier go on",
                    address, state->partyName(slow->warp, slow->lanes),
                    state->setup.describe(slow->site)),
        slow->site);
  }
  const std::string wrong = state->mbarriers.completePhase(address);
  if (!wrong.empty())
    state->report("barrier", wrong, state->lastSite);
}

void Checker::mbarrierTest(const Who &who, uint32_t address, bool passed) {
  state->touchThreadObject(who, address, AccessMode::Atomic);
  state->mbarriers.test(address, state->warpOf(who), passed);
  if (passed && state->setup.families.strict)
    state->mbarriers.observe(address, {state->warpOf(who), who.lanes,
                                       state->clocksOf(who).now(), who.site});
  if (passed)
    state->acquire(who, state->mbarriers.at(address).completed);
}

} // namespace fa4::emulator
