#include "runtime/Tolerance.h"

#include <gtest/gtest.h>

#include <limits>
#include <vector>

namespace fa4 {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

// By hand: bf16 has 8 bits, so fl(1 + 0.3) = 1.296875, minus 0.3 is 0.996875,
// which rounds to 0.99609375: a noise of 2^-8.
TEST(Tolerance, Bounds) {
  std::vector<float> computed = {1.005f, 1};
  std::vector<double> reference = {1, 1}, low = {1.01, 1};
  ErrorReport report =
      compare("o", computed, reference, low, ElementType::BF16);
  EXPECT_DOUBLE_EQ(report.maxBound, 2 * (low[0] - 1) + 2 * 0x1p-8);
  EXPECT_DOUBLE_EQ(report.meanBound, (1.5 * (low[0] - 1) + 2 * 0x1p-8) / 2);
  EXPECT_NEAR(report.maxError, 0.005, 1e-7);
  EXPECT_NEAR(report.meanError, 0.0025, 1e-7);
  EXPECT_EQ(report.worst, 0);
  EXPECT_TRUE(report.within());
}

TEST(Tolerance, RejectsWhatIsOutside) {
  std::vector<double> reference(4, 1.0), low(4, 1.0);
  std::vector<float> oneOff = {1, 1, 1.01f, 1};
  ErrorReport report = compare("o", oneOff, reference, low, ElementType::BF16);
  EXPECT_FALSE(report.within());
  EXPECT_EQ(report.worst, 2);
  std::vector<float> allOff(4, 1.006f);
  report = compare("o", allOff, reference, low, ElementType::BF16);
  EXPECT_LE(report.maxError, report.maxBound);
  EXPECT_FALSE(report.within());
}

TEST(Tolerance, NotANumberIsAnInfiniteError) {
  std::vector<double> reference = {1, 2};
  std::vector<float> computed = {1, std::numeric_limits<float>::quiet_NaN()};
  ErrorReport report =
      compare("o", computed, reference, reference, ElementType::F16);
  EXPECT_EQ(report.maxError, infinity);
  EXPECT_EQ(report.worst, 1);
  EXPECT_FALSE(report.within());
}

// -inf must be -inf exactly, and only there.
TEST(Tolerance, Infinities) {
  std::vector<double> reference = {-infinity, 2}, low = reference;
  std::vector<float> right = {-std::numeric_limits<float>::infinity(), 2};
  EXPECT_TRUE(compare("lse", right, reference, low, ElementType::F16).within());
  std::vector<float> wrong = {-1e30f, 2};
  EXPECT_FALSE(
      compare("lse", wrong, reference, low, ElementType::F16).within());
}

// A low result that overflowed widens nothing.
TEST(Tolerance, LeavesOutWhatIsNotFinite) {
  std::vector<double> reference = {1, 1}, low = {infinity, 1};
  std::vector<float> computed = {1.5f, 1};
  ErrorReport report = compare("o", computed, reference, low, ElementType::F16);
  EXPECT_LT(report.maxBound, 0.01);
  EXPECT_FALSE(report.within());
}

TEST(Tolerance, Text) {
  std::vector<double> reference = {0}, low = {0.5};
  std::vector<float> computed = {0.25f};
  EXPECT_EQ(compare("dq", computed, reference, low, ElementType::F64).text(),
            "dq: max error 2.500e-01 (bound 1.000e+00), mean error 2.500e-01 "
            "(bound 7.500e-01), 1 elements: ok");
  computed[0] = 8;
  EXPECT_EQ(compare("dq", computed, reference, low, ElementType::F64).text(),
            "dq: max error 8.000e+00 (bound 1.000e+00), mean error 8.000e+00 "
            "(bound 7.500e-01), 1 elements: TOO LARGE at 0");
}

} // namespace
} // namespace fa4
