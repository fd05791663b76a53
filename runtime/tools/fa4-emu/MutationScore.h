// How many broken versions of a kernel the checks find.
#pragma once

#include "runtime/tools/fa4-emu/Subject.h"

#include <cstdint>
#include <string>

namespace fa4 {

struct MutationOptions {
  uint64_t seeds = 4; // random schedules, after fifo, late and eager
  /// A file of sites that are redundant on purpose, see RedundantSites.
  std::string justified;
  bool verbose = false; // print the killed ones too
};

/// Removes or weakens each synchronizing instruction in turn and runs the
/// kernel until a schedule gives a report or other outputs; sites that the
/// inputs don't reach are counted apart. Prints the survivors and the score;
/// returns 0 if every survivor is justified.
int scoreMutations(Subject &subject, const MutationOptions &options);

} // namespace fa4
