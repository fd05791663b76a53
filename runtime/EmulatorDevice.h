// The device that is always there: PTX on the CPU.
#pragma once
#include "runtime/Device.h"
#include "runtime/emulator/Emulator.h"

namespace fa4 {

struct EmulatorSettings {
  emulator::Options options;
  int smCount = 148; // of a B200; a persistent kernel launches as many CTAs
  /// CTAs along x that a launch gets at most, 0: all. Only for kernels that
  /// walk their tiles by the grid's size.
  uint32_t ctaLimit = 0;
};

/// Runs sm_100a and sm_90a. A launch is done when it returns; one whose kernel
/// did something wrong throws fa4::Error with every report.
class EmulatorDevice : public Device {
public:
  explicit EmulatorDevice(const EmulatorSettings &settings = {})
      : settings(settings) {}

  std::string name() const override { return "emulator"; }
  std::vector<std::string> archs() const override {
    return {"sm_100a", "sm_90a"};
  }
  int smCount() const override { return settings.smCount; }

  uint64_t allocate(uint64_t bytes, std::string_view name) override;
  void release(uint64_t address) override;
  void upload(uint64_t address, std::span<const std::byte> data) override;
  void download(uint64_t address, std::span<std::byte> data) override;
  void fill(uint64_t address, uint64_t bytes, std::byte value) override;

  std::unique_ptr<LoadedKernel> load(const KernelEntry &kernel) override;
  EncodedTensorMap encode(const TensorMapRequest &request) override;
  void launch(const LoadedKernel &kernel,
              const LaunchRequest &request) override;
  void synchronize() override {}

  /// For the launches that follow.
  void setOptions(const emulator::Options &options) {
    settings.options = options;
  }
  /// Of the last launch.
  const emulator::Statistics &statistics() const { return last; }

private:
  EmulatorSettings settings;
  emulator::GlobalMemory memory;
  emulator::Statistics last;
};

} // namespace fa4
