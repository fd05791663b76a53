// Kernels broken on purpose, to measure how strong the checks are.
#pragma once

#include "runtime/emulator/Program.h"

namespace fa4::emulator {

/// Every wait, commit, arrival, fence, barrier, expected byte count and phase
/// of a function that can be removed or weakened.
std::vector<Mutation> mutationsOf(const Program &program,
                                  const Function &function);
Function mutate(const Function &function, const Mutation &mutation);
MutationSite siteOfMutation(const Program &program, const Function &function,
                            const Mutation &mutation);

} // namespace fa4::emulator
