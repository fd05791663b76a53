// The result does not depend on who goes first.
#include "test/kernels/ForwardCases.h"
#include "test/kernels/ForwardRunner.h"

#include <gtest/gtest.h>

#include <cstring>

namespace fa4::test {
namespace {

struct Shape {
  int64_t seqlenQ, seqlenK, heads, kvHeads, dim, dimV;
  bool causal;
};

class Determinism : public testing::TestWithParam<Shape> {};

RunOptions optionsOf(const Shape &s) {
  AttentionShape shape;
  shape.seqlenQ = s.seqlenQ;
  shape.seqlenK = s.seqlenK;
  shape.headsQ = s.heads;
  shape.headsKv = s.kvHeads;
  shape.headDim = s.dim;
  shape.headDimV = s.dimV;
  shape.causal = s.causal;
  return optionsFor(shape);
}

/// 16 random interleavings and the three orders that are fixed.
std::vector<emulator::Options> interleavings() {
  std::vector<emulator::Options> all(19);
  for (std::size_t i = 0; i < 16; ++i) {
    all[i].schedule = emulator::Schedule::Random;
    all[i].seed = i;
  }
  all[16].schedule = emulator::Schedule::Eager;
  all[17].schedule = emulator::Schedule::Late;
  all[18].schedule = emulator::Schedule::Fifo;
  return all;
}

bool sameBits(const std::vector<float> &a, const std::vector<float> &b) {
  return a.size() == b.size() &&
         std::memcmp(a.data(), b.data(), a.size() * sizeof(float)) == 0;
}

TEST_P(Determinism, EveryInterleavingGivesTheSameBits) {
  RunOptions options = optionsOf(GetParam());
  HostInputs inputs = makeInputs(options, false);
  ForwardOutcome first;
  for (const emulator::Options &emulated : interleavings()) {
    // Two SMs, so that a CTA walks several tiles and slots are reused.
    ForwardRunner runner({.options = emulated, .smCount = 2});
    ForwardOutcome outcome = runner.run(options, inputs);
    ASSERT_EQ(outcome.finding, "");
    if (first.o.empty())
      first = outcome;
    ASSERT_TRUE(sameBits(first.o, outcome.o) &&
                sameBits(first.lse, outcome.lse))
        << "schedule " << static_cast<int>(emulated.schedule) << ", seed "
        << emulated.seed;
  }
  EXPECT_EQ(complaint(options, inputs, first), "");
}

constexpr Shape shapes[] = {
    {1, 1, 1, 1, 128, 128, false},     {129, 257, 2, 1, 64, 64, false},
    {300, 300, 2, 2, 64, 64, true},    {257, 511, 2, 1, 96, 96, true},
    {256, 384, 2, 2, 128, 128, false}, {300, 400, 2, 1, 128, 128, true},
    {200, 600, 1, 1, 192, 128, false}, {513, 129, 1, 1, 192, 128, true}};

INSTANTIATE_TEST_SUITE_P(Shapes, Determinism, testing::ValuesIn(shapes),
                         [](const auto &info) {
                           return caseName(optionsOf(info.param));
                         });

} // namespace
} // namespace fa4::test
