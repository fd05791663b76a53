#include "runtime/EmulatorDevice.h"

#include "runtime/Error.h"
#include "runtime/Manifest.h"
#include "runtime/emulator/TensorMap.h"

#include <algorithm>
#include <cstring>

namespace fa4 {
namespace {

struct EmulatedKernel : LoadedKernel {
  EmulatedKernel(emulator::Module module, const KernelEntry &kernel)
      : module(std::move(module)), name(kernel.name), entry(kernel.entry),
        warpNames(namesOf(kernel.roles)) {}

  /// "softmax0", "softmax1", "load": copies are numbered.
  static std::vector<std::string> namesOf(const std::vector<RoleWarps> &roles) {
    constexpr uint32_t warpsOfCopy = 4;
    std::vector<std::string> names;
    for (const RoleWarps &role : roles) {
      if (names.size() < role.firstWarp + role.warps)
        names.resize(role.firstWarp + role.warps);
      for (uint32_t warp = 0; warp < role.warps; ++warp) {
        names[role.firstWarp + warp] =
            role.warps > warpsOfCopy
                ? fmt::format("{}{}", role.name, warp / warpsOfCopy)
                : role.name;
      }
    }
    return names;
  }

  emulator::Module module;
  std::string name, entry;
  std::vector<std::string> warpNames;
};

emulator::TensorType tensorType(ElementType type) {
  switch (type) {
  case ElementType::BF16:
    return emulator::TensorType::Bf16;
  case ElementType::F16:
    return emulator::TensorType::F16;
  case ElementType::F32:
    return emulator::TensorType::F32;
  case ElementType::F64:
    return emulator::TensorType::F64;
  case ElementType::I32:
    return emulator::TensorType::S32;
  case ElementType::U32:
    return emulator::TensorType::U32;
  case ElementType::U8:
    return emulator::TensorType::U8;
  }
  return emulator::TensorType::U8;
}

emulator::Swizzle swizzleOf(MapSwizzle swizzle) {
  switch (swizzle) {
  case MapSwizzle::Bytes32:
    return emulator::Swizzle::Span32;
  case MapSwizzle::Bytes64:
    return emulator::Swizzle::Span64;
  case MapSwizzle::Bytes128:
    return emulator::Swizzle::Span128;
  case MapSwizzle::None:
    break;
  }
  return emulator::Swizzle::None;
}

/// CUtensorMapL2promotion: 0 none, 1 64B, 2 128B, 3 256B.
uint32_t promotionCode(uint32_t bytes) {
  return bytes == 0 ? 0 : bytes == 64 ? 1 : bytes == 128 ? 2 : 3;
}

emulator::Dim3 dim3(const std::array<uint32_t, 3> &extent) {
  return {extent[0], extent[1], extent[2]};
}

std::string findings(const std::string &name,
                     const emulator::LaunchResult &result) {
  std::string text =
      fmt::format("kernel '{}': {} finding{} of the emulator", name,
                  result.reports.size(), result.reports.size() == 1 ? "" : "s");
  for (const emulator::Report &report : result.reports)
    text += "\n" + report.text();
  return text;
}

} // namespace

uint64_t EmulatorDevice::allocate(uint64_t bytes, std::string_view name) {
  return memory.allocate(bytes, name);
}

void EmulatorDevice::release(uint64_t address) { memory.release(address); }

void EmulatorDevice::upload(uint64_t address, std::span<const std::byte> data) {
  if (!data.empty())
    memory.write(address, data);
}

void EmulatorDevice::download(uint64_t address, std::span<std::byte> data) {
  if (!data.empty())
    memory.read(address, data);
}

void EmulatorDevice::fill(uint64_t address, uint64_t bytes, std::byte value) {
  if (bytes == 0)
    return;
  std::byte *at = memory.find(address, bytes);
  if (!at)
    fail("fill of {} bytes at {:#x}, {}", bytes, address,
         memory.describe(address));
  std::memset(at, std::to_integer<int>(value), bytes);
}

std::unique_ptr<LoadedKernel> EmulatorDevice::load(const KernelEntry &kernel) {
  if (kernel.ptxPath.empty())
    fail("kernel '{}' has no PTX, the emulator needs it", kernel.name);
  emulator::Module module = emulator::Module::load(kernel.ptxPath);
  module.entry(kernel.entry);
  return std::make_unique<EmulatedKernel>(std::move(module), kernel);
}

EncodedTensorMap EmulatorDevice::encode(const TensorMapRequest &request) {
  emulator::TensorMapArguments arguments;
  arguments.type = tensorType(request.type);
  arguments.rank = static_cast<uint32_t>(request.dims.size());
  arguments.address = request.address;
  std::copy(request.dims.begin(), request.dims.end(), arguments.dims.begin());
  std::copy(request.strides.begin(), request.strides.end(),
            arguments.strides.begin());
  std::copy(request.box.begin(), request.box.end(), arguments.box.begin());
  arguments.swizzle = swizzleOf(request.swizzle);
  arguments.l2Promotion = promotionCode(request.l2Promotion);
  emulator::TensorMap map = emulator::encodeTiled(arguments);
  EncodedTensorMap encoded;
  std::memcpy(encoded.bytes.data(), &map, sizeof(map));
  return encoded;
}

void EmulatorDevice::launch(const LoadedKernel &kernel,
                            const LaunchRequest &request) {
  const auto &emulated = static_cast<const EmulatedKernel &>(kernel);
  emulator::LaunchConfig config;
  config.entry = emulated.entry;
  config.grid = dim3(request.grid);
  config.block = dim3(request.block);
  config.cluster = dim3(request.cluster);
  if (settings.ctaLimit) { // of whole clusters
    const uint32_t width = config.cluster.x;
    const uint32_t limit = std::max(settings.ctaLimit / width, 1u) * width;
    config.grid.x = std::min(config.grid.x, limit);
  }
  config.dynamicShared = request.dynamicShared;
  config.warpNames = emulated.warpNames;
  for (std::span<const std::byte> bytes : request.parameters)
    config.parameters.emplace_back(bytes.begin(), bytes.end());
  emulator::LaunchResult result;
  try {
    result =
        emulator::launch(emulated.module, memory, config, settings.options);
  } catch (const Error &error) {
    fail("kernel '{}': {}", emulated.name, error.what());
  }
  last = result.statistics;
  if (!result.reports.empty())
    fail("{}", findings(emulated.name, result));
  if (!result.completed)
    fail("kernel '{}' did not run to its end", emulated.name);
}

} // namespace fa4
