// Runs a kernel of kernels/ with all checks on, after edits to tagged lines.
#pragma once
#include "runtime/emulator/Emulator.h"
#include <string>
#include <vector>

namespace fa4::emulator::test {

// `line` replaces the first line tagged "//@tag" of a kernel, an empty one
// removes all of them. "before TAG" and "after TAG" as the tag insert the line
// instead.
struct Edit {
  std::string tag;
  std::string line;
};

struct CheckRun {
  std::string kernel; // file in kernels/ without .ptx
  std::vector<Edit> edits = {};
  Schedule schedule = Schedule::Fifo;
  uint64_t seed = 1;
  bool strict = false;
  uint32_t clusters = 1; // of the grid
};

// Entry `k` gets 64 KiB of input and of output and a tensor map of boxes of 64
// rows x 64 bf16 over each.
LaunchResult runChecked(const CheckRun &run);

std::string textOf(const LaunchResult &result);

} // namespace fa4::emulator::test
