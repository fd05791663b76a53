// The GEMM that LLVM's back end printed, under every schedule.
#include "LaunchHelper.h"

#include "runtime/emulator/TensorMap.h"

#include <cmath>

namespace fa4::emulator::test {
namespace {

TensorMap operandMap(uint64_t address) {
  TensorMapArguments arguments;
  arguments.rank = 2;
  arguments.address = address;
  arguments.dims = {64, 128};
  arguments.strides = {128};
  arguments.box = {64, 128};
  arguments.swizzle = Swizzle::Span128;
  arguments.l2Promotion = 2;
  return encodeTiled(arguments);
}

class GemmTest : public testing::TestWithParam<Schedule> {};

TEST_P(GemmTest, MultipliesByTheTranspose) {
  constexpr size_t m = 128, n = 128, k = 64;
  auto a = randomBf16(m * k, 1), b = randomBf16(n * k, 2);
  GlobalMemory memory;
  uint64_t out = memory.allocate(m * n * 4, "c");
  LaunchConfig config;
  config.entry = "gemm_128x128x64";
  config.block = {128, 1, 1};
  config.parameters = {parameter(operandMap(upload(memory, asBf16(a), "a"))),
                       parameter(operandMap(upload(memory, asBf16(b), "b"))),
                       parameter(out)};
  Options options;
  options.schedule = GetParam();
  LaunchResult result =
      launch(Module::load(inputPath("gemm.ptx")), memory, config, options);
  ASSERT_TRUE(result.completed) << reportsOf(result);
  EXPECT_EQ(reportsOf(result), "");
  auto c = download<float>(memory, out, m * n);
  double worst = 0;
  for (size_t i = 0; i < m; ++i)
    for (size_t j = 0; j < n; ++j) {
      double sum = 0;
      for (size_t x = 0; x < k; ++x)
        sum += double(a[i * k + x]) * b[j * k + x];
      worst = std::max(worst, std::abs(sum - c[i * n + j]));
    }
  EXPECT_LT(worst, 1e-5);
  EXPECT_EQ(result.statistics.mmaFlops, 2 * m * n * k);
  EXPECT_EQ(result.statistics.tmaLoadBytes, 2 * (m + n) * k);
}

INSTANTIATE_TEST_SUITE_P(Schedules, GemmTest,
                         testing::Values(Schedule::Fifo, Schedule::Random,
                                         Schedule::Eager, Schedule::Late));

} // namespace
} // namespace fa4::emulator::test
