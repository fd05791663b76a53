// The polynomial exp2 as PTX on the emulator: its published accuracy.
#include "runtime/ElementType.h"
#include "runtime/emulator/Emulator.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

namespace fa4::test {
namespace {

constexpr std::size_t elementsOfTile = 1024;

template <typename T> std::vector<std::byte> bytesOf(T value) {
  std::vector<std::byte> bytes(sizeof(T));
  std::memcpy(bytes.data(), &value, sizeof(T));
  return bytes;
}

/// 2^x by the kernel of a degree; x has a multiple of 1024 elements.
std::vector<float> exp2OnEmulator(int degree, const std::vector<float> &x) {
  auto module = emulator::Module::load(
      fmt::format(FA4_EXP2_FOLDER "/exp2_{}.ptx", degree));
  emulator::GlobalMemory memory;
  uint64_t bytes = x.size() * sizeof(float);
  uint64_t from = memory.allocate(bytes, "x"), to = memory.allocate(bytes, "y");
  memory.write(from, std::as_bytes(std::span<const float>(x)));
  emulator::LaunchConfig config;
  config.entry = "exp2";
  config.grid = {8};
  config.block = {128};
  config.dynamicShared = 1024;
  config.parameters = {
      bytesOf(from), bytesOf(to),
      bytesOf(static_cast<uint32_t>(x.size() / elementsOfTile))};
  emulator::LaunchResult result = emulator::launch(module, memory, config);
  for (const emulator::Report &report : result.reports)
    ADD_FAILURE() << report.text();
  std::vector<float> y(x.size());
  memory.read(to, std::as_writable_bytes(std::span<float>(y)));
  return y;
}

double relativeError(float x, double y) {
  double exact = std::exp2(static_cast<double>(x));
  return std::abs(y - exact) / exact;
}

struct Accuracy {
  int degree;
  double f32; // largest relative error, as published
};

class Exp2 : public testing::TestWithParam<Accuracy> {};

/// 4M values over one octave: the others differ in the exponent alone.
TEST_P(Exp2, HasThePublishedAccuracy) {
  std::vector<float> x(std::size_t{1} << 22);
  for (std::size_t i = 0; i < x.size(); ++i)
    x[i] = static_cast<float>(i) / static_cast<float>(x.size()) - 1;
  std::vector<float> y = exp2OnEmulator(GetParam().degree, x);
  double f32 = 0, bf16 = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    f32 = std::max(f32, relativeError(x[i], y[i]));
    bf16 = std::max(bf16, relativeError(x[i], fromBF16(toBF16(y[i]))));
  }
  fmt::print("degree {}: f32 {:.3g}, bf16 {:.3g}\n", GetParam().degree, f32,
             bf16);
  // The table has three digits, two for bf16.
  EXPECT_NEAR(f32, GetParam().f32, 0.005 * GetParam().f32);
  EXPECT_NEAR(bf16, 3.9e-3, 0.05e-3);
}

/// Every octave down to the smallest normal number.
TEST_P(Exp2, IsAsAccurateInEveryOctave) {
  std::vector<float> x(126 * elementsOfTile);
  for (std::size_t i = 0; i < x.size(); ++i)
    x[i] = -126.0f * static_cast<float>(i) / static_cast<float>(x.size());
  std::vector<float> y = exp2OnEmulator(GetParam().degree, x);
  for (std::size_t i = 0; i < x.size(); ++i)
    ASSERT_LE(relativeError(x[i], y[i]), 1.005 * GetParam().f32) << x[i];
}

/// Below the range where the polynomial holds it goes to 0.
TEST_P(Exp2, GoesToZeroBelow) {
  constexpr float infinity = std::numeric_limits<float>::infinity();
  constexpr float far[] = {-127, -127.5f, -128, -150, -1e4f, -3e38f, -infinity};
  std::vector<float> x(elementsOfTile);
  for (std::size_t i = 0; i < x.size(); ++i)
    x[i] = i < 512 ? far[i % std::size(far)]
                   : -126 - static_cast<float>(i - 511) / 513;
  std::vector<float> y = exp2OnEmulator(GetParam().degree, x);
  for (std::size_t i = 0; i < x.size(); ++i) {
    EXPECT_GE(y[i], 0) << x[i];
    if (x[i] <= -127)
      EXPECT_EQ(y[i], 0) << x[i];
    else
      EXPECT_LE(y[i], std::numeric_limits<float>::min()) << x[i];
  }
}

constexpr Accuracy published[] = {{3, 8.77e-5}, {4, 3.05e-6}, {5, 1.44e-7}};
INSTANTIATE_TEST_SUITE_P(Degrees, Exp2, testing::ValuesIn(published),
                         [](const auto &info) {
                           return fmt::format("degree{}", info.param.degree);
                         });

} // namespace
} // namespace fa4::test
