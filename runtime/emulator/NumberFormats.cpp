#include "runtime/emulator/NumberFormats.h"
#include "runtime/emulator/VectorClones.h"
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

namespace fa4::emulator {
namespace {

// A format narrower than f32, described by its fields.
struct SmallFormat {
  uint32_t exponentBits;
  uint32_t mantissaBits;
  uint32_t largest;   // code of the largest finite value
  uint32_t infinity;  // code, or `largest` where there is none
  uint32_t canonical; // code that NaN becomes
};

constexpr SmallFormat f16{5, 10, 0x7bff, 0x7c00, 0x7fff};
constexpr SmallFormat e4m3{4, 3, 0x7e, 0x7e, 0x7f};
constexpr SmallFormat e5m2{5, 2, 0x7b, 0x7c, 0x7f};
constexpr SmallFormat e2m3{2, 3, 0x1f, 0x1f, 0x1f};
constexpr SmallFormat e3m2{3, 2, 0x1f, 0x1f, 0x1f};
constexpr SmallFormat e2m1{2, 1, 0x7, 0x7, 0x7};

constexpr bool isNan(uint32_t bits) { return (bits & 0x7fffffff) > 0x7f800000; }

constexpr uint32_t roundOff(uint32_t value, uint32_t shift, Rounding rounding) {
  if (shift == 0)
    return value;
  uint32_t kept = value >> shift;
  if (rounding == Rounding::TowardZero)
    return kept;
  const uint32_t rest = value & ((1u << shift) - 1);
  const uint32_t half = 1u << (shift - 1);
  return kept + (rest > half || (rest == half && (kept & 1)));
}

// The code without sign of a finite f32 magnitude; may exceed `largest`.
uint32_t encodeMagnitude(const SmallFormat &format, uint32_t magnitude,
                         Rounding rounding) {
  const int bias = (1 << (format.exponentBits - 1)) - 1;
  const int exponent = int(magnitude >> 23) - 127;
  if (exponent == -127)
    return 0; // f32 subnormals are far below every small format's range
  const uint32_t mantissa = (magnitude & 0x7fffff) | 0x800000;
  const int below = std::max(0, 1 - bias - exponent);
  const uint32_t shift = std::min(25u, 23 - format.mantissaBits + below);
  const uint32_t kept = roundOff(mantissa, shift, rounding);
  if (below > 0)
    return kept;
  const uint32_t hidden = 1u << format.mantissaBits;
  return (uint32_t(exponent + bias) << format.mantissaBits) + (kept - hidden);
}

uint32_t encodeSmall(const SmallFormat &format, float value, Conversion how) {
  const uint32_t bits = std::bit_cast<uint32_t>(value);
  if (isNan(bits))
    return format.canonical;
  const uint32_t magnitude = bits & 0x7fffffff;
  const bool negative = bits >> 31;
  if (negative && how.relu)
    return 0;
  uint32_t code;
  if (magnitude == 0x7f800000)
    code = how.satfinite ? format.largest : format.infinity;
  else
    code = encodeMagnitude(format, magnitude, how.rounding);
  if (magnitude != 0x7f800000 && code > format.largest)
    code = how.satfinite || how.rounding == Rounding::TowardZero
               ? format.largest
               : format.infinity;
  const uint32_t sign = format.exponentBits + format.mantissaBits;
  return code | uint32_t(negative) << sign;
}

float decodeSmall(const SmallFormat &format, uint32_t code) {
  const uint32_t signBit = format.exponentBits + format.mantissaBits;
  const bool negative = code >> signBit & 1;
  const uint32_t magnitude = code & ((1u << signBit) - 1);
  const int bias = (1 << (format.exponentBits - 1)) - 1;
  const uint32_t exponent = magnitude >> format.mantissaBits;
  const uint32_t mantissa = magnitude & ((1u << format.mantissaBits) - 1);
  float value;
  if (magnitude > format.infinity)
    value = std::numeric_limits<float>::quiet_NaN();
  else if (magnitude == format.infinity && format.infinity != format.largest)
    value = std::numeric_limits<float>::infinity();
  else if (exponent == 0)
    value = std::ldexp(float(mantissa), 1 - bias - int(format.mantissaBits));
  else
    value = std::ldexp(float(mantissa + (1u << format.mantissaBits)),
                       int(exponent) - bias - int(format.mantissaBits));
  return negative ? -value : value;
}

// bf16 and tf32 share f32's exponent: only low bits go.
uint32_t dropLowBits(float value, uint32_t drop, uint32_t canonical,
                     Conversion how) {
  const uint32_t bits = std::bit_cast<uint32_t>(value);
  if (isNan(bits))
    return canonical;
  if (bits >> 31 && how.relu)
    return 0;
  const uint32_t magnitude = bits & 0x7fffffff;
  const uint32_t infinity = 0x7f800000u >> drop;
  uint32_t code = roundOff(magnitude, drop, how.rounding);
  if (code >= infinity && how.satfinite)
    code = infinity - 1;
  return code | (bits >> 31) << (31 - drop);
}

// The 256 values of a one-byte format.
std::array<float, 256> buildTable(NumberFormat format) {
  std::array<float, 256> table;
  for (uint32_t code = 0; code < 256; ++code)
    table[code] = decodeNumber(format, code);
  return table;
}

const std::array<float, 256> &byteTable(NumberFormat format) {
  static const std::array<std::array<float, 256>, 7> tables = {
      buildTable(NumberFormat::E4m3), buildTable(NumberFormat::E5m2),
      buildTable(NumberFormat::E2m3), buildTable(NumberFormat::E3m2),
      buildTable(NumberFormat::E2m1), buildTable(NumberFormat::U8),
      buildTable(NumberFormat::S8)};
  switch (format) {
  case NumberFormat::E4m3:
    return tables[0];
  case NumberFormat::E5m2:
    return tables[1];
  case NumberFormat::E2m3:
    return tables[2];
  case NumberFormat::E3m2:
    return tables[3];
  case NumberFormat::E2m1:
    return tables[4];
  case NumberFormat::U8:
    return tables[5];
  default:
    return tables[6];
  }
}

} // namespace

const char *formatName(NumberFormat format) {
  static constexpr const char *names[] = {"f16",  "bf16", "tf32", "e4m3",
                                          "e5m2", "e2m3", "e3m2", "e2m1",
                                          "f32",  "u8",   "s8"};
  return names[static_cast<int>(format)];
}

float fromBf16(uint16_t bits) {
  return std::bit_cast<float>(uint32_t(bits) << 16);
}
float fromF16(uint16_t bits) { return decodeSmall(f16, bits); }
float fromTf32(uint32_t bits) {
  return std::bit_cast<float>(bits & 0xffffe000);
}
float fromE4m3(uint8_t bits) { return decodeSmall(e4m3, bits); }
float fromE5m2(uint8_t bits) { return decodeSmall(e5m2, bits); }

uint16_t toBf16(float value, Conversion how) {
  return uint16_t(dropLowBits(value, 16, 0x7fff, how));
}
uint16_t toF16(float value, Conversion how) {
  return uint16_t(encodeSmall(f16, value, how));
}
uint32_t toTf32(float value, Conversion how) {
  if (isNan(std::bit_cast<uint32_t>(value)))
    return 0x7fffffff;
  return dropLowBits(value, 13, 0, how) << 13;
}
uint8_t toE4m3(float value, Conversion how) {
  return uint8_t(encodeSmall(e4m3, value, how));
}
uint8_t toE5m2(float value, Conversion how) {
  return uint8_t(encodeSmall(e5m2, value, how));
}

float decodeNumber(NumberFormat format, uint32_t bits) {
  switch (format) {
  case NumberFormat::F16:
    return fromF16(uint16_t(bits));
  case NumberFormat::Bf16:
    return fromBf16(uint16_t(bits));
  case NumberFormat::Tf32:
    return fromTf32(bits);
  case NumberFormat::E4m3:
    return fromE4m3(uint8_t(bits));
  case NumberFormat::E5m2:
    return fromE5m2(uint8_t(bits));
  case NumberFormat::E2m3:
    return decodeSmall(e2m3, bits & 0x3f);
  case NumberFormat::E3m2:
    return decodeSmall(e3m2, bits & 0x3f);
  case NumberFormat::E2m1:
    return decodeSmall(e2m1, bits & 0xf);
  case NumberFormat::F32:
    return std::bit_cast<float>(bits);
  case NumberFormat::U8:
    return float(uint8_t(bits));
  case NumberFormat::S8:
    return float(int8_t(bits));
  }
  return 0;
}

uint32_t encodeNumber(NumberFormat format, float value, Conversion how) {
  switch (format) {
  case NumberFormat::F16:
    return toF16(value, how);
  case NumberFormat::Bf16:
    return toBf16(value, how);
  case NumberFormat::Tf32:
    return toTf32(value, how);
  case NumberFormat::E4m3:
    return toE4m3(value, how);
  case NumberFormat::E5m2:
    return toE5m2(value, how);
  case NumberFormat::E2m3:
    return encodeSmall(e2m3, value, how);
  case NumberFormat::E3m2:
    return encodeSmall(e3m2, value, how);
  case NumberFormat::E2m1:
    return encodeSmall(e2m1, value, how);
  case NumberFormat::F32:
    return std::bit_cast<uint32_t>(value);
  case NumberFormat::U8:
    return uint8_t(value);
  case NumberFormat::S8:
    return uint8_t(int8_t(value));
  }
  return 0;
}

FA4_VECTOR_CLONES
void fromBf16(const uint16_t *source, float *destination, size_t count) {
  for (size_t i = 0; i < count; ++i)
    destination[i] = std::bit_cast<float>(uint32_t(source[i]) << 16);
}

FA4_VECTOR_CLONES
void fromF16(const uint16_t *source, float *destination, size_t count) {
  for (size_t i = 0; i < count; ++i)
    destination[i] = float(std::bit_cast<_Float16>(source[i]));
}

FA4_VECTOR_CLONES
void toBf16(const float *source, uint16_t *destination, size_t count) {
  for (size_t i = 0; i < count; ++i) {
    const uint32_t bits = std::bit_cast<uint32_t>(source[i]);
    const uint32_t rounded = (bits + 0x7fff + ((bits >> 16) & 1)) >> 16;
    destination[i] = isNan(bits) ? 0x7fff : uint16_t(rounded);
  }
}

FA4_VECTOR_CLONES
void toF16(const float *source, uint16_t *destination, size_t count) {
  for (size_t i = 0; i < count; ++i) {
    const bool nan = isNan(std::bit_cast<uint32_t>(source[i]));
    const auto bits = std::bit_cast<uint16_t>(_Float16(source[i]));
    destination[i] = nan ? 0x7fff : bits;
  }
}

void decodeNumbers(NumberFormat format, const void *source, float *destination,
                   size_t count) {
  switch (format) {
  case NumberFormat::F16:
    return fromF16(static_cast<const uint16_t *>(source), destination, count);
  case NumberFormat::Bf16:
    return fromBf16(static_cast<const uint16_t *>(source), destination, count);
  case NumberFormat::Tf32: {
    const auto *words = static_cast<const uint32_t *>(source);
    for (size_t i = 0; i < count; ++i)
      destination[i] = fromTf32(words[i]);
    return;
  }
  case NumberFormat::F32:
    std::memcpy(destination, source, count * 4);
    return;
  default: {
    const std::array<float, 256> &table = byteTable(format);
    const auto *bytes = static_cast<const uint8_t *>(source);
    for (size_t i = 0; i < count; ++i)
      destination[i] = table[bytes[i]];
    return;
  }
  }
}

} // namespace fa4::emulator
