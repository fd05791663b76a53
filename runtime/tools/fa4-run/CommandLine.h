// The flags of fa4-run.
#pragma once
#include "runtime/tools/fa4-run/RunOptions.h"

namespace CLI {
class App;
}

namespace fa4 {

/// Flags of every subcommand. `options` outlives the parse.
void addOptions(CLI::App &app, RunOptions &options);
void addBackwardOptions(CLI::App &app, RunOptions &options);
void addBenchOptions(CLI::App &app, BenchOptions &options);

} // namespace fa4
