// Strides and base addresses don't change a bit of the result.
#include "test/kernels/ForwardCases.h"
#include "test/kernels/ForwardRunner.h"

#include <gtest/gtest.h>

namespace fa4::test {
namespace {

struct View {
  const char *name;
  Layout layout;
  uint64_t guard;
};

class Strided : public testing::TestWithParam<std::tuple<View, bool>> {};

TEST_P(Strided, EqualsContiguousBitwise) {
  auto [view, causal] = GetParam();
  AttentionShape shape;
  shape.batch = 2;
  shape.headsQ = 4;
  shape.headsKv = 2;
  shape.seqlenQ = 129;
  shape.seqlenK = 200;
  shape.causal = causal;
  RunOptions options = optionsFor(shape);
  HostInputs inputs = makeInputs(options, false);
  ForwardRunner runner;
  ForwardOutcome contiguous = runner.run(options, inputs);
  options.layout = view.layout;
  ForwardOutcome strided = runner.run(options, inputs, {.guard = view.guard});
  EXPECT_EQ(contiguous.finding, "");
  EXPECT_EQ(strided.finding, "");
  EXPECT_EQ(contiguous.o, strided.o);
  EXPECT_EQ(contiguous.lse, strided.lse);
}

// Padded: rows of d = 128 lie 136 elements apart. 16 bytes, 8 elements, is as
// far as a tensor map's address may be off its alignment.
constexpr View views[] = {{"Transposed", Layout::Bhsd, 4096},
                          {"PaddedRows", Layout::Padded, 4096},
                          {"BasePlus8", Layout::Bshd, 4096 + 16},
                          {"TransposedBasePlus8", Layout::Bhsd, 4096 + 16}};

INSTANTIATE_TEST_SUITE_P(
    Views, Strided, testing::Combine(testing::ValuesIn(views), testing::Bool()),
    [](const auto &info) {
      return fmt::format("{}_{}", std::get<0>(info.param).name,
                         std::get<1>(info.param) ? "causal" : "full");
    });

} // namespace
} // namespace fa4::test
