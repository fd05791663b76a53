// Runs a kernel under many schedules and compares the outputs bit by bit.
#pragma once

#include "runtime/tools/fa4-emu/Subject.h"

#include <cstdint>

namespace fa4 {

struct ExploreOptions {
  uint64_t seeds = 16;     // random schedules; a quarter as many late ones
  uint64_t targeted = 256; // async operations to delay alone, at most
};

/// Prints what differs and how to replay it, and for a failure the fewest
/// delayed async operations that still cause one. Returns the exit status: 0
/// if every schedule gave the same outputs and no report.
int explore(Subject &subject, const ExploreOptions &options);

} // namespace fa4
