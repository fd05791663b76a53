#include "runtime/cuda/CudaDevice.h"

#include "runtime/AtomicFile.h"
#include "runtime/Error.h"
#include "runtime/Manifest.h"

#include <algorithm>
#include <array>
#include <bit>
#include <vector>

namespace fa4 {
namespace {

using cuda::Driver;
using cuda::Result;

constexpr std::size_t maximumParameters = 256;
constexpr uint32_t portableCluster = 8; // CTAs; more need the kernel's consent
constexpr std::size_t jitLogBytes = 8192;

class CudaKernel : public LoadedKernel {
public:
  CudaKernel(const Driver &driver, const std::string &name)
      : driver(driver), name(std::make_shared<const std::string>(name)) {}
  CudaKernel(const CudaKernel &) = delete;
  ~CudaKernel() override {
    if (module)
      driver.unloadModule(module);
  }

  const Driver &driver;
  std::shared_ptr<const std::string> name; // outlives it in the device
  cuda::Module module = nullptr;
  cuda::Function function = nullptr;
};

/// CUtensorMapDataType.
int mapType(ElementType type) {
  switch (type) {
  case ElementType::U8:
    return 0;
  case ElementType::U32:
    return 2;
  case ElementType::I32:
    return 3;
  case ElementType::F16:
    return 6;
  case ElementType::F32:
    return 7;
  case ElementType::F64:
    return 8;
  case ElementType::BF16:
    return 9;
  }
  return -1;
}

/// CUtensorMapL2promotion: 64 bytes is 1, 128 is 2, 256 is 3.
int promotionCode(uint32_t bytes) {
  return bytes == 0 ? 0 : std::countr_zero(bytes) - 5;
}

/// A request in the driver's form.
class DriverCall {
public:
  DriverCall(const LaunchRequest &request, cuda::Stream stream,
             const std::string &kernel)
      : config{{request.grid[0], request.grid[1], request.grid[2]},
               {request.block[0], request.block[1], request.block[2]},
               request.dynamicShared,
               stream,
               attributes.data(),
               0} {
    const std::array<uint32_t, 3> &cluster = request.cluster;
    if (cluster[0] * cluster[1] * cluster[2] > 1) {
      cuda::LaunchAttribute &to = attributes[config.attributeCount++];
      to.id = cuda::clusterDimension;
      std::copy(cluster.begin(), cluster.end(), to.clusterDim);
    }
    if (request.programmaticLaunch) {
      cuda::LaunchAttribute &to = attributes[config.attributeCount++];
      to.id = cuda::programmaticSerialization;
      to.programmaticAllowed = 1;
    }
    if (request.parameters.size() > maximumParameters)
      fail("kernel '{}' has {} parameters, at most {} are supported", kernel,
           request.parameters.size(), maximumParameters);
    for (std::size_t i = 0; i < request.parameters.size(); ++i)
      pointers[i] = const_cast<std::byte *>(request.parameters[i].data());
  }
  DriverCall(const DriverCall &) = delete;

  Result launch(const Driver &driver, cuda::Function function) {
    return driver.launch(&config, function, pointers.data(), nullptr);
  }

private:
  std::array<cuda::LaunchAttribute, 2> attributes;
  std::array<void *, maximumParameters> pointers;
  cuda::LaunchConfig config;
};

class CudaDevice : public TimedDevice {
public:
  CudaDevice(const CudaSettings &settings, const Driver &driver)
      : driver(driver), settings(settings), stream(settings.stream) {
    check(driver.init(0), "cuInit");
    int count = 0;
    check(driver.deviceCount(&count), "cuDeviceGetCount");
    if (settings.ordinal >= count)
      fail("no CUDA device {}: there are {}", settings.ordinal, count);
    check(driver.deviceGet(&id, settings.ordinal), "cuDeviceGet");
    check(driver.retainContext(&context, id), "cuDevicePrimaryCtxRetain");
    check(driver.setContext(context), "cuCtxSetCurrent");
    if (!stream)
      check(driver.createStream(&stream, cuda::nonBlockingStream),
            "cuStreamCreate");
  }
  CudaDevice(const CudaDevice &) = delete;

