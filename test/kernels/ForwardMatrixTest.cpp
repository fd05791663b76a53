// The forward kernels against fp64 where its lengths, mask, heads, dims and
// types meet.
#include "test/kernels/ForwardCases.h"
#include "test/kernels/ForwardRunner.h"
#include "test/kernels/Pairwise.h"

#include <gtest/gtest.h>

#include <set>

namespace fa4::test {
namespace {

class Forward : public testing::TestWithParam<RunOptions> {};

TEST_P(Forward, IsWithinTheBound) {
  ForwardRunner runner;
  EXPECT_EQ(complaintOf(runner, GetParam()), "");
}

auto nameOf = [](const testing::TestParamInfo<RunOptions> &info) {
  return caseName(info.param);
};
INSTANTIATE_TEST_SUITE_P(Pairs, Forward, testing::ValuesIn(forwardPairs()),
                         nameOf);
INSTANTIATE_TEST_SUITE_P(Hopper, Forward,
                         testing::ValuesIn(hopperForwardPairs()), nameOf);
INSTANTIATE_TEST_SUITE_P(Reported, Forward,
                         testing::ValuesIn(reportedLengths()), nameOf);

TEST(Pairwise, MeetsEveryPair) {
  const std::vector<std::size_t> sizes = {5, 4, 2, 3};
  std::set<std::vector<std::size_t>> met;
  auto cases = pairwiseCases(sizes);
  for (const auto &one : cases)
    for (std::size_t a = 0; a < sizes.size(); ++a)
      for (std::size_t b = a + 1; b < sizes.size(); ++b)
        met.insert({a, one[a], b, one[b]});
  EXPECT_EQ(met.size(), 5u * 4 + 5 * 2 + 5 * 3 + 4 * 2 + 4 * 3 + 2 * 3);
  EXPECT_LE(cases.size(), 24u);
}

} // namespace
} // namespace fa4::test
