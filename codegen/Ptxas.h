// NVIDIA's assembler as a separate process. The library form (nvJitLink)
// ignores setmaxnreg and is of no use for warp-specialized kernels.
#pragma once
#include "dsl/lang/Types.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <optional>
#include <string>
#include <vector>

namespace tile {

/// What `ptxas -v` says of the kernel, in bytes where it is memory.
struct PtxasReport {
  int registers = 0;
  int spillStores = 0;
  int spillLoads = 0;
  int stack = 0;
  int staticShared = 0;
  int barriers = 0;
  /// Everything it said beyond the report: warnings, and notes with a number.
  std::vector<std::string> messages;
};

struct Assembly {
  std::string cubin;
  PtxasReport report;
};

/// The path of ptxas: FA4_PTXAS where that is set, else from PATH, then
/// CUDA_HOME/bin, then /usr/local/cuda/bin.
std::optional<std::string> findPtxas();

/// "13.0.88", or "" when `ptxas` does not say.
std::string ptxasVersion(const std::string &ptxas);

/// Assembles at -O3. A message of ptxas is an error even where ptxas itself
/// passes over it: "setmaxnreg ignored" (C7508), for one, is printed as a note
/// and leaves a kernel that can't run as designed.
llvm::Expected<Assembly> assemble(const std::string &ptxas, Arch arch,
                                  llvm::StringRef ptx);

/// Reads the text that `ptxas -v` printed.
PtxasReport parsePtxasReport(llvm::StringRef text);

} // namespace tile
