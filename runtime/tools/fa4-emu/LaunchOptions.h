// Flags that say which PTX to launch and how.
#pragma once

#include "runtime/emulator/Emulator.h"

#include <cstdint>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace fa4 {

struct LaunchOptions {
  std::string file, entry, grid = "1,1,1", block, cluster, schedule = "fifo",
                           checks = "all";
  std::vector<std::string> arguments; // argument specs
  uint32_t shared = 0;                // dynamic shared memory, bytes
  emulator::Options how;

  /// `options` outlives the parse.
  void addTo(CLI::App &app);
  /// With schedule and checks read; throws fa4::Error.
  emulator::Options emulatorOptions() const;
  /// Without the parameters. The block is the entry's own if none is given.
  emulator::LaunchConfig config(const emulator::EntryInfo &info) const;
};

} // namespace fa4
