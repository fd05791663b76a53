// The clocks of the lanes of one warp, kept once for lanes that know the same.
#pragma once
#include "runtime/emulator/check/VectorClock.h"
#include <memory>
#include <vector>

namespace fa4::emulator {

// TMEM loads and stores of a warp up to a moment; and those of them before the
// last tcgen05.fence::before_thread_sync.
struct TmemTimes {
  Time loads = 0, stores = 0;
  Time fencedLoads = 0, fencedStores = 0;
};

// What some lanes of a warp know at one moment: own times beside a shared
// clock. Cheap to copy; a fork or a release carries it.
struct Knowledge {
  std::shared_ptr<const ClockPair> clocks;
  Actor warp = 0;
  Actor warpCount = 0;   // to find the warp's TMEM actors
  uint32_t lanes = 0;    // who
  bool whole = false;    // all live lanes of the warp
  Time now = 0;          // own accesses up to here
  Time joined = 0;       // other lanes' accesses up to here
  Time fenced = 0;       // own accesses that the async proxy sees
  Time joinedFenced = 0; // other lanes' likewise
  TmemTimes waited;      // the warp's TMEM accesses that it waited for
  TmemTimes shared;      // those that every lane knows the others did
  // What was known at the last tcgen05.fence::after_thread_sync.
  std::shared_ptr<const ClockPair> tensorClocks;

  // Does an access by `actor` (its lanes, for a warp) at `time` happen before
  // what these lanes do next?
  bool knows(Actor actor, uint32_t actorLanes, Time time) const;
  // Had it passed by the last tcgen05.fence::after_thread_sync?
  bool knewAtFence(Actor actor, uint32_t actorLanes, Time time) const;
  // Is it, besides, visible to the async proxy?
  bool exposes(Actor actor, uint32_t actorLanes, Time time) const;
  void releaseInto(ClockPair &target) const;
};

class WarpClocks {
public:
  // strict: what a lane waited for is its own until bar.warp.sync.
  WarpClocks(Actor warp, Actor warpCount, uint32_t lanes, bool strict);

  // Of lanes in one group; several groups: what the first lane's knows.
  Knowledge of(uint32_t lanes) const;
  // The lanes that know the same as `lane`.
  uint32_t peersOf(uint32_t lane) const;
  // The stamp time of accesses; a release or fork moves it on.
  Time now() const { return current; }
  void advance() { ++current; }

  void acquire(uint32_t lanes, const ClockPair &source);
  void raise(uint32_t lanes, Actor actor, Time time);
  void joinLanes(uint32_t lanes);  // bar.warp.sync
  void fenceAsync(uint32_t lanes); // fence.proxy.async
  void waitLoads() { waited.loads = loadTime++; }
  void waitStores() { waited.stores = storeTime++; }
  // tcgen05.fence::before_thread_sync and ::after_thread_sync.
  void fenceBefore() {
    waited.fencedLoads = waited.loads;
    waited.fencedStores = waited.stores;
  }
  void fenceAfter(uint32_t lanes);
  Time loadStamp() const { return loadTime; }
  Time storeStamp() const { return storeTime; }
  void exit(uint32_t lanes) { live &= ~lanes; }
  uint32_t liveLanes() const { return live; }

private:
  struct Group {
    uint32_t lanes;
    std::shared_ptr<ClockPair> clocks;
    std::shared_ptr<const ClockPair> tensorClocks;
    Time joined, fenced, joinedFenced;
  };
  // Calls visit for groups made of lanes of `lanes` only, splitting others.
  template <typename Visit> void forGroups(uint32_t lanes, Visit visit);
  static ClockPair &writable(Group &group);

  Actor warp, warpCount;
  uint32_t live;
  Time current = 1;
  Time loadTime = 1, storeTime = 1;
  bool strict;
  TmemTimes waited;
  TmemTimes shared; // what was waited for at the last bar.warp.sync
  std::vector<Group> groups;
};

} // namespace fa4::emulator
