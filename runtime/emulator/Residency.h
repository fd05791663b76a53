// Brings the grid's clusters into the machine and takes finished ones out.
#pragma once

#include "runtime/emulator/Machine.h"

namespace fa4::emulator {

/// Before the first cluster: the order in which they come.
void chooseDispatch(Machine &machine);

/// Fills the free places. CUDA promises no order of dispatch: it is ascending
/// under the fifo and eager schedules, descending under late, any under random.
/// False if the grid is done.
bool admitClusters(Machine &machine);

/// Removes the clusters whose threads have all exited, after their async
/// operations have acted.
void retireClusters(Machine &machine);

} // namespace fa4::emulator
