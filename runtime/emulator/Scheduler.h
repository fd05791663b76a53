// Decides which warp or async unit acts next, until the grid is done.
#pragma once

#include "runtime/emulator/Machine.h"

namespace fa4::emulator {

/// Runs the whole grid. Returns true if every CTA ran to its end; a deadlock,
/// a fault or the step limit leave a report in the machine.
bool runGrid(Machine &machine);

} // namespace fa4::emulator
