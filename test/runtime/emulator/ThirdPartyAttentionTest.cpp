// Triton's attention forward: tensor maps built on the device, SS and TS MMAs.
#include "LaunchHelper.h"

#include <cmath>

namespace fa4::emulator::test {
namespace {

constexpr size_t dim = 128;

struct Case {
  uint32_t batch, heads, length;
  Schedule schedule;
};

/// O and base-2 LSE of one head in double.
void reference(const float *q, const float *k, const float *v, size_t length,
               double scale, std::vector<double> &o, std::vector<double> &lse) {
  std::vector<double> score(length);
  for (size_t i = 0; i < length; ++i) {
    double largest = -INFINITY, sum = 0;
    for (size_t j = 0; j < length; ++j) {
      score[j] = 0;
      for (size_t x = 0; x < dim; ++x)
        score[j] += double(q[i * dim + x]) * k[j * dim + x];
      score[j] *= scale * M_LOG2E;
      largest = std::max(largest, score[j]);
    }
    for (double &s : score)
      sum += s = std::exp2(s - largest);
    for (size_t x = 0; x < dim; ++x) {
      double value = 0;
      for (size_t j = 0; j < length; ++j)
        value += score[j] * v[j * dim + x];
      o.push_back(value / sum);
    }
    lse.push_back(largest + std::log2(sum));
  }
}

class ThirdPartyAttentionTest : public testing::TestWithParam<Case> {};

TEST_P(ThirdPartyAttentionTest, MatchesDoublePrecision) {
  const Case &size = GetParam();
  const size_t rows = size_t(size.batch) * size.heads * size.length;
  auto q = randomBf16(rows * dim, 1), k = randomBf16(rows * dim, 2),
       v = randomBf16(rows * dim, 3);
  GlobalMemory memory;
  const float scale = 1 / std::sqrt(float(dim));
  const Dim3 grid{size.length / 128, size.batch * size.heads, 1};
  uint64_t o = memory.allocate(rows * dim * 2, "o");
  uint64_t lse = memory.allocate(rows * 4, "lse");
  uint64_t scratch = memory.allocate(512 * grid.count(), "scratch");
  LaunchConfig config;
  config.entry = "fa_fwd";
  config.block = {256, 1, 1};
  config.grid = grid;
  config.dynamicShared = 164416;
  config.parameters = {parameter(upload(memory, asBf16(q), "q")),
                       parameter(upload(memory, asBf16(k), "k")),
                       parameter(upload(memory, asBf16(v), "v")),
                       parameter(o),
                       parameter(lse),
                       parameter(scale),
                       parameter(size.batch),
                       parameter(size.heads),
                       parameter(size.length),
                       parameter(scratch),
                       parameter(uint64_t(0))};
  Options options;
  options.schedule = size.schedule;
  options.seed = 7;
  LaunchResult result =
      launch(Module::load(inputPath("third_party_fa_fwd_sm100a.ptx")), memory,
             config, options);
  ASSERT_TRUE(result.completed) << reportsOf(result);
  EXPECT_EQ(reportsOf(result), "");

  auto actual = download<uint16_t>(memory, o, rows * dim);
  auto actualLse = download<float>(memory, lse, rows);
  std::vector<double> expected, expectedLse;
  for (size_t head = 0; head < rows / size.length; ++head) {
    const size_t at = head * size.length * dim;
    reference(&q[at], &k[at], &v[at], size.length, scale, expected,
              expectedLse);
  }
  double worst = 0, worstLse = 0;
  for (size_t n = 0; n < expected.size(); ++n)
    worst = std::max(worst, std::abs(expected[n] - fromBf16(actual[n])));
  for (size_t n = 0; n < expectedLse.size(); ++n)
    worstLse = std::max(worstLse, std::abs(expectedLse[n] - actualLse[n]));
  // Values are at most 1; P and O are rounded to bf16.
  EXPECT_LT(worst, 0.004);
  EXPECT_LT(worstLse, 1e-4);
}

INSTANTIATE_TEST_SUITE_P(Shapes, ThirdPartyAttentionTest,
                         testing::Values(Case{1, 1, 128, Schedule::Fifo},
                                         Case{1, 2, 256, Schedule::Fifo},
                                         Case{2, 1, 512, Schedule::Fifo},
                                         Case{1, 1, 256, Schedule::Random},
                                         Case{1, 1, 256, Schedule::Eager},
                                         Case{1, 1, 256, Schedule::Late}));

} // namespace
} // namespace fa4::emulator::test
