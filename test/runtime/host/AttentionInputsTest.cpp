#include "runtime/tools/fa4-run/AttentionInputs.h"
#include "ExpectError.h"
#include "runtime/Npy.h"

#include <cmath>
#include <filesystem>

namespace fa4 {
namespace {

RunOptions smallOptions() {
  RunOptions options;
  options.shape = {2, 4, 2, 3, 5, 8, 16, false, 0};
  options.kernels = "kernels";
  resolve(options);
  return options;
}

/// scale * q . k of one query row and one key.
double score(const RunOptions &options, const HostInputs &inputs, int64_t row,
             int64_t key) {
  const AttentionShape &s = options.shape;
  double sum = 0;
  for (int64_t d = 0; d < s.headDim; ++d)
    sum += double(inputs.q[std::size_t(row * s.headsQ * s.headDim + d)]) *
           inputs.k[std::size_t(key * s.headsKv * s.headDim + d)];
  return sum * s.scale;
}

// The first values are the same on every machine.
TEST(AttentionInputs, GeneratorIsFixed) {
  EXPECT_EQ(normalAt(0, 1, 0), normalAt(0, 1, 0));
  EXPECT_NE(normalAt(0, 1, 0), normalAt(0, 1, 1));
  EXPECT_NE(normalAt(0, 1, 0), normalAt(0, 2, 0));
  EXPECT_NE(normalAt(0, 1, 0), normalAt(1, 1, 0));
  EXPECT_FLOAT_EQ(normalAt(0, 1, 0), -2.04026577f);
}

TEST(AttentionInputs, GeneratorIsNormal) {
  constexpr int count = 100000;
  double sum = 0, squares = 0;
  for (int i = 0; i < count; ++i) {
    double value = normalAt(7, 1, static_cast<uint64_t>(i));
    sum += value;
    squares += value * value;
  }
  EXPECT_NEAR(sum / count, 0, 0.02);
  EXPECT_NEAR(squares / count, 1, 0.02);
}

TEST(AttentionInputs, RoundsToTheType) {
  RunOptions options = smallOptions();
  HostInputs inputs = makeInputs(options, true);
  EXPECT_EQ(inputs.q.size(), 2u * 3 * 4 * 8);
  EXPECT_EQ(inputs.v.size(), 2u * 5 * 2 * 16);
  EXPECT_EQ(inputs.dO.size(), 2u * 3 * 4 * 16);
  EXPECT_EQ(inputs.dLse, std::vector<float>(2 * 3 * 4));
  for (float value : inputs.k)
    EXPECT_EQ(value, roundTo(ElementType::BF16, value));
}

TEST(AttentionInputs, Patterns) {
  RunOptions options = smallOptions();
  options.pattern = InputPattern::LargeNegative;
  HostInputs inputs = makeInputs(options, false);
  EXPECT_NEAR(score(options, inputs, 1, 2), -3e4, 300);
  EXPECT_EQ(score(options, inputs, 0, 0), score(options, inputs, 2, 4));
  options.pattern = InputPattern::LargePositive;
  inputs = makeInputs(options, false);
  EXPECT_NEAR(score(options, inputs, 1, 2), 3e4, 300);
  options.pattern = InputPattern::OneKey;
  inputs = makeInputs(options, false);
  EXPECT_NEAR(score(options, inputs, 1, 2), 60, 0.5);
  EXPECT_LT(std::abs(score(options, inputs, 1, 3)), 10);
}

TEST(AttentionInputs, PowersOfTwo) {
  RunOptions options = smallOptions();
  options.pattern = InputPattern::PowersOfTwo;
  options.shape.seqlenK = 32;
  HostInputs inputs = makeInputs(options, true);
  // In log2 units: the sum over the keys of 2^score is their number.
  for (int64_t row = 0; row < 3; ++row) {
    double sum = 0;
    for (int64_t key = 0; key < 32; ++key)
      sum += std::exp2(score(options, inputs, row, key) / options.shape.scale);
    EXPECT_EQ(sum, 32);
  }
  for (float x : inputs.v)
    EXPECT_TRUE(x == std::round(x) && std::abs(x) <= 3) << x;
  for (float x : inputs.dO)
    EXPECT_TRUE(x == std::round(x) && std::abs(x) <= 2) << x;
}

TEST(AttentionInputs, ReadsFiles) {
  RunOptions options = smallOptions();
  options.inputs = testing::TempDir() + "/fa4_inputs";
  std::filesystem::create_directories(options.inputs);
  auto write = [&](const char *name, std::vector<int64_t> shape) {
    std::size_t count = 1;
    for (int64_t dim : shape)
      count *= std::size_t(dim);
    std::vector<float> values(count, 1.001f);
    writeNpy(options.inputs + "/" + name, ElementType::F32, shape,
             std::as_bytes(std::span<const float>(values)));
  };
  write("q.npy", {2, 3, 4, 8});
  write("k.npy", {2, 5, 2, 8});
  write("v.npy", {2, 5, 2, 8});
  EXPECT_THAT(errorOf([&] { makeInputs(options, false); }),
              testing::EndsWith("v.npy' has shape (2, 5, 2, 8), expected (2, "
                                "5, 2, 16)"));
  write("v.npy", {2, 5, 2, 16});
  EXPECT_EQ(makeInputs(options, false).q[0], 1.0f);
  EXPECT_THAT(errorOf([&] { makeInputs(options, true); }),
              testing::EndsWith("do.npy': No such file or directory"));
}

TEST(AttentionInputs, NamesWhatIsNotFinite) {
  RunOptions options = smallOptions();
  options.type = ElementType::F16;
  options.inputs = testing::TempDir() + "/fa4_not_finite";
  std::filesystem::create_directories(options.inputs);
  std::vector<float> values(2 * 3 * 4 * 8);
  auto errorWith = [&](float value) {
    values[17] = value;
    writeNpy(options.inputs + "/q.npy", ElementType::F32,
             std::vector<int64_t>{2, 3, 4, 8},
             std::as_bytes(std::span<const float>(values)));
    return errorOf([&] { makeInputs(options, false); });
  };
  EXPECT_THAT(errorWith(NAN),
              testing::EndsWith(
                  "q.npy' has nan at element 17, which isn't finite in f16"));
  EXPECT_THAT(errorWith(70000),
              testing::EndsWith(
                  "q.npy' has 70000 at element 17, which isn't finite in f16"));
}

TEST(RunOptions, Resolves) {
  RunOptions options = smallOptions();
  EXPECT_FLOAT_EQ(static_cast<float>(options.shape.scale), 0.35355338f);
  EXPECT_EQ(describe(options),
            "batch 2, heads 4 (kv 2), seqlen 3 x 5, head dim 8,16, bf16, full, "
            "scale 0.353553");
  for (double scale : {std::nan(""), -0.5, 0.0, 1e-45, 3e38}) {
    options.scale = scale;
    EXPECT_EQ(errorOf([&] { resolve(options); }),
              fmt::format("--scale is {}, expected a positive number within "
                          "the range of f32",
                          scale));
  }
  options.scale = {};
  options.shape.headsKv = 3;
  EXPECT_EQ(errorOf([&] { resolve(options); }),
            "--heads 4 is no multiple of --kv-heads 3");
  options.emulator.smCount = 0;
  EXPECT_EQ(errorOf([&] { resolve(options); }),
            "--sms is 0, expected at least 1");
  options.emulator.smCount = 1;
  options.shape.seqlenQ = -1;
  EXPECT_EQ(errorOf([&] { resolve(options); }),
            "--seqlen-q is -1, expected at least 0");
}

} // namespace
} // namespace fa4
