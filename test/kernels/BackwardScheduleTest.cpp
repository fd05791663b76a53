// Each schedule flag of fa4_bwd off its default: the same gradients.
#include "test/kernels/BackwardRunner.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace fa4::test {
namespace {

/// The bundle's backward kernels.
std::vector<KernelEntry> variants() {
  std::vector<KernelEntry> found;
  const Bundle bundle = Bundle::load(FA4_SCHEDULES);
  for (const KernelEntry &kernel : bundle.kernels())
    if (kernel.op == "attention_backward")
      found.push_back(kernel);
  return found;
}

class BackwardSchedule : public testing::TestWithParam<KernelEntry> {};

TEST_P(BackwardSchedule, IsWithinTheBound) {
  const Key &key = GetParam().key;
  AttentionShape shape;
  shape.batch = 2;
  shape.headsQ = 4;
  shape.headsKv = 2;
  shape.seqlenQ = 300;
  shape.seqlenK = 400;
  shape.headDim = shape.headDimV = std::get<int64_t>(key.at("head_dim"));
  shape.causal = std::get<bool>(key.at("causal"));
  RunOptions options = optionsFor(shape);
  options.kernels = FA4_SCHEDULES;
  options.deterministic = key.contains("deterministic");
  options.twoCta = key.contains("two_cta");
  HostInputs inputs = makeInputs(options, true);
  for (const char *flag : {"q_stages", "sum_stages", "compute_registers",
                           "reduce_registers", "key_order"})
    if (key.contains(flag))
      options.keys.push_back(
          fmt::format("{}={}", flag, std::get<int64_t>(key.at(flag))));
  BackwardOutcome outcome = runBackward(options, inputs);
  ASSERT_EQ(outcome.finding, "");
  EXPECT_TRUE(checkAttention(options, inputs, outcome.computed).within);
}

INSTANTIATE_TEST_SUITE_P(Flags, BackwardSchedule, testing::ValuesIn(variants()),
                         [](const auto &info) {
                           std::string name = info.param.name;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

} // namespace
} // namespace fa4::test
