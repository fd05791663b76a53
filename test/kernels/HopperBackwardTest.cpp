// dQ, dK and dV of fa3_bwd against fp64, through what `fa4-run bwd --check`
// calls: the forward and three kernels, with every check of the emulator.
#include "runtime/Error.h"
#include "runtime/tools/fa4-run/Commands.h"
#include "test/kernels/ForwardCases.h"
#include "test/kernels/ForwardRunner.h"

#include <gtest/gtest.h>

namespace fa4::test {
namespace {

/// The forward's cases, with the head dims that the backward has.
std::vector<RunOptions> cases() {
  std::vector<RunOptions> all;
  for (const RunOptions &forward : hopperForwardPairs()) {
    AttentionShape shape = forward.shape;
    shape.headDim = shape.headDimV = shape.headDim <= 96 ? 64 : 128;
    RunOptions options = optionsFor(shape, forward.type);
    options.layout = forward.layout;
    options.seed = forward.seed;
    options.kernels = FA4_BUNDLE;
    options.arch = "sm_90a";
    options.check = options.canaries = true;
    options.dLse = forward.seed % 2;
    options.deterministic = all.size() % 2;
    options.emulator = {everyCheck()};
    all.push_back(options);
  }
  return all;
}

class HopperBackward : public testing::TestWithParam<RunOptions> {};

TEST_P(HopperBackward, IsWithinTheBound) {
  testing::internal::CaptureStdout();
  int status = 1;
  std::string finding;
  try {
    status = runAttention(GetParam(), true);
  } catch (const Error &error) {
    finding = error.what();
  }
  std::string text = testing::internal::GetCapturedStdout();
  EXPECT_EQ(status, 0) << text << finding;
}

INSTANTIATE_TEST_SUITE_P(Pairs, HopperBackward, testing::ValuesIn(cases()),
                         [](const testing::TestParamInfo<RunOptions> &info) {
                           return caseName(info.param) +
                                  (info.param.dLse ? "_dlse" : "") +
                                  (info.param.deterministic ? "_ordered" : "");
                         });

/// Several tiles of keys add to each dQ.
class HopperBackwardOrder : public testing::TestWithParam<bool> {};

TEST_P(HopperBackwardOrder, IsTheSameInEveryRun) {
  RunOptions options =
      optionsFor({1, 2, 1, 300, 517, 64, 64, GetParam(), 0}, ElementType::BF16);
  options.kernels = FA4_BUNDLE;
  options.arch = "sm_90a";
  options.deterministic = options.check = true;
  options.repeat = 16;
  options.emulator = {everyCheck()};
  for (uint32_t resident : {1u, 7u}) {
    options.emulator.options.schedule = emulator::Schedule::Random;
    options.emulator.options.resident = resident;
    testing::internal::CaptureStdout();
    const int status = runAttention(options, true);
    const std::string text = testing::internal::GetCapturedStdout();
    EXPECT_EQ(status, 0) << text;
    EXPECT_NE(text.find("16 runs: bitwise equal"), std::string::npos) << text;
  }
}

INSTANTIATE_TEST_SUITE_P(Masks, HopperBackwardOrder, testing::Bool());

} // namespace
} // namespace fa4::test
