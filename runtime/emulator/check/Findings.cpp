// The text of findings: what, where, which two accesses, what orders them.
#include "runtime/emulator/check/CheckerState.h"
#include <fmt/format.h>

namespace fa4::emulator {
namespace {

const char *verbOf(AccessMode mode) {
  switch (mode) {
  case AccessMode::Read:
    return "read";
  case AccessMode::Write:
  case AccessMode::Update:
    return "write";
  case AccessMode::Atomic:
    return "atomic update";
  }
  return "access";
}

std::string laneNames(uint32_t lanes) {
  if (lanes == 0 || lanes == ~0u)
    return "";
  if ((lanes & (lanes - 1)) == 0)
    return fmt::format(" lane {}", __builtin_ctz(lanes));
  return fmt::format(" lanes {:#x}", lanes);
}

} // namespace

bool Checker::State::enabled(const std::string &check) const {
  const CheckFamilies &families = setup.families;
  if (check == "race")
    return families.race;
  if (check == "init")
    return families.init;
  if (check == "proxy")
    return families.proxy;
  if (check == "tmem")
    return families.tmem;
  if (check == "strict")
    return families.strict;
  return families.barrier;
}

void Checker::State::report(const std::string &check,
                            const std::string &message, uint32_t site,
                            uint32_t other) {
  if (!enabled(check) || !reported.insert({check, site, other}).second)
    return;
  setup.report({check, message, site});
}

std::string Checker::State::placeName(const Place &place) const {
  const std::string cta =
      setup.ctas > 1 ? fmt::format(" of cta {}", place.cta) : "";
  if (place.tmem)
    return fmt::format("tmem column {}, lanes {} to {}{}", place.address,
                       place.lane, place.lane + 15, cta);
  if (place.memory == MemoryKind::Shared)
    return fmt::format("shared memory {:#x}{}", place.address, cta);
  return fmt::format("global memory {:#x}", place.address);
}

std::string Checker::State::partyName(const Accessor &by) const {
  return partyName(by.actor, by.lanes);
}

std::string Checker::State::partyName(Actor actor, uint32_t lanes) const {
  const uint32_t key = actors.key(actor);
  const auto thread = [&] {
    return fmt::format("{} lane {}", actors.warpName(key / 32), key % 32);
  };
  switch (actors.kind(actor)) {
  case ActorKind::Warp:
    return actors.warpName(actor) + laneNames(lanes);
  case ActorKind::TmemLoad:
  case ActorKind::FencedLoad:
    return actors.warpName(key) + " (tcgen05.ld)";
  case ActorKind::TmemStore:
  case ActorKind::FencedStore:
    return actors.warpName(key) + " (tcgen05.st)";
  case ActorKind::TensorQueue:
    return fmt::format("the tensor core for {}", thread());
  case ActorKind::Transaction:
    return fmt::format("a bulk copy onto the mbarrier at {:#x}", key);
  case ActorKind::BulkRead:
  case ActorKind::BulkWrite:
    return fmt::format("a bulk store of {}", thread());
  case ActorKind::Wgmma:
    return fmt::format("a wgmma of warpgroup {}", key & 0xffff);
  case ActorKind::CopyAsync:
    return fmt::format("a cp.async of {}", actors.warpName(key));
  case ActorKind::PriorGrid:
    return "the previous grid";
  }
  return {};
}

// What orders the two. Which of them ran first is chance when one is async.
std::string Checker::State::remedy(const Entry &earlier,
                                   const Accessor &by) const {
  std::string text = remedyAfter(earlier.actor, by.known->warp);
  const bool threadFirst = actors.kind(earlier.actor) <= ActorKind::TmemStore;
  if (threadFirst && actors.kind(by.actor) > ActorKind::FencedStore)
    text += fmt::format("; or, if {} is meant to come first: {}", partyName(by),
                        remedyAfter(by.actor, earlier.actor));
  return text;
}

// What `first` must do before accesses of warp `second` may follow.
std::string Checker::State::remedyAfter(Actor first, Actor second) const {
  const uint32_t key = actors.key(first);
  switch (actors.kind(first)) {
  case ActorKind::Warp:
    if (first == second)
      return "bar.warp.sync between them";
    return "an mbarrier arrive and wait, or a barrier, between them";
  case ActorKind::TmemLoad:
  case ActorKind::FencedLoad:
    return key == second
               ? "tcgen05.wait::ld between them"
               : "tcgen05.wait::ld before the arrive (or barrier) that the "
                 "other side waits for, bar.warp.sync behind it where one lane "
                 "arrives for its warp";
  case ActorKind::TmemStore:
  case ActorKind::FencedStore:
    return key == second
               ? "tcgen05.wait::st between them"
               : "tcgen05.wait::st before the arrive (or barrier) that the "
                 "other side waits for, bar.warp.sync behind it where one lane "
                 "arrives for its warp";
  case ActorKind::TensorQueue:
    return "tcgen05.commit into an mbarrier behind it and a wait for that "
           "phase";
  case ActorKind::Transaction:
    return fmt::format("a wait for the phase of the mbarrier at {:#x} that the "
                       "copy completes on",
                       key);
  case ActorKind::BulkRead:
    return "cp.async.bulk.commit_group and wait_group.read by the thread that "
           "issued it, then a barrier";
  case ActorKind::BulkWrite:
    return "cp.async.bulk.commit_group and wait_group by the thread that "
           "issued it, then a barrier";
  case ActorKind::Wgmma:
    return "wgmma.commit_group and wait_group behind it";
  case ActorKind::CopyAsync:
    return "cp.async.wait_group (or cp.async.mbarrier.arrive) behind it";
  case ActorKind::PriorGrid:
    return "griddepcontrol.wait";
  }
  return {};
}

void Checker::State::reportClusters(const Place &place, AccessMode mode,
                                    const Accessor &by,
                                    const GlobalShadow::Party &other) {
  if (other.mode == AccessMode::Atomic && mode == AccessMode::Atomic) {
    return report(
        "race",
        fmt::format(
            "{}: the additions by cluster {} at {} and by cluster {}, "
            "{}, at {} are in no fixed order; missing: a post (release) "
            "behind the first and its completion, that the second "
            "acquires",
            placeName(place), other.cluster, setup.describe(other.site),
            setup.cluster, partyName(by), setup.describe(by.site)),
        by.site, other.site);
  }
  report("race",
         fmt::format("{}: the {} by cluster {} at {} and the {} by cluster {}, "
                     "{}, at {} are not ordered; missing: a release by the "
                     "first that the second acquires, or atomics on both sides",
                     placeName(place), verbOf(other.mode), other.cluster,
                     setup.describe(other.site), verbOf(mode), setup.cluster,
                     partyName(by), setup.describe(by.site)),
         by.site, other.site);
}

std::string Checker::State::missingTensorFence(const Entry &earlier,
                                               const Accessor &by) const {
  const ActorKind kind = actors.kind(earlier.actor);
  const bool tmem = kind == ActorKind::TmemLoad || kind == ActorKind::TmemStore;
  if (tmem && !by.known->knows(actors.fencedOf(earlier.actor), earlier.lanes,
                               earlier.time))
    return "tcgen05.fence::before_thread_sync between the earlier access's "
           "wait and its arrive (or barrier)";
  return "tcgen05.fence::after_thread_sync between the later side's wait and "
         "its access";
}

void Checker::State::reportConflict(const Place &place, AccessMode mode,
                                    const Accessor &by,
                                    const Conflict &conflict) {
  const Entry &earlier = conflict.earlier;
  const std::string first = fmt::format("{} by {} at {}", verbOf(earlier.mode),
                                        partyName(earlier.actor, earlier.lanes),
                                        setup.describe(earlier.site));
  const std::string second = fmt::format(
      "{} by {} at {}", verbOf(mode), partyName(by), setup.describe(by.site));
  if (conflict.onlyFence && place.tmem) {
    return report(
        "strict",
        fmt::format("{}: the {} and the {} are ordered without tcgen05 "
                    "fences; missing: {}",
                    placeName(place), first, second,
                    missingTensorFence(earlier, by)),
        by.site, earlier.site);
  }
  if (conflict.onlyFence) {
    return report("proxy",
                  fmt::format("{}: the {} is not visible to the async proxy of "
                              "the {}; missing: fence.proxy.async after the "
                              "write, by the writing threads, before the "
                              "arrive (or barrier) that the other side waits "
                              "for",
                              placeName(place), first, second),
                  by.site, earlier.site);
  }
  report(place.tmem ? "tmem" : "race",
         fmt::format("{}: the {} and the {} are not ordered; missing: {}",
                     placeName(place), first, second, remedy(earlier, by)),
         by.site, earlier.site);
}

} // namespace fa4::emulator
