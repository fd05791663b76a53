// Each lesson's kernel computes what its first lines say.
#include "test/kernels/ForwardRunner.h"

#include "runtime/tools/fa4-run/GuardedTensor.h"

#include <gtest/gtest.h>

namespace fa4::test {
namespace {

const KernelEntry &lesson(const std::string &name,
                          const std::string &arch = "sm_100a") {
  for (const KernelEntry &entry : builtBundle().kernels()) {
    if (std::get<std::string>(entry.key.at("kernel")) == name &&
        entry.arch == arch &&
        std::get<std::string>(entry.key.at("dtype")) == "bf16")
      return entry;
  }
  throw std::runtime_error("no kernel " + name);
}

/// Small integers: their products and sums are exact in bf16 and f32.
std::vector<float> integers(int64_t count, int period) {
  std::vector<float> values(count);
  const int half = period / 2;
  for (int64_t i = 0; i < count; ++i)
    values[i] = static_cast<float>(i % period - half);
  return values;
}

GuardedTensorSpec plain(const std::string &name, int64_t rows, int64_t cols,
                        bool output) {
  return {name, ElementType::BF16, {rows, cols}, Layout::Bshd, output, 4096};
}

TEST(Lessons, CopyMovesEveryElementAndNothingElse) {
  EmulatorDevice device({everyCheck()});
  constexpr int64_t rows = 300, cols = 136;
  GuardedTensor x(device, plain("x", rows, cols, false));
  GuardedTensor y(device, plain("y", rows, cols, true));
  std::vector<float> values = integers(rows * cols, 199);
  x.store(values);
  LaunchArguments arguments;
  arguments.tensors = {{"x", x.tensor()}, {"y", y.tensor()}};
  Launcher(device).prepare(lesson("tma_copy"), arguments)->launch();
  EXPECT_EQ(y.load(), values);
  EXPECT_EQ(y.damage(), std::nullopt);
}

struct GemmCase {
  const char *kernel, *arch;
};

class Gemm : public testing::TestWithParam<GemmCase> {};

void expectExactProduct(const KernelEntry &kernel,
                        const EmulatorSettings &settings, int64_t k = 136) {
  EmulatorDevice device(settings);
  constexpr int64_t m = 600, n = 264;
  GuardedTensor a(device, plain("a", m, k, false));
  GuardedTensor b(device, plain("b", n, k, false));
  GuardedTensor c(device, plain("c", m, n, true));
  std::vector<float> av = integers(m * k, 3), bv = integers(n * k, 5);
  a.store(av);
  b.store(bv);
  LaunchArguments arguments;
  arguments.tensors = {{"a", a.tensor()}, {"b", b.tensor()}, {"c", c.tensor()}};
  for (const char *name : {"a", "b"})
    arguments.tensors[name].strides[0] = std::max<int64_t>(k, 8);
  Launcher(device).prepare(kernel, arguments)->launch();
  std::vector<float> got = c.load();
  for (int64_t i = 0; i < m; ++i) {
    for (int64_t j = 0; j < n; ++j) {
      float sum = 0;
      for (int64_t l = 0; l < k; ++l)
        sum += av[i * k + l] * bv[j * k + l];
      ASSERT_EQ(got[i * n + j], sum) << "at " << i << ", " << j;
    }
  }
  EXPECT_EQ(c.damage(), std::nullopt);
}

TEST_P(Gemm, IsExactOnIntegers) {
  auto [kernel, arch] = GetParam();
  expectExactProduct(lesson(kernel, arch), {everyCheck()});
}

// An empty sum is 0.
TEST_P(Gemm, WritesZerosForNoColumns) {
  auto [kernel, arch] = GetParam();
  expectExactProduct(lesson(kernel, arch), {everyCheck()}, 0);
}

INSTANTIATE_TEST_SUITE_P(Lessons, Gemm,
                         testing::Values(GemmCase{"gemm", "sm_100a"},
                                         GemmCase{"gemm", "sm_90a"},
                                         GemmCase{"pair_gemm", "sm_100a"}),
                         [](const auto &info) {
                           return std::string(info.param.kernel) + "_" +
                                  info.param.arch;
                         });

/// Two CTAs hand over to each other in any order of events; a pair walks
/// several tiles, alone or beside others.
TEST(PairGemm, DoesNotDependOnTheInterleaving) {
  for (uint64_t seed = 0; seed < 16; ++seed) {
    EmulatorSettings settings{everyCheck()};
    settings.options.schedule = seed == 0   ? emulator::Schedule::Late
                                : seed == 1 ? emulator::Schedule::Eager
                                            : emulator::Schedule::Random;
    settings.options.seed = seed;
    settings.options.resident = 1 + seed % 3;
    settings.smCount = seed % 2 ? 3 : 8;
    expectExactProduct(lesson("pair_gemm"), settings);
  }
}

/// A limit of CTAs leaves whole pairs.
TEST(PairGemm, KeepsPairsUnderALimitOfCtas) {
  for (uint32_t limit : {1, 3}) {
    EmulatorSettings settings{everyCheck()};
    settings.ctaLimit = limit;
    expectExactProduct(lesson("pair_gemm"), settings);
  }
}

TEST(Lessons, AttentionIsWithinTheBound) {
  ForwardRunner runner;
  RunOptions options = optionsFor({.batch = 2,
                                   .headsQ = 2,
                                   .headsKv = 1,
                                   .seqlenQ = 200,
                                   .seqlenK = 333,
                                   .headDim = 64,
                                   .headDimV = 64});
  HostInputs inputs = makeInputs(options, false);
  EXPECT_EQ(complaint(options, inputs,
                      runner.run(options, inputs,
                                 {.kernel = &lesson("lesson_attention")})),
            "");
}

} // namespace
} // namespace fa4::test
