// The command line of a generator.
#pragma once
#include "dsl/lang/Kernel.h"

namespace tile {

/// The whole of a generator's main: list, emit, bundle, explain, verify and
/// lower over the kernels of `registry`. Returns the exit status: 0, or 1 after
/// one message on stderr. An output file is written whole or not at all.
int generatorMain(int argc, char **argv, const KernelRegistry &registry);

} // namespace tile
