// Executes the instructions of one warp.
#pragma once

#include "runtime/emulator/State.h"

namespace fa4::emulator {

/// Runs at most `quantum` instructions and stops earlier when no lane can go on
/// or, with `stopAtAsync`, behind an instruction that starts async work.
/// Returns how many it ran. Divergent lanes run as fragments: the one with the
/// lowest program counter first, unless it loops for long.
uint32_t runWarp(Machine &machine, Warp &warp, uint32_t quantum,
                 bool stopAtAsync);

/// True if some fragment could run now.
bool canRun(Machine &machine, Warp &warp);

} // namespace fa4::emulator
