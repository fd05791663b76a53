#include "runtime/cuda/CudaDevice.h"
#include "ExpectError.h"
#include "runtime/Manifest.h"

#include <cstring>
#include <fstream>
#include <map>

#include <dlfcn.h>

namespace fa4 {
namespace {

/// What the fake driver below was asked for, and what it answers.
struct Calls {
  cuda::LaunchConfig launch{};
  std::vector<cuda::LaunchAttribute> attributes;
  std::vector<uint64_t> parameters;
  std::map<int, int> functionAttributes;
  std::string image;
  int modules = 0, streams = 0, contexts = 0, devices = 1;
  cuda::Result launchResult = 0, streamResult = 0, loadResult = 0;
  int mapType = -1, swizzle = -1, promotion = -1;
};
thread_local Calls calls;

cuda::Result succeed() { return 0; }

cuda::Driver fakeDriver() {
  cuda::Driver d{};
  calls = {};
  d.init = [](unsigned) { return succeed(); };
  d.errorName = [](cuda::Result, const char **name) {
    *name = "CUDA_ERROR_FAKE";
    return succeed();
  };
  d.errorText = [](cuda::Result, const char **text) {
    *text = "it did not work";
    return succeed();
  };
  d.deviceCount = [](int *count) {
    *count = calls.devices;
    return succeed();
  };
  d.deviceGet = [](cuda::DeviceId *id, int) {
    *id = 0;
    return succeed();
  };
  d.deviceName = [](char *name, int, cuda::DeviceId) {
    std::strcpy(name, "Fake 9000");
    return succeed();
  };
  d.deviceAttribute = [](int *value, int which, cuda::DeviceId) {
    *value = which == cuda::computeCapabilityMajor   ? 9
             : which == cuda::computeCapabilityMinor ? 0
                                                     : 132;
    return succeed();
  };
  d.retainContext = [](cuda::Context *context, cuda::DeviceId) {
    *context = reinterpret_cast<cuda::Context>(&calls);
    ++calls.contexts;
    return succeed();
  };
  d.releaseContext = [](cuda::DeviceId) {
    --calls.contexts;
    return succeed();
  };
  d.setContext = [](cuda::Context) { return succeed(); };
  d.createStream = [](cuda::Stream *stream, unsigned) {
    *stream = reinterpret_cast<cuda::Stream>(&calls);
    ++calls.streams;
    return succeed();
  };
  d.destroyStream = [](cuda::Stream) {
    --calls.streams;
    return succeed();
  };
  d.synchronizeStream = [](cuda::Stream) { return calls.streamResult; };
  d.loadModule = [](cuda::Module *module, const void *image, unsigned,
                    unsigned *, void **) {
    calls.image.assign(static_cast<const char *>(image), 4);
    *module = reinterpret_cast<cuda::Module>(&calls);
    ++calls.modules;
    return calls.loadResult;
  };
  d.unloadModule = [](cuda::Module) {
    --calls.modules;
    return succeed();
  };
  d.getFunction = [](cuda::Function *, cuda::Module, const char *) {
    return succeed();
  };
  d.setFunctionAttribute = [](cuda::Function, int which, int value) {
    calls.functionAttributes[which] = value;
    return succeed();
  };
  d.launch = [](const cuda::LaunchConfig *config, cuda::Function,
                void **parameters, void **) {
    calls.launch = *config;
    calls.attributes.assign(config->attributes,
                            config->attributes + config->attributeCount);
    calls.parameters = {*static_cast<uint64_t *>(parameters[0])};
    return calls.launchResult;
  };
  d.encodeTiled = [](void *, int type, uint32_t, void *, const uint64_t *,
                     const uint64_t *, const uint32_t *, const uint32_t *, int,
                     int swizzle, int promotion, int) {
    calls.mapType = type;
    calls.swizzle = swizzle;
    calls.promotion = promotion;
    return succeed();
  };
  return d;
}

KernelEntry kernelEntry() {
  KernelEntry kernel;
  kernel.name = "k";
  kernel.entry = "k_entry";
  kernel.cubinPath = testing::TempDir() + "/fa4_cuda_test.cubin";
  kernel.ptxPath = testing::TempDir() + "/fa4_cuda_test.ptx";
  kernel.dynamicShared = 200000;
  kernel.cluster = {2, 1, 1};
  std::ofstream(kernel.cubinPath) << "\x7f" << "ELF";
  std::ofstream(kernel.ptxPath) << ".version 8.8";
  return kernel;
}

void launchOnce(Device &device, const LoadedKernel &loaded) {
  uint64_t value = 42;
  std::vector<std::span<const std::byte>> parameters = {
      std::as_bytes(std::span(&value, 1))};
  LaunchRequest request;
  request.grid = {6, 1, 1};
  request.block = {128, 1, 1};
  request.cluster = {2, 1, 1};
  request.dynamicShared = 200000;
  request.programmaticLaunch = true;
  request.parameters = parameters;
  device.launch(loaded, request);
}

// Without a driver there is one message that says so.
TEST(CudaDevice, NamesTheMissingDriver) {
  if (dlopen("libcuda.so.1", RTLD_NOW))
    GTEST_SKIP() << "this machine has a CUDA driver";
  EXPECT_THAT(errorOf([] { makeCudaDevice({}); }),
              testing::StartsWith("no CUDA driver: libcuda.so.1: "));
}

TEST(CudaDevice, NamesTheMissingDevice) {
  cuda::Driver driver = fakeDriver();
  calls.devices = 0;
  EXPECT_EQ(errorOf([&] { makeCudaDevice({}, driver); }),
            "no CUDA device 0: there are 0");
}

TEST(CudaDevice, DescribesTheDevice) {
  cuda::Driver driver = fakeDriver();
  auto device = makeCudaDevice({}, driver);
  EXPECT_EQ(device->name(), "Fake 9000");
  EXPECT_EQ(device->archs(), std::vector<std::string>{"sm_90a"});
  EXPECT_EQ(device->smCount(), 132);
}

// Cluster, PDL, shared memory and parameters reach the driver.
TEST(CudaDevice, LaunchesWithAttributes) {
  cuda::Driver driver = fakeDriver();
  auto device = makeCudaDevice({}, driver);
  auto loaded = device->load(kernelEntry());
  EXPECT_EQ(calls.image, "\x7f"
                         "ELF");
  EXPECT_EQ(calls.functionAttributes[cuda::maxDynamicSharedBytes], 200000);
  launchOnce(*device, *loaded);
  EXPECT_EQ(calls.launch.grid[0], 6u);
  EXPECT_EQ(calls.launch.block[0], 128u);
  EXPECT_EQ(calls.launch.sharedBytes, 200000u);
  EXPECT_EQ(calls.parameters[0], 42u);
  ASSERT_EQ(calls.attributes.size(), 2u);
  EXPECT_EQ(calls.attributes[0].id, cuda::clusterDimension);
  EXPECT_EQ(calls.attributes[0].clusterDim[0], 2u);
  EXPECT_EQ(calls.attributes[1].id, cuda::programmaticSerialization);
  EXPECT_EQ(calls.attributes[1].programmaticAllowed, 1);
}

TEST(CudaDevice, ReleasesWhatItTook) {
  cuda::Driver driver = fakeDriver();
  {
    auto device = makeCudaDevice({}, driver);
    auto loaded = device->load(kernelEntry());
    EXPECT_EQ(calls.modules + calls.streams + calls.contexts, 3);
  }
  EXPECT_EQ(calls.modules, 0);
  EXPECT_EQ(calls.streams, 0);
  EXPECT_EQ(calls.contexts, 0);
}

// PTX makes the driver compile, which happens only where it is allowed.
TEST(CudaDevice, LoadsPtxOnlyWhenAllowed) {
  cuda::Driver driver = fakeDriver();
  KernelEntry kernel = kernelEntry();
  kernel.cubinPath = "";
  auto strict = makeCudaDevice({}, driver);
  EXPECT_EQ(errorOf([&] { strict->load(kernel); }),
            "kernel 'k' has no cubin, and compiling its PTX was not allowed "
            "(--allow-ptx)");
  auto lenient = makeCudaDevice({.allowPtx = true}, driver);
  lenient->load(kernel);
  EXPECT_EQ(calls.image, ".ver");
}

TEST(CudaDevice, EncodesTensorMaps) {
  cuda::Driver driver = fakeDriver();
  auto device = makeCudaDevice({}, driver);
  TensorMapRequest request{
      ElementType::BF16,    0x1000, {64, 8}, {128}, {64, 8},
      MapSwizzle::Bytes128, 256};
  device->encode(request);
  EXPECT_EQ(calls.mapType, 9);
  EXPECT_EQ(calls.swizzle, 3);
  EXPECT_EQ(calls.promotion, 3);
  request.strides = {120};
  EXPECT_EQ(errorOf([&] { device->encode(request); }),
            "stride of 120 bytes of dim 1 is not a multiple of 16");
}

TEST(CudaDevice, ErrorsNameTheKernel) {
  cuda::Driver driver = fakeDriver();
  auto device = makeCudaDevice({}, driver);
  auto loaded = device->load(kernelEntry());
  launchOnce(*device, *loaded);
  calls.streamResult = 700;
  EXPECT_EQ(errorOf([&] { device->synchronize(); }),
            "kernel 'k', or one before it: it did not work (CUDA_ERROR_FAKE)");
  calls.launchResult = 1;
  EXPECT_EQ(errorOf([&] { launchOnce(*device, *loaded); }),
            "launch of kernel 'k', grid 6x1x1, block 128x1x1, 200000 bytes of "
            "dynamic shared memory: it did not work (CUDA_ERROR_FAKE)");
  calls.loadResult = 209;
  EXPECT_THAT(errorOf([&] { device->load(kernelEntry()); }),
              testing::MatchesRegex("kernel 'k', loading '.*cubin': it did not "
                                    "work \\(CUDA_ERROR_FAKE\\)"));
}

} // namespace
} // namespace fa4