  ~CudaDevice() override {
    for (cuda::Event event : events)
      if (event)
        driver.destroyEvent(event);
    if (stream && stream != settings.stream)
      driver.destroyStream(stream);
    if (context)
      driver.releaseContext(id);
  }

  std::string name() const override {
    std::array<char, 256> text{};
    check(driver.deviceName(text.data(), int(text.size()), id),
          "cuDeviceGetName");
    return text.data();
  }

  std::vector<std::string> archs() const override {
    return {fmt::format("sm_{}{}a", attribute(cuda::computeCapabilityMajor),
                        attribute(cuda::computeCapabilityMinor))};
  }

  int smCount() const override { return attribute(cuda::multiprocessorCount); }

  uint64_t allocate(uint64_t bytes, std::string_view name) override {
    cuda::DevicePointer address = 0;
    // The driver refuses 0 bytes, a tensor may have them.
    check(driver.allocate(&address, std::max<uint64_t>(bytes, 1)),
          fmt::format("allocation of {} bytes for '{}'", bytes, name));
    return address;
  }

  void release(uint64_t address) override {
    check(driver.release(address), "cuMemFree");
  }

  void upload(uint64_t address, std::span<const std::byte> data) override {
    if (!data.empty())
      check(driver.upload(address, data.data(), data.size(), stream),
            fmt::format("copy of {} bytes to the device", data.size()));
  }

  void download(uint64_t address, std::span<std::byte> data) override {
    if (!data.empty())
      check(driver.download(data.data(), address, data.size(), stream),
            fmt::format("copy of {} bytes from the device", data.size()));
    synchronize();
  }

  void fill(uint64_t address, uint64_t bytes, std::byte value) override {
    if (bytes > 0)
      check(driver.fill(address, std::to_integer<unsigned char>(value), bytes,
                        stream),
            fmt::format("fill of {} bytes", bytes));
  }

  std::unique_ptr<LoadedKernel> load(const KernelEntry &kernel) override;
  EncodedTensorMap encode(const TensorMapRequest &request) override;
  void launch(const LoadedKernel &kernel,
              const LaunchRequest &request) override;
  void launchBare(const LoadedKernel &kernel, const LaunchRequest &request,
                  unsigned count) override;

  void synchronize() override {
    Result result = driver.synchronizeStream(stream);
    if (result != 0 && lastLaunched)
      check(result,
            fmt::format("kernel '{}', or one before it", *lastLaunched));
    check(result, "cuStreamSynchronize");
  }

  void recordEvent(unsigned index) override {
    if (index >= events.size())
      events.resize(index + 1);
    if (!events[index])
      check(driver.createEvent(&events[index], 0), "cuEventCreate");
    check(driver.recordEvent(events[index], stream), "cuEventRecord");
  }

  double millisecondsBetween(unsigned first, unsigned second) override {
    float milliseconds = 0;
    check(driver.synchronizeEvent(events.at(second)), "cuEventSynchronize");
    check(driver.elapsed(&milliseconds, events.at(first), events.at(second)),
          "cuEventElapsedTime");
    return milliseconds;
  }

private:
  void check(Result result, std::string_view what) const {
    if (result == 0)
      return;
    const char *name = nullptr, *text = nullptr;
    driver.errorName(result, &name);
    driver.errorText(result, &text);
    fail("{}: {} ({})", what, text ? text : "unknown error",
         name ? name : std::to_string(result));
  }

  int attribute(int which) const {
    int value = 0;
    check(driver.deviceAttribute(&value, which, id), "cuDeviceGetAttribute");
    return value;
  }

  void loadImage(CudaKernel &loaded, const KernelEntry &kernel);

