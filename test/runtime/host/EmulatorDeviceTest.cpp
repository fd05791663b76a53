#include "runtime/EmulatorDevice.h"
#include "ExpectError.h"
#include "runtime/DeviceBuffer.h"
#include "runtime/Launcher.h"

namespace fa4 {
namespace {

/// The bundle of this folder on the emulator.
struct EmulatorDeviceTest : testing::Test {
  EmulatorDevice device;
  Bundle bundle = Bundle::load(FA4_TEST_BUNDLE);
  Launcher launcher{device};

  const KernelEntry &kernel(const std::string &op) {
    return bundle.select({op, {}, device.archs(), {}});
  }
  DeviceBuffer upload(ElementType type, const std::vector<float> &values) {
    std::vector<std::byte> bytes = encodeElements(type, values);
    DeviceBuffer buffer(device, bytes.size(), "buffer");
    device.upload(buffer.address(), bytes);
    return buffer;
  }
  std::vector<float> download(ElementType type, const DeviceBuffer &buffer) {
    std::vector<std::byte> bytes(buffer.bytes());
    device.download(buffer.address(), bytes);
    return decodeElements(type, bytes);
  }
};

std::vector<float> counting(int count) {
  std::vector<float> values;
  for (int i = 0; i < count; ++i)
    values.push_back(static_cast<float>(i % 250));
  return values;
}

// Pointers and scalars: a vector of 300 elements in three blocks.
TEST_F(EmulatorDeviceTest, ScalesAVector) {
  DeviceBuffer x = upload(ElementType::F32, counting(300));
  DeviceBuffer y(device, 1200, "y");
  LaunchArguments arguments{
      {{"x", Tensor::contiguous(x.address(), ElementType::F32, {300})},
       {"y", Tensor::contiguous(y.address(), ElementType::F32, {300})}},
      {{"factor", 0.5}}};
  auto plan = launcher.prepare(kernel("scale"), arguments);
  EXPECT_EQ(plan->grid(), (std::array<uint32_t, 3>{3, 1, 1}));
  plan->launch();
  std::vector<float> result = download(ElementType::F32, y);
  for (int i = 0; i < 300; ++i)
    EXPECT_EQ(result[i], 0.5f * float(i % 250));
  EXPECT_GT(device.statistics().warpInstructions, 0u);
}

// Tensor maps over a strided tensor whose last box is partly out of bounds.
TEST_F(EmulatorDeviceTest, CopiesByTensorMap) {
  DeviceBuffer in = upload(ElementType::BF16, counting(13 * 72));
  DeviceBuffer out(device, 13 * 64 * 2, "out");
  Tensor strided =
      Tensor::contiguous(in.address(), ElementType::BF16, {13, 64});
  strided.strides = {72, 1};
  LaunchArguments arguments{
      {{"in", strided},
       {"out", Tensor::contiguous(out.address(), ElementType::BF16, {13, 64})}},
      {}};
  launcher.prepare(kernel("copy"), arguments)->launch();
  std::vector<float> result = download(ElementType::BF16, out);
  for (int row = 0; row < 13; ++row)
    for (int column = 0; column < 64; ++column)
      EXPECT_EQ(result[row * 64 + column], float((row * 72 + column) % 250));
}

// What the kernel does wrong is an error with the emulator's report.
TEST_F(EmulatorDeviceTest, ReportsWhatTheKernelDid) {
  DeviceBuffer x = upload(ElementType::F32, counting(300));
  DeviceBuffer y(device, 1200, "y");
  LaunchArguments arguments{
      {{"x", Tensor::contiguous(x.address(), ElementType::F32, {300})},
       {"y", Tensor::contiguous(y.address() + 16, ElementType::F32, {300})}},
      {{"factor", 0.5}}};
  std::string text =
      errorOf([&] { launcher.prepare(kernel("scale"), arguments)->launch(); });
  EXPECT_THAT(text, testing::StartsWith("kernel 'scale_sm90a': "));
  EXPECT_THAT(text, testing::HasSubstr("'y'"));
}

TEST_F(EmulatorDeviceTest, NeedsPtx) {
  KernelEntry entry = kernel("scale");
  entry.ptxPath = "";
  EXPECT_EQ(errorOf([&] { device.load(entry); }),
            "kernel 'scale_sm90a' has no PTX, the emulator needs it");
  entry = kernel("scale");
  entry.entry = "skale";
  EXPECT_THAT(errorOf([&] { device.load(entry); }),
              testing::HasSubstr("skale"));
}

TEST_F(EmulatorDeviceTest, ChecksFills) {
  DeviceBuffer x(device, 64, "x");
  device.fill(x.address(), 64, std::byte(0));
  EXPECT_EQ(download(ElementType::F32, x), std::vector<float>(16, 0));
  EXPECT_THAT(errorOf([&] { device.fill(x.address(), 65, std::byte(0)); }),
              testing::StartsWith("fill of 65 bytes at "));
}

} // namespace
} // namespace fa4
