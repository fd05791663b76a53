#include "runtime/emulator/WgmmaLayout.h"
#include <gtest/gtest.h>
#include <set>
#include <utility>

namespace fa4::emulator {
namespace {

TEST(WgmmaLayout, AccumulatorCoversTheTileOnce) {
  for (uint32_t n : {8u, 128u, 256u}) {
    std::set<std::pair<uint32_t, uint32_t>> seen;
    for (uint32_t thread = 0; thread < 128; ++thread)
      for (uint32_t i = 0; i < n / 2; ++i) {
        const FragmentPosition p = wgmmaAccumulator(thread, i);
        EXPECT_LT(p.row, 64u);
        EXPECT_LT(p.column, n);
        seen.insert({p.row, p.column});
      }
    EXPECT_EQ(seen.size(), 64u * n);
  }
}

TEST(WgmmaLayout, OperandCoversTheTileOnce) {
  for (uint32_t bytes : {1u, 2u, 4u}) {
    std::set<std::pair<uint32_t, uint32_t>> seen;
    for (uint32_t thread = 0; thread < 128; ++thread)
      for (uint32_t j = 0; j < 4; ++j)
        for (uint32_t e = 0; e < 4 / bytes; ++e) {
          const FragmentPosition p = wgmmaOperandA(thread, j, bytes);
          EXPECT_LT(p.column + e, 32 / bytes);
          seen.insert({p.row, p.column + e});
        }
    EXPECT_EQ(seen.size(), 64u * 32 / bytes);
  }
}

TEST(WgmmaLayout, SampleThreads) {
  EXPECT_EQ(wgmmaAccumulator(0, 2).row, 8u);
  EXPECT_EQ(wgmmaAccumulator(37, 5).row, 16u + 1);
  EXPECT_EQ(wgmmaAccumulator(37, 5).column, 2u + 1 + 8);
  EXPECT_EQ(wgmmaOperandA(37, 3, 2).row, 16u + 1 + 8);
  EXPECT_EQ(wgmmaOperandA(37, 3, 2).column, 2u + 8);
}

} // namespace
} // namespace fa4::emulator
