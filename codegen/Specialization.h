// One kernel of a registry with everything that selects its variant.
#pragma once
#include "codegen/Arguments.h"
#include "dsl/lang/Kernel.h"
#include "llvm/Support/JSON.h"

namespace tile {

struct Specialization {
  const KernelDefinition *kernel = nullptr;
  Request request;

  /// KERNEL_ARCH_DTYPE[_dD[xDV]][_causal][_FLAGvalue...], as in
  /// fa4_fwd_sm100a_bf16_d192x128_causal. Distinct requests have distinct
  /// names; only schedule flags that were given appear.
  std::string name() const;

  /// The part of the manifest's key that the request decides.
  llvm::json::Object key() const;
};

/// The flags that select a variant of `kernel`: the common ones, then those of
/// its schedule.
std::vector<Flag> specializationFlags(const KernelDefinition &kernel);

/// The registry's kernel of that name. Error: names the nearest one.
llvm::Expected<const KernelDefinition *>
findKernel(const KernelRegistry &registry, llvm::StringRef name);

/// Reads the flags; what is left out takes the kernel's first architecture,
/// bf16, head dim 128 where there is one, no mask. Errors: a value that the
/// kernel does not support, with those that it does, or what `reject` says.
llvm::Expected<Specialization>
parseSpecialization(const KernelDefinition &kernel, const Arguments &arguments);

/// Every variant that a registry supports with default schedules.
std::vector<Specialization> allSpecializations(const KernelRegistry &registry);

/// One specialization a line, `KERNEL flags...`; # begins a comment. Errors
/// name the line.
llvm::Expected<std::vector<Specialization>>
parseSpecFile(const KernelRegistry &registry, llvm::StringRef path,
              llvm::StringRef text);

} // namespace tile
