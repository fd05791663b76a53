// The subcommands of fa4-run. Each prints what it did and returns the exit
// status: 0, or 1 when a check failed. Wrong input is an fa4::Error.
#pragma once
#include "runtime/tools/fa4-run/RunOptions.h"

namespace fa4 {

/// The forward and, if wanted, the three backward kernels; --out writes each
/// of o, lse, dq, dk, dv to NAME.npy.
int runAttention(const RunOptions &options, bool backward);

/// A line for each length: median time and TFLOP/s; then the host's time for a
/// launch of a plan and for the bare driver call. Needs a GPU.
int runBench(const RunOptions &options, const BenchOptions &bench);

} // namespace fa4
