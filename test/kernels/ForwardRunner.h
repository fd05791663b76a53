// Runs a forward of the build's own bundle on the emulator and judges it.
#pragma once
#include "runtime/EmulatorDevice.h"
#include "runtime/Launcher.h"
#include "runtime/tools/fa4-run/AttentionInputs.h"

#include <string>
#include <vector>

namespace fa4::test {

/// Of one launch. `finding` is what the emulator reported, or which byte that
/// isn't the kernel's was written; o and lse are then empty.
struct ForwardOutcome {
  std::vector<float> o, lse;
  std::string finding;
};

/// Every check of the emulator, also those that only our kernels must pass.
emulator::Options everyCheck();

/// The bundle that the build generated.
const Bundle &builtBundle();
/// Its forward kernel for the options' dtype, head dims and mask: the one that
/// they name, or fa4_fwd.
const KernelEntry &forwardKernel(const RunOptions &options);

/// What a run may do differently.
struct ForwardVariation {
  const KernelEntry *kernel = nullptr; // null: the bundle's
  uint64_t guard = 4096; // bytes before and after; addresses move with it
};

/// One device; kernels stay loaded from run to run.
class ForwardRunner {
public:
  explicit ForwardRunner(const EmulatorSettings &settings = {everyCheck()})
      : device(settings), launcher(device) {}

  /// Canaries lie around the outputs, NaN bytes around the inputs and between
  /// their rows.
  ForwardOutcome run(const RunOptions &options, const HostInputs &inputs,
                     const ForwardVariation &variation = {});

private:
  EmulatorDevice device;
  Launcher launcher;
};

/// What is wrong with an outcome: its finding, or the tensors that are not
/// within the bound of fp64, or dead rows that are not 0. Empty: nothing.
std::string complaint(const RunOptions &options, const HostInputs &inputs,
                      const ForwardOutcome &outcome);

/// Runs and judges a case. `runner` has the kernels.
std::string complaintOf(ForwardRunner &runner, const RunOptions &options);

/// Random inputs for `shape`; the reference uses one thread.
RunOptions optionsFor(const AttentionShape &shape,
                      ElementType type = ElementType::BF16);

} // namespace fa4::test
