#include "ExpectError.h"
#include "runtime/DeviceBuffer.h"
#include "runtime/Launcher.h"
#include "runtime/cuda/CudaDevice.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <optional>

namespace fa4 {
namespace {

/// The bundle of this folder on a real GPU; the driver compiles its PTX.
struct CudaHardwareTest : testing::Test {
  std::unique_ptr<TimedDevice> device;
  Bundle bundle = Bundle::load(FA4_TEST_BUNDLE);
  std::optional<Launcher> launcher;

  void SetUp() override {
    try {
      device = makeCudaDevice({.ordinal = 0, .allowPtx = true, .stream = {}});
    } catch (const Error &error) {
      GTEST_SKIP() << error.what();
    }
    if (device->archs().front() != "sm_90a")
      GTEST_SKIP() << "the bundle is for sm_90a, this is "
                   << device->archs().front();
    launcher.emplace(*device);
  }

  std::vector<float> counting(int count) {
    std::vector<float> values;
    for (int i = 0; i < count; ++i)
      values.push_back(static_cast<float>(i % 250));
    return values;
  }
  std::unique_ptr<Plan> prepare(const std::string &op,
                                const LaunchArguments &arguments) {
    return launcher->prepare(bundle.select({op, {}, device->archs(), {}}),
                             arguments);
  }
};

TEST_F(CudaHardwareTest, ScalesAVector) {
  std::vector<float> values = counting(300);
  DeviceBuffer x(*device, 1200, "x"), y(*device, 1200, "y");
  device->upload(x.address(), std::as_bytes(std::span<const float>(values)));
  auto plan = prepare(
      "scale",
      {{{"x", Tensor::contiguous(x.address(), ElementType::F32, {300})},
        {"y", Tensor::contiguous(y.address(), ElementType::F32, {300})}},
       {{"factor", 0.5}}});
  device->recordEvent(0);
  plan->launch();
  device->recordEvent(1);
  EXPECT_GT(device->millisecondsBetween(0, 1), 0);
  std::vector<float> result(300);
  device->download(y.address(), std::as_writable_bytes(std::span(result)));
  for (int i = 0; i < 300; ++i)
    EXPECT_EQ(result[i], 0.5f * values[i]);
}

TEST_F(CudaHardwareTest, CopiesByTensorMap) {
  std::vector<float> values = counting(13 * 72);
  std::vector<std::byte> bytes = encodeElements(ElementType::BF16, values);
  DeviceBuffer in(*device, bytes.size(), "in"), out(*device, 13 * 128, "out");
  device->upload(in.address(), bytes);
  Tensor strided =
      Tensor::contiguous(in.address(), ElementType::BF16, {13, 64});
  strided.strides = {72, 1};
  prepare("copy", {{{"in", strided},
                    {"out", Tensor::contiguous(out.address(), ElementType::BF16,
                                               {13, 64})}},
                   {}})
      ->launch();
  std::vector<std::byte> copied(13 * 128);
  device->download(out.address(), copied);
  std::vector<float> result = decodeElements(ElementType::BF16, copied);
  for (int row = 0; row < 13; ++row)
    for (int column = 0; column < 64; ++column)
      EXPECT_EQ(result[row * 64 + column], values[row * 72 + column]);
}

// A prepared plan costs the host at most 5 us more than the bare driver call.
TEST_F(CudaHardwareTest, LaunchOverhead) {
  constexpr int launches = 200;
  DeviceBuffer x(*device, 1200, "x"), y(*device, 1200, "y");
  auto plan = prepare(
      "scale",
      {{{"x", Tensor::contiguous(x.address(), ElementType::F32, {300})},
        {"y", Tensor::contiguous(y.address(), ElementType::F32, {300})}},
       {{"factor", 0.5}}});
  auto medianTime = [&](auto &&batch) {
    std::vector<double> times;
    for (int i = 0; i < 21; ++i) {
      auto start = std::chrono::steady_clock::now();
      batch();
      std::chrono::duration<double, std::micro> elapsed =
          std::chrono::steady_clock::now() - start;
      times.push_back(elapsed.count() / launches);
      device->synchronize();
    }
    std::sort(times.begin(), times.end());
    return times[times.size() / 2];
  };
  double planned = medianTime([&] {
    for (int i = 0; i < launches; ++i)
      plan->launch();
  });
  double bare = medianTime([&] {
    device->launchBare(plan->loadedKernel(), plan->launchRequest(), launches);
  });
  std::printf("plan %.3f us, bare %.3f us\n", planned, bare);
  EXPECT_LT(planned - bare, 5);
}

} // namespace
} // namespace fa4
