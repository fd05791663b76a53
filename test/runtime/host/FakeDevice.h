// A device that keeps memory in the host and records launches.
#pragma once

#include "runtime/Device.h"
#include "runtime/Manifest.h"

#include <cstring>
#include <map>

namespace fa4 {

struct FakeKernel : LoadedKernel {
  std::string name;
};

/// A launch with its parameters copied.
struct RecordedLaunch {
  std::string kernel;
  LaunchRequest request;
  std::vector<std::vector<std::byte>> parameters;

  template <typename Value> Value parameter(std::size_t index) const {
    Value value;
    EXPECT_EQ(parameters.at(index).size(), sizeof(value));
    std::memcpy(&value, parameters[index].data(), sizeof(value));
    return value;
  }
};

class FakeDevice : public Device {
public:
  std::string name() const override { return "fake"; }
  std::vector<std::string> archs() const override { return {"sm_100a"}; }
  int smCount() const override { return 148; }

  uint64_t allocate(uint64_t bytes, std::string_view) override {
    uint64_t address = next;
    next += (bytes + 2047) / 1024 * 1024;
    memory[address].resize(bytes, std::byte(0xff));
    return address;
  }
  void release(uint64_t address) override { memory.erase(address); }
  void upload(uint64_t address, std::span<const std::byte> data) override {
    std::memcpy(memory.at(address).data(), data.data(), data.size());
  }
  void download(uint64_t address, std::span<std::byte> data) override {
    std::memcpy(data.data(), memory.at(address).data(), data.size());
  }
  void fill(uint64_t address, uint64_t bytes, std::byte value) override {
    std::memset(memory.at(address).data(), std::to_integer<int>(value), bytes);
  }

  std::unique_ptr<LoadedKernel> load(const KernelEntry &kernel) override {
    ++loads;
    auto loaded = std::make_unique<FakeKernel>();
    loaded->name = kernel.name;
    return loaded;
  }
  EncodedTensorMap encode(const TensorMapRequest &request) override {
    maps.push_back(request);
    return {};
  }
  void launch(const LoadedKernel &kernel,
              const LaunchRequest &request) override {
    RecordedLaunch launch{
        static_cast<const FakeKernel &>(kernel).name, request, {}};
    for (std::span<const std::byte> bytes : request.parameters)
      launch.parameters.emplace_back(bytes.begin(), bytes.end());
    launches.push_back(launch);
  }
  void synchronize() override {}

  std::map<uint64_t, std::vector<std::byte>> memory;
  std::vector<TensorMapRequest> maps;
  std::vector<RecordedLaunch> launches;
  int loads = 0;

private:
  uint64_t next = 0x10000;
};

} // namespace fa4
