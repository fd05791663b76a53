#include "runtime/emulator/Statistics.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

namespace fa4::emulator {

std::string Statistics::text() const {
  std::string out;
  auto line = [&](const char *name, uint64_t value) {
    out += fmt::format("{:<28} {:>16}\n", name, value);
  };
  line("warp instructions", warpInstructions);
  line("MMA FLOPs", mmaFlops);
  line("exponentials", exponentials);
  line("TMA load bytes", tmaLoadBytes);
  line("TMA store bytes", tmaStoreBytes);
  line("bulk copy bytes", bulkBytes);
  line("MMA shared operand bytes", mmaSharedBytes);
  line("shared load bytes", sharedLoadBytes);
  line("shared store bytes", sharedStoreBytes);
  line("global load bytes", globalLoadBytes);
  line("global store bytes", globalStoreBytes);
  line("TMEM load bytes", tmemLoadBytes);
  line("TMEM store bytes", tmemStoreBytes);
  line("DSMEM bytes", dsmemBytes);
  std::vector<std::pair<std::string, uint64_t>> classes(
      instructionsByClass.begin(), instructionsByClass.end());
  std::sort(classes.begin(), classes.end(), [](auto &a, auto &b) {
    return a.second != b.second ? a.second > b.second : a.first < b.first;
  });
  for (auto &[name, count] : classes)
    line(fmt::format("  {}", name).c_str(), count);
  return out;
}

} // namespace fa4::emulator
