// Kernels that are right, however suspicious they look: nothing is reported
// under any schedule.
#include "Harness.h"
#include <gtest/gtest.h>

namespace fa4::emulator::test {
namespace {

struct RightCase {
  const char *name;
  const char *kernel;
  std::vector<Edit> edits;
};

void PrintTo(const RightCase &c, std::ostream *out) { *out << c.name; }

class RightKernels : public testing::TestWithParam<RightCase> {};

TEST_P(RightKernels, StaySilent) {
  for (Schedule schedule :
       {Schedule::Fifo, Schedule::Random, Schedule::Eager, Schedule::Late})
    for (bool strict : {false, true}) {
      const LaunchResult result = runChecked(
          {GetParam().kernel, GetParam().edits, schedule, 3, strict});
      EXPECT_TRUE(result.completed);
      EXPECT_EQ(textOf(result), "");
    }
}

const RightCase rightCases[] = {
    {"Exchange", "exchange", {}}, {"Warp", "warp", {}},
    {"Ring", "ring", {}},         {"Store", "store", {}},
    {"Tmem", "tmem", {}},         {"Cluster", "cluster", {}},
    {"Wgmma", "wgmma", {}},       {"Copy", "copy", {}},
    {"Global", "global", {}},     {"Bulk", "bulk", {}},
};

INSTANTIATE_TEST_SUITE_P(All, RightKernels, testing::ValuesIn(rightCases),
                         [](const auto &info) { return info.param.name; });

} // namespace
} // namespace fa4::emulator::test
