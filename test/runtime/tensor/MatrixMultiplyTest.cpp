#include "runtime/emulator/MatrixMultiply.h"
#include <cmath>
#include <gtest/gtest.h>
#include <random>
#include <vector>

namespace fa4::emulator {
namespace {

struct Case {
  uint32_t m, n, k;
  bool accumulate;
  bool bByDepth; // B stored with n contiguous
};

void expectExact(const Case &c) {
  std::mt19937 random(c.m * 131 + c.n * 7 + c.k);
  std::uniform_real_distribution<float> uniform(-1, 1);
  std::vector<float> a(c.k * c.m), b(c.n * c.k), d(c.n * (c.m + 5));
  for (auto *values : {&a, &b, &d})
    for (float &value : *values)
      value = uniform(random);
  const std::vector<float> before = d;
  MultiplyArguments arguments;
  arguments.m = c.m;
  arguments.n = c.n;
  arguments.k = c.k;
  arguments.a = a.data();
  arguments.aStride = c.m;
  arguments.b = b.data();
  arguments.bRowStride = c.bByDepth ? 1 : c.k;
  arguments.bDepthStride = c.bByDepth ? c.n : 1;
  arguments.d = d.data();
  arguments.dStride = c.m + 5;
  arguments.accumulate = c.accumulate;
  multiplyAccumulate(arguments);
  for (uint32_t n = 0; n < c.n; ++n)
    for (uint32_t m = 0; m < c.m + 5; ++m) {
      const size_t at = size_t(n) * (c.m + 5) + m;
      float expected = before[at];
      if (m < c.m) {
        expected = c.accumulate ? expected : 0.0f;
        for (uint32_t k = 0; k < c.k; ++k)
          expected =
              std::fma(a[k * c.m + m],
                       b[n * arguments.bRowStride + k * arguments.bDepthStride],
                       expected);
      }
      ASSERT_EQ(d[at], expected) << "m " << m << " n " << n;
    }
}

TEST(MatrixMultiply, IsTheFusedSumInOrderForEveryShape) {
  for (uint32_t m : {1u, 16u, 37u, 64u, 128u})
    for (uint32_t n : {1u, 8u, 13u, 64u})
      for (uint32_t k : {1u, 8u, 16u, 32u})
        expectExact({m, n, k, (m + n + k) % 2 == 0, k % 16 == 0});
}

TEST(MatrixMultiply, OverwritesWithoutReadingWhenNotAccumulating) {
  std::vector<float> a(16, 2.0f), b(8, 3.0f);
  std::vector<float> d(16 * 8, std::nanf(""));
  MultiplyArguments arguments{16, 8, 1,        a.data(), 16,   b.data(),
                              1,  1, d.data(), 16,       false};
  multiplyAccumulate(arguments);
  for (float value : d)
    EXPECT_EQ(value, 6.0f);
}

} // namespace
} // namespace fa4::emulator
