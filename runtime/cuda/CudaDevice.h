// The device that is a GPU, through the driver found at run time.
#pragma once
#include "runtime/Device.h"
#include "runtime/cuda/Driver.h"

#include <memory>

namespace fa4 {

struct CudaSettings {
  int ordinal = 0;
  /// Kernels without a cubin are compiled from PTX by the driver.
  bool allowPtx = false;
  /// All work goes to this stream of the device's primary context; null: to
  /// one of the device's own.
  cuda::Stream stream = nullptr;
};

/// Adds the measurement of time to a device.
class TimedDevice : public Device {
public:
  /// Marks the point that the work given so far will reach.
  virtual void recordEvent(unsigned index) = 0;
  /// Between two marks; waits for the second one.
  virtual double millisecondsBetween(unsigned first, unsigned second) = 0;
  /// `count` bare driver calls for one launch, to compare with.
  virtual void launchBare(const LoadedKernel &kernel,
                          const LaunchRequest &request, unsigned count) = 0;
};

/// Throws fa4::Error "no CUDA driver: ..." or "no CUDA device ..." where there
/// is none. The first form uses the driver of this machine.
std::unique_ptr<TimedDevice> makeCudaDevice(const CudaSettings &settings);
std::unique_ptr<TimedDevice> makeCudaDevice(const CudaSettings &settings,
                                            const cuda::Driver &driver);

} // namespace fa4
