#include "runtime/emulator/check/VectorClock.h"
#include <algorithm>

namespace fa4::emulator {

Time VectorClock::laneTime(Actor warp, uint32_t lane) const {
  const Time whole = time(warp);
  const uint32_t thread = warp * 32 + lane;
  for (const LaneTime &entry : lanes)
    if (entry.thread == thread)
      return std::max(whole, entry.time);
  return whole;
}

void VectorClock::raise(Actor actor, Time time) {
  if (time == 0)
    return;
  if (actor >= times.size())
    times.resize(actor + 1);
  if (times[actor] >= time)
    return;
  times[actor] = time;
  std::erase_if(lanes, [&](const LaneTime &entry) {
    return entry.thread / 32 == actor && entry.time <= time;
  });
}

void VectorClock::raiseLane(uint32_t thread, Time known) {
  if (known <= time(thread / 32))
    return;
  const auto at = std::lower_bound(
      lanes.begin(), lanes.end(), thread,
      [](const LaneTime &entry, uint32_t key) { return entry.thread < key; });
  if (at != lanes.end() && at->thread == thread)
    at->time = std::max(at->time, known);
  else
    lanes.insert(at, {thread, known});
}

void VectorClock::raiseLanes(Actor warp, uint32_t mask, Time known) {
  if (known <= time(warp))
    return;
  if (mask == ~0u)
    return raise(warp, known);
  for (; mask; mask &= mask - 1)
    raiseLane(warp * 32 + uint32_t(__builtin_ctz(mask)), known);
}

void VectorClock::join(const VectorClock &other) {
  if (times.size() < other.times.size())
    times.resize(other.times.size());
  for (size_t i = 0; i < other.times.size(); ++i)
    times[i] = std::max(times[i], other.times[i]);
  std::erase_if(lanes, [this](const LaneTime &entry) {
    return entry.time <= time(entry.thread / 32);
  });
  for (const LaneTime &entry : other.lanes)
    raiseLane(entry.thread, entry.time);
}

bool VectorClock::covers(const VectorClock &other) const {
  const size_t common = std::min(times.size(), other.times.size());
  bool behind = false;
  for (size_t i = 0; i < common; ++i)
    behind |= times[i] < other.times[i];
  for (size_t i = common; i < other.times.size(); ++i)
    behind |= other.times[i] > 0;
  if (behind)
    return false;
  for (const LaneTime &entry : other.lanes)
    if (laneTime(entry.thread / 32, entry.thread % 32) < entry.time)
      return false;
  return true;
}

void VectorClock::clear() {
  std::fill(times.begin(), times.end(), 0);
  lanes.clear();
}

} // namespace fa4::emulator
