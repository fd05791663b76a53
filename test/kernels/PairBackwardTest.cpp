// The backward by pairs of CTAs: against fp64 where lengths, mask, heads,
// layout and type meet, and under any interleaving of the two.
#include "test/kernels/BackwardRunner.h"
#include "test/kernels/ForwardCases.h"
#include "test/kernels/Pairwise.h"

#include <gtest/gtest.h>

namespace fa4::test {
namespace {

RunOptions pairOptions(int64_t seqlenQ, int64_t seqlenK, bool causal,
                       int64_t headsQ = 4, int64_t headsKv = 2,
                       ElementType type = ElementType::BF16,
                       int64_t headDim = 128) {
  AttentionShape shape;
  shape.headsQ = headsQ;
  shape.headsKv = headsKv;
  shape.seqlenQ = seqlenQ;
  shape.seqlenK = seqlenK;
  shape.headDim = headDim;
  shape.headDimV = 128;
  shape.causal = causal;
  RunOptions options = optionsFor(shape, type);
  options.twoCta = true;
  return options;
}

/// Lengths around a block of 128 queries, a CTA's 128 and a pair's 256 keys.
std::vector<RunOptions> allPairs() {
  constexpr int64_t lengths[] = {0, 1, 129, 300, 513};
  constexpr std::pair<int64_t, int64_t> heads[] = {{2, 2}, {2, 1}, {6, 2}};
  std::vector<RunOptions> cases;
  for (const std::vector<std::size_t> &at :
       pairwiseCases({5, 5, 2, 3, 2, 3, 2, 2})) {
    auto [headsQ, headsKv] = heads[at[3]];
    RunOptions options = pairOptions(
        lengths[at[0]], lengths[at[1]], at[2], headsQ, headsKv,
        at[4] ? ElementType::F16 : ElementType::BF16, at[7] ? 192 : 128);
    options.layout = static_cast<Layout>(at[5]);
    options.dLse = at[6];
    options.seed = cases.size();
    cases.push_back(options);
  }
  return cases;
}

class PairBackward : public testing::TestWithParam<RunOptions> {};

TEST_P(PairBackward, IsWithinTheBound) {
  EXPECT_EQ(complaintOfBackward(GetParam()), "");
}

INSTANTIATE_TEST_SUITE_P(Pairs, PairBackward, testing::ValuesIn(allPairs()),
                         [](const auto &info) { return caseName(info.param); });

/// Every score -3e4 or +3e4, or one key far above the others.
TEST(PairBackwardExtreme, IsWithinTheBound) {
  for (InputPattern pattern :
       {InputPattern::LargeNegative, InputPattern::LargePositive,
        InputPattern::OneKey}) {
    RunOptions options = pairOptions(129, 300, true);
    options.pattern = pattern;
    EXPECT_EQ(complaintOfBackward(options), "") << int(pattern);
  }
}

/// With one key P is 1: dV is dO, and nothing is left of dQ and dK.
TEST(PairBackwardExact, OneKeyPassesTheGradientOn) {
  RunOptions options = pairOptions(1, 1, false, 4, 4);
  HostInputs inputs = makeInputs(options, true);
  for (std::vector<float> *tensor :
       {&inputs.q, &inputs.k, &inputs.v, &inputs.dO})
    for (std::size_t i = 0; i < tensor->size(); ++i)
      (*tensor)[i] = static_cast<float>(int(i * 7 % 9) - 4);
  BackwardOutcome outcome = runBackward(options, inputs);
  ASSERT_EQ(outcome.finding, "");
  EXPECT_EQ(outcome.computed["dv"], inputs.dO);
  std::vector<float> zeros(inputs.q.size(), 0.0f);
  EXPECT_EQ(outcome.computed["dq"], zeros);
  EXPECT_EQ(outcome.computed["dk"], zeros);
}

/// 16 interleavings with 1 to 7 pairs at a time. dK and dV have the same bits
/// in all; so has dQ where one pair has all keys.
TEST(PairBackwardDeterminism, DoesNotDependOnTheInterleaving) {
  for (auto [seqlen, causal, headDim] :
       {std::tuple{256, true, 128}, {300, false, 128}, {256, false, 192}}) {
    RunOptions options =
        pairOptions(seqlen, seqlen, causal, 2, 1, ElementType::BF16, headDim);
    HostInputs inputs = makeInputs(options, true);
    BackwardOutcome first = runBackward(options, inputs);
    ASSERT_EQ(first.finding, "");
    for (unsigned seed = 0; seed < 16; ++seed) {
      emulator::Options emulated = everyCheck();
      emulated.schedule = seed == 0   ? emulator::Schedule::Late
                          : seed == 1 ? emulator::Schedule::Eager
                                      : emulator::Schedule::Random;
      emulated.seed = seed;
      emulated.resident = std::array{1, 2, 7}[seed % 3];
      BackwardOutcome other = runBackward(options, inputs, emulated);
      ASSERT_EQ(other.finding, "") << seed;
      EXPECT_EQ(first.computed["dk"], other.computed["dk"]);
      EXPECT_EQ(first.computed["dv"], other.computed["dv"]);
      if (seqlen <= 256)
        EXPECT_EQ(first.computed["dq"], other.computed["dq"]);
      EXPECT_TRUE(checkAttention(options, inputs, other.computed).within);
    }
  }
}

} // namespace
} // namespace fa4::test
