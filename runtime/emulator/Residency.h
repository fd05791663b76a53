// Brings the grid's clusters into the machine and takes finished ones out.
#pragma once

#include "runtime/emulator/Machine.h"

namespace fa4::emulator {

/// Fills the free places, in grid order. False if the grid is done.
bool admitClusters(Machine &machine);

/// Removes the clusters whose threads have all exited, after their async
/// operations have acted.
void retireClusters(Machine &machine);

} // namespace fa4::emulator
