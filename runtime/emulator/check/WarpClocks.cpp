#include "runtime/emulator/check/WarpClocks.h"
#include <algorithm>

namespace fa4::emulator {
namespace {

// Own lanes by program order, the others by what was joined.
bool knowsOwnWarp(const Knowledge &k, const VectorClock &clock,
                  uint32_t actorLanes, Time time, Time own, Time joined) {
  if (time <= joined || time <= clock.time(k.warp))
    return true;
  // Several lanes together only know what each of them knows.
  const bool single = (k.lanes & (k.lanes - 1)) == 0;
  for (uint32_t rest = actorLanes; rest; rest &= rest - 1) {
    const auto lane = uint32_t(__builtin_ctz(rest));
    const bool mine = k.whole || (single && k.lanes >> lane & 1);
    if (!(mine && time <= own) && clock.laneTime(k.warp, lane) < time)
      return false;
  }
  return true;
}

bool knowsOtherWarp(const VectorClock &clock, Actor actor, uint32_t lanes,
                    Time time) {
  if (time <= clock.time(actor))
    return true;
  if (lanes == 0)
    return false;
  for (; lanes; lanes &= lanes - 1)
    if (clock.laneTime(actor, uint32_t(__builtin_ctz(lanes))) < time)
      return false;
  return true;
}

} // namespace

bool Knowledge::knows(Actor actor, uint32_t actorLanes, Time time) const {
  const VectorClock &clock = clocks->generic;
  if (actor == warp)
    return knowsOwnWarp(*this, clock, actorLanes, time, now, joined);
  if (actor == warpCount + warp && time <= waited.loads)
    return true;
  if (actor == 2 * warpCount + warp && time <= waited.stores)
    return true;
  return knowsOtherWarp(clock, actor, actorLanes, time);
}

bool Knowledge::knewAtFence(Actor actor, uint32_t actorLanes, Time time) const {
  return knowsOtherWarp(tensorClocks->generic, actor, actorLanes, time);
}

bool Knowledge::exposes(Actor actor, uint32_t actorLanes, Time time) const {
  const VectorClock &clock = clocks->async;
  if (actor == warp)
    return knowsOwnWarp(*this, clock, actorLanes, time, fenced, joinedFenced);
  return knowsOtherWarp(clock, actor, actorLanes, time);
}

void Knowledge::releaseInto(ClockPair &target) const {
  target.join(*clocks);
  target.generic.raise(warp, joined);
  target.async.raise(warp, joinedFenced);
  target.generic.raiseLanes(warp, whole ? ~0u : lanes, now);
  target.async.raiseLanes(warp, whole ? ~0u : lanes, fenced);
  const auto pass = [&](Actor kind, Time all, Time own) {
    const Actor actor = kind * warpCount + warp;
    target.generic.raise(actor, all);
    target.generic.raiseLanes(actor, whole ? ~0u : lanes, own);
  };
  pass(1, shared.loads, waited.loads);
  pass(2, shared.stores, waited.stores);
  pass(3, shared.fencedLoads, waited.fencedLoads);
  pass(4, shared.fencedStores, waited.fencedStores);
}

WarpClocks::WarpClocks(Actor actor, Actor count, uint32_t lanes, bool strict)
    : warp(actor), warpCount(count), live(lanes), strict(strict) {
  const auto clocks = std::make_shared<ClockPair>();
  groups.push_back({lanes, clocks, clocks, 0, 0, 0});
}

ClockPair &WarpClocks::writable(Group &group) {
  if (group.clocks.use_count() > 1)
    group.clocks = std::make_shared<ClockPair>(*group.clocks);
  return *group.clocks;
}

template <typename Visit>
void WarpClocks::forGroups(uint32_t lanes, Visit visit) {
  const size_t count = groups.size();
  for (size_t i = 0; i < count; ++i) {
    const uint32_t inside = groups[i].lanes & lanes;
    if (!inside)
      continue;
    if (inside != groups[i].lanes && (groups[i].lanes & live & ~lanes)) {
      Group rest = groups[i];
      rest.lanes &= ~lanes;
      groups[i].lanes = inside;
      groups.push_back(std::move(rest));
    }
    visit(groups[i]);
  }
}

Knowledge WarpClocks::of(uint32_t lanes) const {
  const uint32_t first = lanes & (0 - lanes);
  const Group *own = &groups[0];
  for (const Group &group : groups)
    if (group.lanes & first)
      own = &group;
  Knowledge k;
  k.clocks = own->clocks;
  k.tensorClocks = own->tensorClocks;
  k.warp = warp;
  k.warpCount = warpCount;
  k.lanes = lanes;
  k.whole = (lanes & live) == live;
  k.now = current;
  k.joined = own->joined;
  k.fenced = own->fenced;
  k.joinedFenced = own->joinedFenced;
  k.waited = waited;
  k.shared = strict ? shared : waited;
  return k;
}

uint32_t WarpClocks::peersOf(uint32_t lane) const {
  for (const Group &group : groups)
    if (group.lanes >> lane & 1)
      return group.lanes;
  return 1u << lane;
}

void WarpClocks::fenceAfter(uint32_t lanes) {
  forGroups(lanes, [](Group &group) { group.tensorClocks = group.clocks; });
}

void WarpClocks::acquire(uint32_t lanes, const ClockPair &source) {
  forGroups(lanes, [&](Group &group) {
    if (!group.clocks->covers(source))
      writable(group).join(source);
  });
}

void WarpClocks::raise(uint32_t lanes, Actor actor, Time time) {
  forGroups(lanes, [&](Group &group) {
    if (group.clocks->generic.time(actor) < time)
      writable(group).generic.raise(actor, time);
  });
}

void WarpClocks::joinLanes(uint32_t lanes) {
  lanes &= live;
  const bool whole = lanes == live;
  if (whole)
    shared = waited;
  if (whole && groups.size() == 1) {
    groups[0].joined = current;
    groups[0].joinedFenced = groups[0].fenced;
    return advance();
  }
  Group merged = {lanes, nullptr, nullptr, 0, ~0u, 0};
  forGroups(lanes, [&](Group &group) {
    if (!merged.clocks)
      merged.clocks = std::make_shared<ClockPair>(*group.clocks);
    else
      merged.clocks->join(*group.clocks);
    if (!merged.tensorClocks ||
        group.tensorClocks->covers(*merged.tensorClocks))
      merged.tensorClocks = group.tensorClocks;
    merged.joined = std::max(merged.joined, group.joined);
    merged.joinedFenced = std::max(merged.joinedFenced, group.joinedFenced);
    merged.fenced = std::min(merged.fenced, group.fenced);
    merged.clocks->async.raiseLanes(warp, group.lanes, group.fenced);
  });
  if (!merged.clocks)
    return;
  if (whole) {
    merged.joined = current;
    merged.joinedFenced = std::max(merged.joinedFenced, merged.fenced);
  } else {
    merged.clocks->generic.raiseLanes(warp, lanes, current);
  }
  std::erase_if(groups, [&](const Group &group) {
    return (group.lanes & ~lanes & live) == 0;
  });
  groups.push_back(std::move(merged));
  advance();
}

void WarpClocks::fenceAsync(uint32_t lanes) {
  forGroups(lanes, [&](Group &group) {
    if (!group.clocks->async.covers(group.clocks->generic)) {
      ClockPair &clocks = writable(group);
      clocks.async.join(clocks.generic);
    }
    group.fenced = current;
    group.joinedFenced = group.joined;
  });
  advance();
}

} // namespace fa4::emulator
