// The small floating-point formats of PTX against IEEE f32, bit-exact.
//
// To a small format: rounding is to nearest even or toward zero; NaN becomes
// the format's canonical NaN (f16/bf16 0x7fff, e4m3/e5m2 0x7f, tf32
// 0x7fffffff). satfinite clamps everything above the largest finite value,
// infinities included; e4m3 has no infinity, so it always saturates. relu
// turns negative results into +0 and keeps NaN. Subnormals are kept.
// From a small format: exact. tf32 keeps its 19 bits at the top of a 32-bit
// word; reading it drops the 13 low bits.
#pragma once
#include <cstddef>
#include <cstdint>

namespace fa4::emulator {

enum class NumberFormat : uint8_t {
  F16,
  Bf16,
  Tf32,
  E4m3,
  E5m2,
  E2m3, // 6 bits in the low part of a byte
  E3m2, // likewise
  E2m1, // 4 bits in the low part of a byte
  F32,
  U8,
  S8,
};

constexpr uint32_t storageBytes(NumberFormat format) {
  switch (format) {
  case NumberFormat::F16:
  case NumberFormat::Bf16:
    return 2;
  case NumberFormat::Tf32:
  case NumberFormat::F32:
    return 4;
  default:
    return 1;
  }
}

const char *formatName(NumberFormat format);

enum class Rounding : uint8_t { NearestEven, TowardZero };

struct Conversion {
  Rounding rounding = Rounding::NearestEven;
  bool satfinite = false;
  bool relu = false;
};

float fromBf16(uint16_t bits);
float fromF16(uint16_t bits);
float fromTf32(uint32_t bits);
float fromE4m3(uint8_t bits);
float fromE5m2(uint8_t bits);

uint16_t toBf16(float value, Conversion how = {});
uint16_t toF16(float value, Conversion how = {});
uint32_t toTf32(float value, Conversion how = {});
uint8_t toE4m3(float value, Conversion how = {});
uint8_t toE5m2(float value, Conversion how = {});

// Any format by name; `bits` holds the value in its low bits.
float decodeNumber(NumberFormat format, uint32_t bits);
uint32_t encodeNumber(NumberFormat format, float value, Conversion how = {});

// Bulk forms. Source and destination do not overlap.
void fromBf16(const uint16_t *source, float *destination, size_t count);
void fromF16(const uint16_t *source, float *destination, size_t count);
void toBf16(const float *source, uint16_t *destination, size_t count);
void toF16(const float *source, uint16_t *destination, size_t count);
void decodeNumbers(NumberFormat format, const void *source, float *destination,
                   size_t count);

} // namespace fa4::emulator
