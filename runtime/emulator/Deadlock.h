// What to do, and to say, when nothing can act.
#pragma once

#include "runtime/emulator/Machine.h"

namespace fa4::emulator {

/// Ends the suspension of every try_wait and polling load. False if there is
/// none.
bool expireWaits(Machine &machine);

/// True where a polling load waits for memory to change.
bool anyPolls(Machine &machine);

/// One line for each waiting fragment: who, where, for what.
std::string describeDeadlock(Machine &machine);

/// One line for each warp that goes round in a loop, with what it polls there,
/// and for each waiting one as above.
std::string describeLivelock(Machine &machine);

} // namespace fa4::emulator
