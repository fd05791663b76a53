// Runs forward and backward, by default of the build's own bundle, on the
// emulator and judges the gradients.
#pragma once
#include "runtime/tools/fa4-run/AttentionCheck.h"
#include "test/kernels/ForwardRunner.h"

namespace fa4::test {

/// Of the four launches. `finding` is what the emulator reported, or which
/// byte that isn't a kernel's was written; `computed` is then empty.
struct BackwardOutcome {
  ComputedTensors computed;
  std::vector<float> sums; // of dQ, before they are rounded
  std::string finding;
};

/// With every check, and guards around every tensor. `arch` picks kernels of
/// one architecture.
BackwardOutcome runBackward(RunOptions options, const HostInputs &inputs,
                            const emulator::Options &emulated = everyCheck(),
                            const std::string &arch = "sm_100a");

/// Runs a case and says what is wrong; empty: nothing.
std::string complaintOfBackward(const RunOptions &options,
                                const std::string &arch = "sm_100a");

} // namespace fa4::test
