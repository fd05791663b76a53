// How float values lie in register lanes, and the rounding modes of PTX.
#pragma once

#include "runtime/emulator/Lanes.h"
#include "runtime/emulator/NumberFormats.h"

#include <cmath>
#include <limits>

namespace fa4::emulator {

enum class RoundingMode : uint8_t { Nearest, Zero, Down, Up };

/// Subnormal values become zero of the same sign.
inline float flushSubnormal(float x) {
  uint32_t bits = std::bit_cast<uint32_t>(x);
  return (bits & 0x7f800000) == 0 ? std::bit_cast<float>(bits & 0x80000000) : x;
}

/// The f32 nearest to high + low in the given direction; `low` is the error
/// of `high`.
inline float roundDirected(double high, double low, RoundingMode mode) {
  float result = static_cast<float>(high);
  if (!std::isfinite(high) || mode == RoundingMode::Nearest)
    return result;
  double rest = (high - static_cast<double>(result)) + low;
  if (std::isinf(result))
    rest = result > 0 ? -1 : 1;
  bool towardDown =
      mode == RoundingMode::Down || (mode == RoundingMode::Zero && (high > 0));
  constexpr float infinity = std::numeric_limits<float>::infinity();
  if (towardDown && rest < 0)
    return std::nextafter(result, -infinity);
  if (!towardDown && rest > 0)
    return std::nextafter(result, infinity);
  return result;
}

/// a + b as a double and what it lacks to the exact sum.
inline double exactSum(double a, double b, double &error) {
  double sum = a + b, part = sum - a;
  error = (a - (sum - part)) + (b - part);
  return sum;
}

/// Rounds to a float whose last bit is odd if inexact, so that a second
/// rounding to at most 22 bits is correct.
inline float roundToOdd(double value) {
  float result = static_cast<float>(value);
  if (std::isnan(result) || static_cast<double>(result) == value)
    return result;
  uint32_t bits = std::bit_cast<uint32_t>(result);
  if (bits & 1)
    return result;
  bool tooLarge = std::abs(static_cast<double>(result)) > std::abs(value);
  return std::bit_cast<float>(tooLarge ? bits - 1 : bits + 1);
}

/// A format: its value type, the lane type, values in a lane, and access.
struct FormatF32 {
  using Value = float;
  using Lane = uint32_t;
  static constexpr int count = 1;
  static float get(Lane lane, int) { return std::bit_cast<float>(lane); }
  static Lane put(float value, int) { return std::bit_cast<Lane>(value); }
};
struct FormatF64 {
  using Value = double;
  using Lane = uint64_t;
  static constexpr int count = 1;
  static double get(Lane lane, int) { return std::bit_cast<double>(lane); }
  static Lane put(double value, int) { return std::bit_cast<Lane>(value); }
};
struct FormatF32x2 {
  using Value = float;
  using Lane = uint64_t;
  static constexpr int count = 2;
  static float get(Lane lane, int n) {
    return std::bit_cast<float>(static_cast<uint32_t>(lane >> (32 * n)));
  }
  static Lane put(float value, int n) {
    return Lane(std::bit_cast<uint32_t>(value)) << (32 * n);
  }
};
template <int size> struct FormatF16 {
  using Value = float;
  using Lane = uint32_t;
  static constexpr int count = size;
  static float get(Lane lane, int n) {
    return fromF16(static_cast<uint16_t>(lane >> (16 * n)));
  }
  static Lane put(float value, int n) { return Lane(toF16(value)) << (16 * n); }
};
template <int size> struct FormatBf16 {
  using Value = float;
  using Lane = uint32_t;
  static constexpr int count = size;
  static float get(Lane lane, int n) {
    return fromBf16(static_cast<uint16_t>(lane >> (16 * n)));
  }
  static Lane put(float value, int n) {
    return Lane(toBf16(value)) << (16 * n);
  }
};

template <typename Lane>
const Lane *formatRow(
    Context &c, const Operand &o,
    std::conditional_t<sizeof(Lane) == 4, Scratch32, Scratch64> &scratch) {
  if constexpr (sizeof(Lane) == 4)
    return row32(c, o, scratch);
  else
    return row64(c, o, scratch);
}

/// d = f(values of the `arity` sources) for each value of each lane.
template <typename Format, int arity, typename F>
Outcome mapFormat(Context &c, const Instruction &i, F f) {
  using Lane = typename Format::Lane;
  using Scratch = std::conditional_t<sizeof(Lane) == 4, Scratch32, Scratch64>;
  Scratch scratch[3], result;
  const Lane *source[3] = {};
  for (int n = 0; n < arity; ++n)
    source[n] = formatRow<Lane>(c, c.operand(i, static_cast<uint32_t>(n) + 1),
                                scratch[n]);
  for (int lane = 0; lane < 32; ++lane) {
    Lane bits = 0;
    for (int n = 0; n < Format::count; ++n) {
      if constexpr (arity == 1)
        bits |= Format::put(f(Format::get(source[0][lane], n)), n);
      else if constexpr (arity == 2)
        bits |= Format::put(
            f(Format::get(source[0][lane], n), Format::get(source[1][lane], n)),
            n);
      else
        bits |= Format::put(f(Format::get(source[0][lane], n),
                              Format::get(source[1][lane], n),
                              Format::get(source[2][lane], n)),
                            n);
    }
    result.lane[lane] = bits;
  }
  if constexpr (sizeof(Lane) == 4)
    write32(c, c.operand(i, 0), result.lane);
  else
    write64(c, c.operand(i, 0), result.lane);
  return Outcome::Next;
}

} // namespace fa4::emulator
