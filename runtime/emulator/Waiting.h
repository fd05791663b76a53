// When a waiting fragment may go on, and how barriers complete.
#pragma once

#include "runtime/emulator/State.h"

#include <string>

namespace fa4::emulator {

/// True if what the fragment waits for has happened. Converge and WarpSync are
/// decided by the warp, not here.
bool ready(Machine &machine, Warp &warp, const Fragment &fragment);

/// "mbarrier 0x428: phase 1 is not complete, 1 of 1 arrivals and 16384 bytes
/// pending"
std::string describeWait(Machine &machine, Warp &warp,
                         const Fragment &fragment);

/// Start the next generation if everyone has arrived. Warps that have exited
/// count as arrived at a barrier of the whole CTA.
void completeBarrier(Cta &cta, NamedBarrier &barrier);
void completeClusterBarrier(Cluster &cluster);

} // namespace fa4::emulator
