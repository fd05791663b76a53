#include "runtime/emulator/check/Mbarriers.h"
#include <fmt/format.h>

namespace fa4::emulator {

bool Mbarriers::isLive(uint32_t address) const {
  const auto found = all.find(address);
  return found != all.end() && found->second.live;
}

std::string Mbarriers::init(uint32_t address) {
  MbarrierClocks &barrier = all[address];
  const bool again = barrier.live;
  barrier.live = true;
  barrier.phase = 0;
  barrier.waiting.clear();
  if (again)
    return fmt::format("mbarrier.init at {:#x} on a live mbarrier: it needs an "
                       "mbarrier.inval first",
                       address);
  return {};
}

std::string Mbarriers::completePhase(uint32_t address) {
  MbarrierClocks &barrier = all[address];
  barrier.completed.join(barrier.arriving);
  barrier.arriving.generic.clear();
  barrier.arriving.async.clear();
  ++barrier.phase;
  ++barrier.completions;
  barrier.completed.generic.raise(barrier.transactions, barrier.completions);
  for (const auto &[warp, phase] : barrier.waiting) {
    if (barrier.phase >= phase + 2) {
      return fmt::format("phase {} of the mbarrier at {:#x} completes while a "
                         "warp still waits for phase {}: it now takes the "
                         "parity of a later phase for its own; something must "
                         "keep phase {} open until that wait has passed",
                         barrier.phase - 1, address, phase, barrier.phase - 1);
    }
  }
  return {};
}

void Mbarriers::observe(uint32_t address, const Observation &observation) {
  all[address].observed.push_back(observation);
}

std::optional<Observation> Mbarriers::unseenBy(uint32_t address) {
  MbarrierClocks &barrier = all[address];
  std::optional<Observation> unseen;
  for (Observation &seen : barrier.observed) {
    uint32_t late = 0;
    for (uint32_t rest = seen.lanes; rest; rest &= rest - 1) {
      const auto lane = uint32_t(__builtin_ctz(rest));
      if (barrier.arriving.generic.laneTime(seen.warp, lane) < seen.time)
        late |= 1u << lane;
    }
    seen.lanes = late;
    if (late)
      unseen = seen;
  }
  barrier.observed.clear();
  return unseen;
}

void Mbarriers::test(uint32_t address, Actor warp, bool passed) {
  MbarrierClocks &barrier = all[address];
  if (passed)
    barrier.waiting.erase(warp);
  else
    barrier.waiting.try_emplace(warp, barrier.phase);
}

} // namespace fa4::emulator
