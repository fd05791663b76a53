// Launches kernels from their manifest entries alone.
#pragma once

#include "runtime/Device.h"
#include "runtime/DeviceBuffer.h"
#include "runtime/LaunchArguments.h"
#include "runtime/Manifest.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace fa4 {

/// One kernel bound to its arguments: checked, with its grid, its parameters
/// and its scratch memory ready. Launching it again costs nothing of that.
class Plan {
public:
  /// Does nothing for a grid with a zero.
  void launch();

  const std::array<uint32_t, 3> &grid() const { return request.grid; }
  const KernelEntry &kernel() const { return entry; }
  const LoadedKernel &loadedKernel() const { return *loaded; }
  const LaunchRequest &launchRequest() const { return request; }

private:
  friend class PlanBuilder;
  Plan(Device &device, const KernelEntry &entry,
       std::shared_ptr<const LoadedKernel> loaded)
      : device(device), entry(entry), loaded(std::move(loaded)) {}

  Device &device;
  const KernelEntry &entry;
  std::shared_ptr<const LoadedKernel> loaded;
  LaunchRequest request;
  std::vector<std::vector<std::byte>> bytes; // of each parameter
  std::vector<std::span<const std::byte>> views;
  std::vector<DeviceBuffer> buffers; // scratch, stand-ins of empty tensors
  std::vector<std::size_t> zeroed;   // those of `buffers` to clear
};

/// Loads each kernel once. The device and the bundle outlive it and its plans.
class Launcher {
public:
  explicit Launcher(Device &device) : device(device) {}

  /// Throws fa4::Error that names the kernel and the argument.
  std::unique_ptr<Plan> prepare(const KernelEntry &kernel,
                                const LaunchArguments &arguments);

  /// The shape of a tensor that the given arguments imply.
  std::vector<int64_t> shapeOf(const KernelEntry &kernel,
                               const std::string &tensor,
                               const LaunchArguments &arguments) const;

private:
  Device &device;
  std::map<const KernelEntry *, std::shared_ptr<const LoadedKernel>> loaded;
};

} // namespace fa4
