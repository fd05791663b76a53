// Which bits of the gradients depend on who goes first.
#include "test/kernels/BackwardRunner.h"
#include "test/kernels/ForwardCases.h"

#include <gtest/gtest.h>

#include <cstring>

namespace fa4::test {
namespace {

/// 16 random interleavings (and orders of dispatch), the eager and the late
/// one, in turn with 1, 7 and 74 CTAs that run at a time.
std::vector<emulator::Options> interleavings() {
  std::vector<emulator::Options> all;
  for (unsigned resident : {1, 7, 74}) {
    for (uint64_t seed = 0; seed < 18; ++seed) {
      emulator::Options &options = all.emplace_back();
      options.schedule = seed < 16    ? emulator::Schedule::Random
                         : seed == 16 ? emulator::Schedule::Eager
                                      : emulator::Schedule::Late;
      options.seed = seed;
      options.resident = resident;
    }
  }
  return all;
}

bool sameBits(const std::vector<float> &a, const std::vector<float> &b) {
  return a.size() == b.size() &&
         std::memcmp(a.data(), b.data(), a.size() * sizeof(float)) == 0;
}

struct Shape {
  int64_t seqlenQ, seqlenK, headDim, headsQ, headsKv, batch;
  bool causal;
  bool twoCta = false;
};

class BackwardDeterminism : public testing::TestWithParam<Shape> {
protected:
  BackwardDeterminism() {
    AttentionShape shape;
    shape.seqlenQ = GetParam().seqlenQ;
    shape.seqlenK = GetParam().seqlenK;
    shape.headDim = shape.headDimV = GetParam().headDim;
    shape.headsQ = GetParam().headsQ;
    shape.headsKv = GetParam().headsKv;
    shape.batch = GetParam().batch;
    shape.causal = GetParam().causal;
    options = optionsFor(shape);
    options.twoCta = GetParam().twoCta;
  }
  bool within(const BackwardOutcome &outcome) {
    return checkAttention(options, inputs, outcome.computed).within;
  }

  RunOptions options;
  HostInputs inputs;
};

TEST_P(BackwardDeterminism, OrderedSumsHaveTheSameBits) {
  options.deterministic = true;
  inputs = makeInputs(options, true);
  BackwardOutcome first;
  for (const emulator::Options &emulated : interleavings()) {
    BackwardOutcome other = runBackward(options, inputs, emulated);
    ASSERT_EQ(other.finding, "");
    if (first.sums.empty())
      first = other;
    ASSERT_TRUE(sameBits(first.sums, other.sums));
    for (const char *name : {"dq", "dk", "dv"})
      ASSERT_TRUE(sameBits(first.computed[name], other.computed[name])) << name;
  }
  EXPECT_TRUE(within(first));
}

/// dK and dV are one CTA's, in any form; dQ is the sum of several, and some
/// interleaving shows it.
TEST_P(BackwardDeterminism, UnorderedSumsAreWithinTheBound) {
  inputs = makeInputs(options, true);
  BackwardOutcome first;
  int others = 0;
  for (const emulator::Options &emulated : interleavings()) {
    BackwardOutcome other = runBackward(options, inputs, emulated);
    ASSERT_EQ(other.finding, "");
    if (first.sums.empty())
      first = other;
    for (const char *name : {"dk", "dv"})
      ASSERT_TRUE(sameBits(first.computed[name], other.computed[name])) << name;
    if (!sameBits(first.sums, other.sums)) {
      ++others;
      EXPECT_TRUE(within(other));
    }
  }
  EXPECT_TRUE(within(first));
  EXPECT_GT(others, 0);
}

INSTANTIATE_TEST_SUITE_P(Shapes, BackwardDeterminism,
                         testing::Values(Shape{129, 385, 64, 2, 1, 1, false},
                                         Shape{200, 300, 96, 1, 1, 1, true},
                                         Shape{130, 390, 128, 1, 1, 2, true},
                                         Shape{129, 600, 128, 1, 1, 1, false,
                                               true}),
                         [](const auto &info) {
                           const Shape &s = info.param;
                           return fmt::format("q{}_k{}_d{}_{}{}", s.seqlenQ,
                                              s.seqlenK, s.headDim,
                                              s.causal ? "causal" : "full",
                                              s.twoCta ? "_pairs" : "");
                         });

} // namespace
} // namespace fa4::test
