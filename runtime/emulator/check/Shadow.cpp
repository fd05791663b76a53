#include "runtime/emulator/check/Shadow.h"

namespace fa4::emulator {
namespace {

bool conflicts(AccessMode a, AccessMode b) {
  if (a == AccessMode::Read && b == AccessMode::Read)
    return false;
  return !(a == AccessMode::Atomic && b == AccessMode::Atomic);
}

enum class Order : uint8_t { Ordered, OnlyFence, None };

// Was the earlier TMEM access behind its warp's fence::before_thread_sync and
// known when the later warp last executed fence::after_thread_sync? Its own
// accesses need no fence, a commit implies the first.
bool passedTensorFence(const Entry &earlier, const Accessor &by,
                       const ActorTable &actors) {
  const ActorKind kind = actors.kind(earlier.actor);
  const bool tmem = kind == ActorKind::TmemLoad || kind == ActorKind::TmemStore;
  if (kind != ActorKind::TensorQueue && !tmem)
    return true;
  if (tmem && actors.key(earlier.actor) == by.known->warp)
    return true;
  const Actor fenced = tmem ? actors.fencedOf(earlier.actor) : earlier.actor;
  return by.known->knewAtFence(fenced, earlier.lanes, earlier.time);
}

Order orderOf(const Entry &earlier, bool object, const Accessor &by,
              const ActorTable &actors) {
  if (earlier.actor == by.actor && by.inOrder)
    return Order::Ordered;
  if (!by.known->knows(earlier.actor, earlier.lanes, earlier.time))
    return Order::None;
  if (by.tensorFences && !passedTensorFence(earlier, by, actors))
    return Order::OnlyFence;
  const bool proxies = by.asyncProxy && !object && !earlier.object;
  if (!proxies || earlier.mode == AccessMode::Read ||
      isAsyncProxy(actors.kind(earlier.actor)))
    return Order::Ordered;
  return by.known->exposes(earlier.actor, earlier.lanes, earlier.time)
             ? Order::Ordered
             : Order::OnlyFence;
}

bool sameParty(const Entry &entry, const Accessor &by) {
  return entry.actor == by.actor && entry.time == by.time &&
         entry.site == by.site;
}

} // namespace

void Cell::append(const Entry &entry) {
  if (count < inlineCount) {
    few[count++] = entry;
    return;
  }
  if (!more)
    more = std::make_unique<std::vector<Entry>>();
  more->push_back(entry);
  ++count;
}

void Cell::compact(size_t kept) {
  if (count > inlineCount)
    more->resize(kept > inlineCount ? kept - inlineCount : 0);
  count = uint16_t(kept);
}

void Cell::touch(const Touch &touch, const Accessor &by,
                 const ActorTable &actors, std::vector<Conflict> &found) {
  size_t kept = 0;
  for (size_t i = 0; i < count; ++i) {
    Entry entry = at(i);
    if (entry.units & touch.units) {
      // Lanes of one instruction that touch the same units together.
      const bool together = sameParty(entry, by) && entry.mode == touch.mode;
      const Order order =
          together ? Order::Ordered : orderOf(entry, touch.object, by, actors);
      if (order != Order::Ordered && conflicts(entry.mode, touch.mode))
        found.push_back({entry, order == Order::OnlyFence});
      const bool replaced =
          touch.mode == AccessMode::Write || touch.mode == AccessMode::Update ||
          (entry.mode == touch.mode && order != Order::None && !together);
      if (replaced)
        entry.units &= uint16_t(~touch.units);
    }
    if (entry.units == 0)
      continue;
    at(kept++) = entry;
  }
  compact(kept);
  if (touch.mode != AccessMode::Read)
    written |= touch.units;
  for (size_t i = 0; i < kept; ++i) {
    Entry &entry = at(i);
    if (!sameParty(entry, by) || entry.mode != touch.mode)
      continue;
    if (entry.lanes == by.lanes) {
      entry.units |= touch.units;
      return;
    }
    if (entry.units == touch.units) {
      entry.lanes |= by.lanes;
      return;
    }
  }
  append({by.actor, by.time, by.lanes, by.site, touch.units, touch.mode,
          touch.object});
}

} // namespace fa4::emulator
