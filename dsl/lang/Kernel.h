// A recorded kernel, and the registry entry through which a generator finds it.
#pragma once
#include "dsl/lang/Types.h"
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace tile {

/// A recorded program: the kernel in the tile dialect, ready for the passes.
/// Movable only. `record/Recorded.h` gives the compiler access to its module.
class Kernel {
public:
  struct Impl;
  explicit Kernel(std::unique_ptr<Impl> impl);
  Kernel(Kernel &&) noexcept;
  Kernel &operator=(Kernel &&) noexcept;
  ~Kernel();
  Impl &impl() const { return *pimpl; }

private:
  std::unique_ptr<Impl> pimpl;
};

/// What the command line of a generator asks for. Schedule flags that were not
/// given are absent, so that the kernel's own default applies.
struct Request {
  Arch arch = Arch::sm_100a;
  DType dtype = DType::bf16;
  int headDim = 128;
  int headDimV = 128;
  bool causal = false;
  std::map<std::string, int> schedule;

  /// The value of a schedule flag, or `fallback` where it was not given.
  int get(const std::string &flag, int fallback) const;
};

/// A flag that changes how, not what, a kernel computes.
struct ScheduleFlag {
  std::string name;
  std::string help;
};

/// One entry of a generator: what it computes, for whom, and how to record it.
/// `build` records the program; what it can't build is reported through
/// `reject`, whose text (lower case, no full stop) names the numbers.
struct KernelDefinition {
  std::string name;
  std::string summary;
  std::vector<Arch> archs;
  /// Supported (head dim, head dim of V) pairs.
  std::vector<std::pair<int, int>> headDims;
  std::vector<ScheduleFlag> schedule;
  /// Those schedule flags that are off (0) or on (1) by what a caller needs,
  /// not by what is fast: a default bundle has kernels with each.
  std::vector<std::string> forms;
  std::function<std::optional<std::string>(const Request &)> reject;
  std::function<Kernel(const Request &)> build;
};

using KernelRegistry = std::vector<KernelDefinition>;

} // namespace tile
