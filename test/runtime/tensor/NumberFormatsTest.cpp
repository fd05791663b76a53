#include "runtime/emulator/NumberFormats.h"
#include <bit>
#include <cmath>
#include <gtest/gtest.h>
#include <limits>
#include <vector>

namespace fa4::emulator {
namespace {

constexpr float infinity = std::numeric_limits<float>::infinity();
const float nan = std::numeric_limits<float>::quiet_NaN();

// The two neighbours of `value` among all finite codes, by search.
uint32_t nearestByConstruction(NumberFormat format, uint32_t codes,
                               float value) {
  uint32_t best = 0;
  double bestDistance = infinity;
  for (uint32_t code = 0; code < codes; ++code) {
    const float candidate = decodeNumber(format, code);
    if (!std::isfinite(candidate))
      continue;
    const double distance = std::fabs(double(candidate) - double(value));
    const bool tie = distance == bestDistance && (best & 1) && !(code & 1);
    if (distance < bestDistance || tie) {
      best = code;
      bestDistance = distance;
    }
  }
  return best;
}

TEST(NumberFormats, EveryBf16CodeSurvivesARoundTrip) {
  for (uint32_t code = 0; code < 65536; ++code) {
    const float value = fromBf16(uint16_t(code));
    if (std::isnan(value))
      EXPECT_EQ(toBf16(value), 0x7fff);
    else
      ASSERT_EQ(toBf16(value), code);
  }
}

TEST(NumberFormats, EveryF16CodeSurvivesARoundTripAndMatchesTheCompiler) {
  for (uint32_t code = 0; code < 65536; ++code) {
    const float value = fromF16(uint16_t(code));
    const float reference = float(std::bit_cast<_Float16>(uint16_t(code)));
    if (std::isnan(value)) {
      EXPECT_TRUE(std::isnan(reference));
      EXPECT_EQ(toF16(value), 0x7fff);
      continue;
    }
    ASSERT_EQ(value, reference);
    ASSERT_EQ(toF16(value), code);
  }
}

TEST(NumberFormats, F16RoundsBetweenAllNeighboursLikeTheCompiler) {
  for (uint32_t code = 0; code < 0x7c00; ++code) {
    const float low = fromF16(uint16_t(code));
    const float high = code == 0x7bff ? 65536.0f : fromF16(uint16_t(code + 1));
    for (float share : {0.25f, 0.5f, 0.75f}) {
      const float value = low + (high - low) * share;
      ASSERT_EQ(toF16(value), std::bit_cast<uint16_t>(_Float16(value)))
          << value;
      ASSERT_EQ(toF16(-value), std::bit_cast<uint16_t>(_Float16(-value)));
      ASSERT_EQ(toF16(value, {Rounding::TowardZero}), code);
    }
  }
}

TEST(NumberFormats, Bf16RoundsToNearestEven) {
  const auto from = [](uint32_t bits) { return std::bit_cast<float>(bits); };
  EXPECT_EQ(toBf16(from(0x3f808000)), 0x3f80); // tie to even, down
  EXPECT_EQ(toBf16(from(0x3f818000)), 0x3f82); // tie to even, up
  EXPECT_EQ(toBf16(from(0x3f808001)), 0x3f81);
  EXPECT_EQ(toBf16(from(0x3f80ffff), {Rounding::TowardZero}), 0x3f80);
  EXPECT_EQ(toBf16(from(0x7f7fffff)), 0x7f80);
  EXPECT_EQ(toBf16(from(0x7f7fffff), {.satfinite = true}), 0x7f7f);
  EXPECT_EQ(toBf16(infinity), 0x7f80);
  EXPECT_EQ(toBf16(-infinity, {.satfinite = true}), 0xff7f);
  EXPECT_EQ(toBf16(-1.0f, {.relu = true}), 0);
  EXPECT_EQ(toBf16(nan, {.relu = true}), 0x7fff);
}

TEST(NumberFormats, SmallFormatsRoundToTheNearestCode) {
  struct Case {
    NumberFormat format;
    uint32_t codes;
  };
  for (const Case &c :
       {Case{NumberFormat::E4m3, 128}, Case{NumberFormat::E5m2, 128},
        Case{NumberFormat::E2m3, 32}, Case{NumberFormat::E3m2, 32},
        Case{NumberFormat::E2m1, 8}})
    for (float value = 0x1p-20f; value < 1e6f; value *= 1.037f)
      ASSERT_EQ(encodeNumber(c.format, value, {.satfinite = true}),
                nearestByConstruction(c.format, c.codes, value))
          << formatName(c.format) << " " << value;
}

TEST(NumberFormats, SmallFormatsAtTheirLimits) {
  EXPECT_EQ(fromE4m3(0x7e), 448.0f);
  EXPECT_TRUE(std::isnan(fromE4m3(0x7f)));
  EXPECT_EQ(fromE5m2(0x7b), 57344.0f);
  EXPECT_EQ(fromE5m2(0x7c), infinity);
  EXPECT_TRUE(std::isnan(fromE5m2(0x7d)));
  EXPECT_EQ(decodeNumber(NumberFormat::E2m3, 0x1f), 7.5f);
  EXPECT_EQ(decodeNumber(NumberFormat::E3m2, 0x1f), 28.0f);
  EXPECT_EQ(decodeNumber(NumberFormat::E2m1, 0x7), 6.0f);
  EXPECT_EQ(toE4m3(infinity, {.satfinite = true}), 0x7e);
  EXPECT_EQ(toE5m2(infinity, {.satfinite = true}), 0x7b);
  EXPECT_EQ(toE5m2(infinity), 0x7c);
  EXPECT_EQ(toE4m3(nan), 0x7f);
  EXPECT_EQ(toE4m3(-500.0f), 0xfe);
  EXPECT_EQ(toE4m3(-500.0f, {.relu = true}), 0);
}

TEST(NumberFormats, Tf32KeepsNineteenBits) {
  EXPECT_EQ(toTf32(1.0f), 0x3f800000u);
  EXPECT_EQ(toTf32(std::bit_cast<float>(0x3f801000u)), 0x3f800000u);
  EXPECT_EQ(toTf32(std::bit_cast<float>(0x3f801001u)), 0x3f802000u);
  EXPECT_EQ(std::bit_cast<uint32_t>(fromTf32(0x3f803fffu)), 0x3f802000u);
  EXPECT_EQ(toTf32(nan), 0x7fffffffu);
}

TEST(NumberFormats, BulkFormsAgreeWithTheScalarOnes) {
  std::vector<uint16_t> codes(65536), back(65536);
  std::vector<float> values(65536);
  for (uint32_t i = 0; i < 65536; ++i)
    codes[i] = uint16_t(i);
  const auto same = [](float a, float b) {
    return (std::isnan(a) && std::isnan(b)) || a == b;
  };
  fromBf16(codes.data(), values.data(), codes.size());
  toBf16(values.data(), back.data(), values.size());
  for (uint32_t i = 0; i < 65536; ++i) {
    ASSERT_TRUE(same(values[i], fromBf16(codes[i])));
    ASSERT_EQ(back[i], toBf16(values[i]));
  }
  fromF16(codes.data(), values.data(), codes.size());
  toF16(values.data(), back.data(), values.size());
  for (uint32_t i = 0; i < 65536; ++i) {
    ASSERT_TRUE(same(values[i], fromF16(codes[i])));
    ASSERT_EQ(back[i], toF16(values[i]));
  }
}

TEST(NumberFormats, BulkDecodeOfBytes) {
  std::vector<uint8_t> codes(256);
  std::vector<float> values(256);
  for (uint32_t i = 0; i < 256; ++i)
    codes[i] = uint8_t(i);
  for (NumberFormat format : {NumberFormat::E4m3, NumberFormat::E5m2,
                              NumberFormat::U8, NumberFormat::S8}) {
    decodeNumbers(format, codes.data(), values.data(), codes.size());
    for (uint32_t i = 0; i < 256; ++i)
      if (!std::isnan(values[i]))
        ASSERT_EQ(values[i], decodeNumber(format, i)) << formatName(format);
  }
}

} // namespace
} // namespace fa4::emulator