  const Driver &driver;
  CudaSettings settings;
  cuda::DeviceId id = 0;
  cuda::Context context = nullptr;
  cuda::Stream stream;
  std::vector<cuda::Event> events;
  std::shared_ptr<const std::string> lastLaunched;
};

void CudaDevice::loadImage(CudaKernel &loaded, const KernelEntry &kernel) {
  if (!kernel.cubinPath.empty()) {
    std::vector<std::byte> image = readFile(kernel.cubinPath);
    check(driver.loadModule(&loaded.module, image.data(), 0, nullptr, nullptr),
          fmt::format("kernel '{}', loading '{}'", kernel.name,
                      kernel.cubinPath));
    return;
  }
  if (!settings.allowPtx)
    fail("kernel '{}' has no cubin, and compiling its PTX was not allowed "
         "(--allow-ptx)",
         kernel.name);
  std::string text = readTextFile(kernel.ptxPath);
  std::string log(jitLogBytes, '\0');
  unsigned options[] = {cuda::jitErrorLog, cuda::jitErrorLogBytes};
  void *values[] = {log.data(), reinterpret_cast<void *>(jitLogBytes)};
  Result result =
      driver.loadModule(&loaded.module, text.c_str(), 2, options, values);
  check(result, fmt::format("kernel '{}', compiling '{}': {}", kernel.name,
                            kernel.ptxPath, log.c_str()));
}

std::unique_ptr<LoadedKernel> CudaDevice::load(const KernelEntry &kernel) {
  auto loaded = std::make_unique<CudaKernel>(driver, kernel.name);
  loadImage(*loaded, kernel);
  check(driver.getFunction(&loaded->function, loaded->module,
                           kernel.entry.c_str()),
        fmt::format("kernel '{}', entry '{}'", kernel.name, kernel.entry));
  check(driver.setFunctionAttribute(loaded->function,
                                    cuda::maxDynamicSharedBytes,
                                    int(kernel.dynamicShared)),
        fmt::format("kernel '{}', {} bytes of dynamic shared memory",
                    kernel.name, kernel.dynamicShared));
  uint32_t cluster = kernel.cluster[0] * kernel.cluster[1] * kernel.cluster[2];
  if (cluster > portableCluster)
    check(driver.setFunctionAttribute(loaded->function,
                                      cuda::nonPortableClusterSize, 1),
          fmt::format("kernel '{}', cluster of {}", kernel.name, cluster));
  return loaded;
}

EncodedTensorMap CudaDevice::encode(const TensorMapRequest &request) {
  checkTensorMap(request);
  EncodedTensorMap map;
  const std::array<uint32_t, 5> elementStrides = {1, 1, 1, 1, 1};
  check(driver.encodeTiled(
            &map, mapType(request.type), uint32_t(request.dims.size()),
            reinterpret_cast<void *>(request.address), request.dims.data(),
            request.strides.data(), request.box.data(), elementStrides.data(),
            0, int(request.swizzle), promotionCode(request.l2Promotion), 0),
        "cuTensorMapEncodeTiled");
  return map;
}

void CudaDevice::launch(const LoadedKernel &kernel,
                        const LaunchRequest &request) {
  const auto &loaded = static_cast<const CudaKernel &>(kernel);
  DriverCall call(request, stream, *loaded.name);
  Result result = call.launch(driver, loaded.function);
  if (result != 0) {
    check(result,
          fmt::format("launch of kernel '{}', grid {}, block {}, {} bytes of "
                      "dynamic shared memory",
                      *loaded.name, fmt::join(request.grid, "x"),
                      fmt::join(request.block, "x"), request.dynamicShared));
  }
  lastLaunched = loaded.name;
}

void CudaDevice::launchBare(const LoadedKernel &kernel,
                            const LaunchRequest &request, unsigned count) {
  const auto &loaded = static_cast<const CudaKernel &>(kernel);
  DriverCall call(request, stream, *loaded.name);
  for (unsigned i = 0; i < count; ++i)
    check(call.launch(driver, loaded.function), "cuLaunchKernelEx");
}

} // namespace

std::unique_ptr<TimedDevice> makeCudaDevice(const CudaSettings &settings) {
  return makeCudaDevice(settings, cuda::loadDriver());
}

std::unique_ptr<TimedDevice> makeCudaDevice(const CudaSettings &settings,
                                            const Driver &driver) {
  return std::make_unique<CudaDevice>(settings, driver);
}

} // namespace fa4
