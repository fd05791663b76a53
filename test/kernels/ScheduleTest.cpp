// Each schedule flag off its default: the same result.
#include "test/kernels/ForwardRunner.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace fa4::test {
namespace {

const Bundle &schedules() {
  static const Bundle bundle = Bundle::load(FA4_SCHEDULES);
  return bundle;
}

class Schedule : public testing::TestWithParam<std::size_t> {};

TEST_P(Schedule, IsWithinTheBound) {
  const KernelEntry &kernel = schedules().kernels()[GetParam()];
  AttentionShape shape;
  shape.headsQ = shape.headsKv = 2;
  shape.seqlenQ = 300;
  shape.seqlenK = 470;
  shape.headDim = shape.headDimV = 64;
  shape.causal = std::get<bool>(kernel.key.at("causal"));
  const bool half = kernel.key.at("dtype") == KeyValue("f16");
  RunOptions options =
      optionsFor(shape, half ? ElementType::F16 : ElementType::BF16);
  HostInputs inputs = makeInputs(options, false);
  // The scores rise from block to block, so that the maximum moves.
  for (std::size_t i = 0; i < inputs.k.size(); ++i) {
    const std::size_t eighth = i * 8 / inputs.k.size();
    inputs.k[i] *= static_cast<float>(1 + eighth);
  }
  ForwardRunner runner;
  EXPECT_EQ(complaint(options, inputs,
                      runner.run(options, inputs, {.kernel = &kernel})),
            "");
}

INSTANTIATE_TEST_SUITE_P(
    Flags, Schedule,
    testing::Range<std::size_t>(0, schedules().kernels().size()),
    [](const auto &info) {
      std::string name = schedules().kernels()[info.param].name;
      std::replace(name.begin(), name.end(), '-', '_');
      return name;
    });

} // namespace
} // namespace fa4::test
