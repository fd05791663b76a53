// Device memory that is released when its owner goes.
#pragma once

#include "runtime/Device.h"
#include "runtime/Error.h"

#include <string_view>
#include <utility>

namespace fa4 {

/// Move-only. The device outlives it.
class DeviceBuffer {
public:
  DeviceBuffer(Device &device, uint64_t bytes, std::string_view name)
      : device(&device), base(device.allocate(bytes, name)), size(bytes) {}
  DeviceBuffer(DeviceBuffer &&other) noexcept
      : device(std::exchange(other.device, nullptr)), base(other.base),
        size(other.size) {}
  DeviceBuffer &operator=(DeviceBuffer &&other) noexcept {
    std::swap(device, other.device);
    std::swap(base, other.base);
    std::swap(size, other.size);
    return *this;
  }
  /// After a fault the device refuses to release memory; the fault itself has
  /// been thrown before.
  ~DeviceBuffer() {
    try {
      if (device)
        device->release(base);
    } catch (const Error &) {
    }
  }

  uint64_t address() const { return base; }
  uint64_t bytes() const { return size; }

private:
  Device *device;
  uint64_t base;
  uint64_t size;
};

} // namespace fa4
