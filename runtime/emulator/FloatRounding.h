// The rounding modes of PTX arithmetic, and roundings that the host lacks.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
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

/// a + b rounded to f32; an exact zero is negative if it comes from a
/// negative operand and the mode is Down.
inline float sumDirected(double a, double b, RoundingMode mode) {
  double error, sum = exactSum(a, b, error);
  if (sum == 0 && mode == RoundingMode::Down)
    return std::signbit(a) || std::signbit(b) ? -0.f : 0.f;
  return roundDirected(sum, error, mode);
}

/// The exact sum rounded to a double whose last bit is odd if inexact.
inline double sumToOdd(double a, double b) {
  double error, sum = exactSum(a, b, error);
  uint64_t bits = std::bit_cast<uint64_t>(sum);
  if (!std::isfinite(sum) || error == 0 || (bits & 1))
    return sum;
  return std::bit_cast<double>((error > 0) == (sum > 0) ? bits + 1 : bits - 1);
}

/// The NaN of every arithmetic result: all mantissa bits set, but in f64 the
/// operand's.
inline float canonicalNan(float x) {
  return x != x ? std::bit_cast<float>(0x7fffffff) : x;
}
inline double canonicalNan(double x) { return x; }

} // namespace fa4::emulator
