#include "runtime/emulator/Swizzle.h"
#include <gtest/gtest.h>
#include <set>

namespace fa4::emulator {
namespace {

constexpr Swizzle allModes[] = {
    Swizzle::None,         Swizzle::Span32,        Swizzle::Span64,
    Swizzle::Span128,      Swizzle::Span128Atom32, Swizzle::Span128Atom32Flip8,
    Swizzle::Span128Atom64};

TEST(Swizzle, PermutesEachPeriodAndRepeatsAfterIt) {
  for (Swizzle mode : allModes) {
    const uint32_t period = swizzlePeriod(mode);
    std::set<uint32_t> image;
    for (uint32_t a = 0; a < period; ++a) {
      image.insert(swizzle(mode, a));
      EXPECT_EQ(swizzle(mode, a + 7 * period), swizzle(mode, a) + 7 * period);
      EXPECT_EQ(swizzle(mode, swizzle(mode, a)), a);
    }
    EXPECT_EQ(image.size(), period) << swizzleName(mode);
    EXPECT_LT(*image.rbegin(), period) << swizzleName(mode);
  }
}

// The chunk order of row r as the PTX ISA's tables print it.
TEST(Swizzle, ChunkOrderOfEachRow) {
  for (uint32_t line = 0; line < 16; ++line)
    for (uint32_t chunk = 0; chunk < 8; ++chunk) {
      const uint32_t a = line * 128 + chunk * 16;
      const auto landed = [&](Swizzle mode) {
        return (swizzle(mode, a) - line * 128) / 16;
      };
      EXPECT_EQ(landed(Swizzle::None), chunk);
      EXPECT_EQ(landed(Swizzle::Span32), chunk ^ (line & 1));
      EXPECT_EQ(landed(Swizzle::Span64), chunk ^ (line & 3));
      EXPECT_EQ(landed(Swizzle::Span128), chunk ^ (line & 7));
      EXPECT_EQ(landed(Swizzle::Span128Atom32), chunk ^ (2 * (line & 3)));
      EXPECT_EQ(landed(Swizzle::Span128Atom64), chunk ^ (4 * (line & 1)));
    }
}

TEST(Swizzle, FlipExchangesEightByteHalvesOnOddLines) {
  EXPECT_EQ(swizzle(Swizzle::Span128Atom32Flip8, 0x08), 0x08u);
  EXPECT_EQ(swizzle(Swizzle::Span128Atom32Flip8, 0x80), 0xa8u);
  EXPECT_EQ(swizzle(Swizzle::Span128Atom32Flip8, 0x88), 0xa0u);
  EXPECT_EQ(swizzle(Swizzle::Span128Atom32Flip8, 0x100), 0x140u);
}

TEST(Swizzle, ChunksStayContiguous) {
  for (Swizzle mode : allModes) {
    const uint32_t chunk = std::min(swizzleChunk(mode), 4096u);
    for (uint32_t a = 0; a < 4096; ++a)
      EXPECT_EQ(swizzle(mode, a), swizzle(mode, a / chunk * chunk) + a % chunk);
  }
}

} // namespace
} // namespace fa4::emulator
