// The clocks of a cluster's mbarriers. Counts are the core's business.
#pragma once
#include "runtime/emulator/check/VectorClock.h"
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

namespace fa4::emulator {

// Lanes that saw the newest completed phase.
struct Observation {
  Actor warp = 0;
  uint32_t lanes = 0;
  Time time = 0;
  uint32_t site = 0;
};

struct MbarrierClocks {
  bool live = false;
  uint32_t phase = 0;   // completed since init
  Time completions = 0; // completed since the first init at this address
  ClockPair arriving;   // released into the current phase
  ClockPair completed;  // released into completed phases
  Actor transactions = 0;
  // Phase in which a warp began to wait without success.
  std::map<Actor, uint32_t> waiting;
  std::vector<Observation> observed;
};

class Mbarriers {
public:
  MbarrierClocks &at(uint32_t address) { return all[address]; }
  bool isLive(uint32_t address) const;

  // Each returns what is wrong with it, or an empty string.
  std::string init(uint32_t address);
  std::string completePhase(uint32_t address);
  void invalidate(uint32_t address) { all[address].live = false; }
  void test(uint32_t address, Actor warp, bool passed);
  void observe(uint32_t address, const Observation &observation);
  // Before a phase completes: lanes whose view of the phase before is not
  // ordered before it. Forgets all of them.
  std::optional<Observation> unseenBy(uint32_t address);

private:
  std::unordered_map<uint32_t, MbarrierClocks> all;
};

} // namespace fa4::emulator
