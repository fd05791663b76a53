// The inside of the checker: clocks, shadow memories, operations in flight.
#pragma once
#include "runtime/emulator/check/Checker.h"
#include "runtime/emulator/check/GlobalShadow.h"
#include "runtime/emulator/check/Mbarriers.h"
#include "runtime/emulator/check/Shadow.h"
#include <fmt/format.h>
#include <set>
#include <tuple>
#include <utility>

namespace fa4::emulator {

struct AsyncOperationState {
  AsyncKind kind = AsyncKind::Transaction;
  Knowledge known; // of the issuer at issue
  uint32_t site = 0;
  Actor readActor = 0, writeActor = 0; // equal but for BulkStore
  Time time = 0;                       // not for Transaction
};

// One thread's (or warp's) groups of bulk stores, wgmma or cp.async.
struct GroupState {
  Time open = 1;     // number of the group being filled
  Time used = 0;     // last group that holds an operation
  Time waited = 0;   // groups whose reads were waited for
  Time written = 0;  // groups whose writes were waited for
  uint32_t site = 0; // of the last operation
};

// A barrier of threads: what the arrivals released, what waiters acquire.
struct BarrierClocks {
  ClockPair arriving, completed;
};

// Who used a CTA's shared memory from outside, and what its threads that have
// left knew.
struct CtaVisits {
  struct Visit {
    Actor actor = 0;
    uint32_t lanes = 0;
    Time time = 0;
    uint32_t site = 0;
  };
  std::vector<Visit> visits;
  ClockPair left;
  bool gone = false;
};

struct Checker::State {
  explicit State(CheckerSetup setup);

  CheckerSetup setup;
  ActorTable actors;
  std::vector<WarpClocks> warps;
  std::vector<std::vector<Cell>> shared; // by CTA
  std::vector<std::vector<Cell>> tmem;   // by CTA: column * 8 + lane / 16
  std::unordered_map<uint64_t, std::vector<Cell>> global; // by page
  Actor priorGrid;
  Mbarriers mbarriers;
  std::unordered_map<uint32_t, BarrierClocks> barriers; // cta * 16 + id
  BarrierClocks clusterBarrier;
  std::vector<CtaVisits> visits;                     // by CTA
  std::unordered_map<uint64_t, ClockPair> locations; // released by address
  std::unordered_map<Actor, ClockPair> fenced;       // at a memory fence
  std::unordered_map<Actor, ClockPair> unfenced; // acquired at the next fence
  std::set<uint64_t> unfencedLocations; // of global memory, by any thread
  uint64_t lastFence = 0;               // of memory
  // When a CTA had no bulk store in flight last.
  std::unordered_map<uint32_t, uint64_t> lastWritten;
  std::unordered_map<uint64_t, GroupState> groups; // by groupKey
  std::unordered_map<uint32_t, Time> queues;       // length of tensor queues
  std::unordered_map<AsyncToken, AsyncOperationState> operations;
  // mbarriers that async units must not arrive on yet, and who made them.
  std::unordered_map<uint32_t, Actor> unfencedInits;
  AsyncToken nextToken = 1;
  std::set<std::tuple<std::string, uint32_t, uint32_t>> reported;
  std::vector<Conflict> conflicts; // of the access in progress
  uint32_t lastSite = 0;           // of the last mbarrier operation

  Actor warpOf(const Who &who) const { return actors.warp(who.cta, who.warp); }
  WarpClocks &clocksOf(const Who &who) { return warps[warpOf(who)]; }

  // Calls visit(accessor) for each group of lanes with equal knowledge; the
  // accessor's lanes are that group, single lanes are set by the caller.
  template <typename Visit> void forGroups(const Who &who, Visit visit) {
    WarpClocks &clocks = clocksOf(who);
    for (uint32_t rest = who.lanes; rest;) {
      const auto lane = uint32_t(__builtin_ctz(rest));
      const uint32_t group = clocks.peersOf(lane) & rest;
      Knowledge known = clocks.of(group);
      visit(known, group);
      rest &= ~group;
    }
  }

  Actor groupActor(const Who &who, AsyncKind kind);
  uint64_t groupKey(const Who &who, AsyncKind kind) const;
  void release(const Who &who, ClockPair &target);
  void acquire(const Who &who, const ClockPair &source) {
    clocksOf(who).acquire(who.lanes, source);
  }

  // Where an access happens, for messages.
  struct Place {
    MemoryKind memory = MemoryKind::Shared;
    bool tmem = false;
    uint32_t cta = 0;
    uint64_t address = 0; // byte, or TMEM column
    uint32_t lane = 0;    // of TMEM
  };
  std::vector<Cell> *sharedCells(uint32_t cta); // null: no such CTA
  std::vector<Cell> &tmemCellsOf(uint32_t cta);
  std::vector<Cell> &globalPage(uint64_t page);
  void touch(Cell &cell, const Place &place, const Cell::Touch &touch,
             const Accessor &by);
  void touchGlobal(uint64_t address, uint64_t bytes, AccessMode mode,
                   const Accessor &by);
  void touchClusters(const Place &place, uint16_t units, AccessMode mode,
                     const Accessor &by);
  bool writesBulk(uint32_t cta) const; // stores that nobody waited for
  void synchronizeClusters(uint32_t cta, AccessMode mode, uint64_t location,
                           SyncOrder order);
  void checkGridWait(const Place &place, const Accessor &by);
  void touchChunks(uint32_t cta, std::span<const uint32_t> chunks,
                   const Accessor &by);
  void touchBytes(MemoryKind memory, uint64_t address, uint64_t bytes,
                  AccessMode mode, const Accessor &by);
  void touchObject(uint32_t address, AccessMode mode, const Accessor &by);
  void touchRect(uint32_t cta, const TmemRect &rect, AccessMode mode,
                 const Accessor &by);
  void touchThreadObject(const Who &who, uint32_t address, AccessMode mode);
  void setObject(uint32_t address, bool live);
  void visit(const Who &who, uint64_t address);
  void leave(const Who &who);
  void reportGone(uint32_t cta, const CtaVisits::Visit &visit);
  void checkInitFence(uint32_t address, const Accessor &by);
  void checkObjects(const Place &place, const Cell::Touch &touch,
                    const Accessor &by);
  void checkInitialized(const Place &place, const Cell &cell,
                        const Cell::Touch &touch, const Accessor &by);
  Accessor accessorOf(const AsyncOperationState &operation, AccessMode mode,
                      uint32_t mbarrier);

  void report(const std::string &check, const std::string &message,
              uint32_t site, uint32_t other = 0);
  void reportConflict(const Place &place, AccessMode mode, const Accessor &by,
                      const Conflict &conflict);
  void reportClusters(const Place &place, AccessMode mode, const Accessor &by,
                      const GlobalShadow::Party &other);
  bool enabled(const std::string &check) const;
  std::string placeName(const Place &place) const;
  std::string partyName(const Accessor &by) const;
  std::string partyName(Actor actor, uint32_t lanes) const;
  std::string missingTensorFence(const Entry &earlier,
                                 const Accessor &by) const;
  std::string remedy(const Entry &earlier, const Accessor &by) const;
  std::string remedyAfter(Actor first, Actor second) const;
};

} // namespace fa4::emulator
