// What runs kernels: the emulator or a GPU.
#pragma once

#include "runtime/TensorMapRequest.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace fa4 {

struct KernelEntry;

/// A kernel that is loaded on one device; it ends before the device does.
class LoadedKernel {
public:
  virtual ~LoadedKernel() = default;
};

struct LaunchRequest {
  std::array<uint32_t, 3> grid{1, 1, 1}, block{1, 1, 1}, cluster{1, 1, 1};
  uint32_t dynamicShared = 0;      // bytes
  bool programmaticLaunch = false; // may start before the one before it ends
  /// The bytes of each parameter, in order.
  std::span<const std::span<const std::byte>> parameters;
};

/// Work on a device is in order; launch and the copies to the device may
/// return before it is done, download and synchronize don't. Every call throws
/// fa4::Error that names the kernel or the allocation. One thread at a time.
class Device {
public:
  virtual ~Device() = default;

  virtual std::string name() const = 0;
  /// The values of a manifest's `arch` that run here, the preferred one first.
  virtual std::vector<std::string> archs() const = 0;
  virtual int smCount() const = 0;

  /// At least 256-byte aligned; `bytes` may be 0. `name` is for messages.
  virtual uint64_t allocate(uint64_t bytes, std::string_view name) = 0;
  virtual void release(uint64_t address) = 0;
  virtual void upload(uint64_t address, std::span<const std::byte> data) = 0;
  virtual void download(uint64_t address, std::span<std::byte> data) = 0;
  virtual void fill(uint64_t address, uint64_t bytes, std::byte value) = 0;

  virtual std::unique_ptr<LoadedKernel> load(const KernelEntry &kernel) = 0;
  virtual EncodedTensorMap encode(const TensorMapRequest &request) = 0;
  virtual void launch(const LoadedKernel &kernel,
                      const LaunchRequest &request) = 0;
  virtual void synchronize() = 0;
};

} // namespace fa4
