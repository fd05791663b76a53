// Scores of large magnitude, and maxima that move from block to block.
#include "test/kernels/ForwardCases.h"
#include "test/kernels/ForwardRunner.h"
#include "test/kernels/ScorePattern.h"

#include <gtest/gtest.h>

#include <cmath>

namespace fa4::test {
namespace {

struct Extreme {
  const char *name;
  InputPattern pattern;
  ElementType type;
};

class ExtremeScores
    : public testing::TestWithParam<std::tuple<Extreme, int64_t, bool>> {};

TEST_P(ExtremeScores, AreWithinTheBound) {
  auto [extreme, seqlenQ, causal] = GetParam();
  AttentionShape shape;
  shape.seqlenQ = seqlenQ;
  shape.seqlenK = 300;
  shape.headDim = shape.headDimV = seqlenQ == 1 ? 128 : 64;
  shape.causal = causal;
  RunOptions options = optionsFor(shape, extreme.type);
  options.pattern = extreme.pattern;
  ForwardRunner runner;
  EXPECT_EQ(complaintOf(runner, options), "");
}

// f16 can't hold a score of 3e4 / scale, so its plain formula has no finite
// value to compare with.
constexpr Extreme extremes[] = {
    {"AllMinus3e4", InputPattern::LargeNegative, ElementType::BF16},
    {"AllPlus3e4", InputPattern::LargePositive, ElementType::BF16},
    {"OneKeyPlus60", InputPattern::OneKey, ElementType::BF16},
    {"OneKeyPlus60F16", InputPattern::OneKey, ElementType::F16}};

INSTANTIATE_TEST_SUITE_P(Patterns, ExtremeScores,
                         testing::Combine(testing::ValuesIn(extremes),
                                          testing::Values<int64_t>(1, 130, 300),
                                          testing::Bool()),
                         [](const auto &info) {
                           return fmt::format(
                               "{}_q{}_{}", std::get<0>(info.param).name,
                               std::get<1>(info.param),
                               std::get<2>(info.param) ? "causal" : "full");
                         });

struct Profile {
  const char *name;
  double (*score)(int64_t key);
};

/// The kernel visits blocks of 128 keys from the last to the first; log2(e)
/// times 5.5 is just below its rescale slack of 8.
constexpr Profile profiles[] = {
    {"RisesPastTheSlack", [](int64_t key) { return -30.0 * (key / 128); }},
    {"RisesBelowTheSlack", [](int64_t key) { return -5.5 * (key / 128); }},
    {"Falls", [](int64_t key) { return 30.0 * (key / 128); }},
    {"MaximumInTheFirstTile",
     [](int64_t key) { return std::array{8.0, -8.0, 0.0}[key / 128 % 3]; }},
    {"Alternates", [](int64_t key) { return key % 2 ? 60.0 : -60.0; }},
    {"AlternatesByBlock",
     [](int64_t key) { return key / 128 % 2 ? 60.0 : -60.0; }},
    {"OneBlockOfUnderflow",
     [](int64_t key) { return key < 128 ? 0.0 : -126.0 - key * 0.25; }}};

class ScoreProfile
    : public testing::TestWithParam<std::tuple<Profile, ElementType, bool>> {};

TEST_P(ScoreProfile, IsWithinTheBound) {
  auto [profile, type, causal] = GetParam();
  AttentionShape shape;
  shape.seqlenQ = 200;
  shape.seqlenK = 700;
  shape.headDim = shape.headDimV = 64;
  shape.causal = causal;
  RunOptions options = optionsFor(shape, type);
  HostInputs inputs = inputsWithScores(options, profile.score);
  ForwardRunner runner;
  EXPECT_EQ(complaint(options, inputs, runner.run(options, inputs)), "");
}

INSTANTIATE_TEST_SUITE_P(
    Profiles, ScoreProfile,
    testing::Combine(testing::ValuesIn(profiles),
                     testing::Values(ElementType::BF16, ElementType::F16),
                     testing::Bool()),
    [](const auto &info) {
      return fmt::format("{}_{}_{}", std::get<0>(info.param).name,
                         elementName(std::get<1>(info.param)),
                         std::get<2>(info.param) ? "causal" : "full");
    });

} // namespace
} // namespace fa4::test
