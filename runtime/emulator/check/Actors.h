// The parties of the happens-before relation in one cluster.
#pragma once
#include "runtime/emulator/check/VectorClock.h"
#include <string>
#include <unordered_map>
#include <vector>

namespace fa4::emulator {

enum class ActorKind : uint8_t {
  Warp,
  TmemLoad,    // tcgen05.ld of one warp; time: its wait::ld
  TmemStore,   // tcgen05.st of one warp; time: its wait::st
  FencedLoad,  // TmemLoad behind tcgen05.fence::before_thread_sync
  FencedStore, // TmemStore likewise
  TensorQueue, // mma, cp, shift, commit of one thread; time: position
  Transaction, // copies onto one mbarrier; time: its phase
  BulkRead,    // shared-memory side of one thread's bulk groups; time: group
  BulkWrite,   // their other side
  Wgmma,       // one warpgroup; time: group
  CopyAsync,   // cp.async of one warp; time: group
  PriorGrid,   // what griddepcontrol.wait waits for; time: 1
};

// Async units see shared memory through their own proxy.
constexpr bool isAsyncProxy(ActorKind kind) {
  return kind >= ActorKind::TensorQueue && kind <= ActorKind::Wgmma;
}
// Operations of such an actor never overtake each other.
constexpr bool isInOrder(ActorKind kind) {
  return kind == ActorKind::TensorQueue || kind == ActorKind::TmemStore;
}

class ActorTable {
public:
  ActorTable(uint32_t ctas, uint32_t warps, std::vector<std::string> names);

  Actor warp(uint32_t cta, uint32_t warp) const { return cta * warps + warp; }
  uint32_t ctaOf(Actor warp) const { return warp / warps; }
  Actor tmemLoad(Actor warp) const { return total + warp; }
  Actor tmemStore(Actor warp) const { return 2 * total + warp; }
  // The fenced counterpart of a TMEM load or store actor.
  Actor fencedOf(Actor actor) const { return actor + 2 * total; }
  // `key` is a thread (warp * 32 + lane), an mbarrier address, a warpgroup or
  // a warp, as the kind says. Creates the actor at first use.
  Actor async(ActorKind kind, uint32_t key);

  ActorKind kind(Actor actor) const { return infos[actor].kind; }
  uint32_t key(Actor actor) const { return infos[actor].key; }
  uint32_t warpCount() const { return total; }
  std::string warpName(Actor warp) const; // "warp 3 (mma)", "cta 1 warp 3"

private:
  struct Info {
    ActorKind kind;
    uint32_t key;
  };
  uint32_t warps, total;
  bool single;                    // one CTA
  std::vector<std::string> names; // of a CTA's warps; may be too short
  std::vector<Info> infos;
  std::unordered_map<uint64_t, Actor> byKey;
};

} // namespace fa4::emulator
