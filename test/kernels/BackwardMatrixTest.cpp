// dQ, dK and dV against fp64 where lengths, mask, heads, dims and types meet.
#include "test/kernels/BackwardRunner.h"
#include "test/kernels/ForwardCases.h"

#include <gtest/gtest.h>

namespace fa4::test {
namespace {

class Backward : public testing::TestWithParam<RunOptions> {};

TEST_P(Backward, IsWithinTheBound) {
  EXPECT_EQ(complaintOfBackward(GetParam()), "");
}

auto nameOf = [](const testing::TestParamInfo<RunOptions> &info) {
  return caseName(info.param);
};
INSTANTIATE_TEST_SUITE_P(Pairs, Backward, testing::ValuesIn(backwardPairs()),
                         nameOf);

RunOptions square(int64_t seqlen, int64_t headDim, bool causal) {
  AttentionShape shape;
  shape.headsQ = 4;
  shape.headsKv = 2;
  shape.seqlenQ = shape.seqlenK = seqlen;
  shape.headDim = shape.headDimV = headDim;
  shape.causal = causal;
  return optionsFor(shape);
}

/// Every score -3e4 or +3e4, or one key far above the others.
TEST(BackwardExtreme, IsWithinTheBound) {
  for (InputPattern pattern :
       {InputPattern::LargeNegative, InputPattern::LargePositive,
        InputPattern::OneKey}) {
    for (bool causal : {false, true}) {
      RunOptions options = square(129, 128, causal);
      options.pattern = pattern;
      EXPECT_EQ(complaintOfBackward(options), "")
          << int(pattern) << (causal ? " causal" : " full");
    }
  }
}

/// With one key P is 1, so that nothing is left of dQ and dK; with integers
/// every sum is exact.
TEST(BackwardExact, OneKeyPassesTheGradientOn) {
  RunOptions options = square(1, 64, false);
  options.shape.headsKv = 4;
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

} // namespace
} // namespace fa4::test
