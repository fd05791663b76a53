// The subcommands of fa4-run. Each prints what it did and returns the exit
// status: 0, or 1 when a check failed. Wrong input is an fa4::Error.
#pragma once
#include "runtime/tools/fa4-run/RunOptions.h"

namespace fa4 {

/// O and LSE; --out writes o.npy and lse.npy.
int runForward(const RunOptions &options);
/// The forward, then dQ, dK and dV; --out writes dq.npy, dk.npy, dv.npy too.
int runBackward(const RunOptions &options);
/// A line for each length: median time and TFLOP/s; then the host's time for a
/// launch of a plan and for the bare driver call. Needs a GPU.
int runBench(RunOptions options, const BenchOptions &bench);

} // namespace fa4
