#include "runtime/ElementType.h"
#include "ExpectError.h"

#include <cmath>
#include <cstring>
#include <limits>

namespace fa4 {
namespace {

constexpr float infinity = std::numeric_limits<float>::infinity();

// Every finite half survives the way to float and back.
TEST(ElementType, HalfRoundTrip) {
  for (unsigned bits = 0; bits < 0x10000; ++bits) {
    float value = fromF16(static_cast<uint16_t>(bits));
    if (!std::isnan(value)) {
      EXPECT_EQ(toF16(value), bits);
    }
  }
}

// Halves are what the compiler's own type says.
TEST(ElementType, HalfMatchesHost) {
  for (uint64_t wide = 0; wide < uint64_t(1) << 32; wide += 0x13579) {
    uint32_t bits = static_cast<uint32_t>(wide);
    float value;
    std::memcpy(&value, &bits, sizeof(value));
    if (std::isnan(value))
      continue;
    _Float16 host = static_cast<_Float16>(value);
    uint16_t expected;
    std::memcpy(&expected, &host, sizeof(expected));
    ASSERT_EQ(toF16(value), expected) << value;
  }
}

// Ties go to the even neighbour; what is past the largest value is infinite.
TEST(ElementType, RoundsToNearestEven) {
  EXPECT_EQ(roundTo(ElementType::BF16, 1.00390625f), 1.0f);
  EXPECT_EQ(roundTo(ElementType::BF16, 1.01171875f), 1.015625f);
  EXPECT_EQ(roundTo(ElementType::F16, 65519.0f), 65504.0f);
  EXPECT_EQ(roundTo(ElementType::F16, 65520.0f), infinity);
  EXPECT_EQ(roundTo(ElementType::BF16, 3.4e38f), infinity);
}

// A double just above a tie rounds up even though its float is the tie.
TEST(ElementType, DoubleRoundsOnce) {
  double aboveTie = 1.00390625 + 0x1p-40;
  EXPECT_EQ(roundTo(ElementType::BF16, aboveTie), 1.0078125);
  EXPECT_EQ(roundTo(ElementType::BF16, 1.00390625), 1.0);
  EXPECT_EQ(roundTo(ElementType::F16, -(1.00048828125 + 0x1p-45)),
            -1.0009765625);
}

TEST(ElementType, EncodesAndDecodes) {
  std::vector<float> values = {0, 1, -2.5f, 100};
  for (ElementType type : {ElementType::BF16, ElementType::F16,
                           ElementType::F32, ElementType::F64})
    EXPECT_EQ(decodeElements(type, encodeElements(type, values)), values);
}

TEST(ElementType, RejectsIntegerOverflow) {
  std::vector<float> values = {256};
  EXPECT_EQ(errorOf([&] { encodeElements(ElementType::U8, values); }),
            "value 256 doesn't fit an integer of 1 bytes");
}

TEST(ElementType, Names) {
  EXPECT_EQ(elementTypeNamed("bf16"), ElementType::BF16);
  EXPECT_EQ(elementTypeNamed("u8"), ElementType::U8);
  EXPECT_FALSE(elementTypeNamed("fp8"));
}

} // namespace
} // namespace fa4
