// How float values lie in register lanes.
#pragma once

#include "runtime/emulator/FloatRounding.h"
#include "runtime/emulator/Lanes.h"
#include "runtime/emulator/NumberFormats.h"

namespace fa4::emulator {

/// A format: its value type, the lane type, values in a lane, and access.
/// flush() makes subnormal values zero, as .ftz does.
struct FormatF32 {
  using Value = float;
  using Lane = uint32_t;
  static constexpr int count = 1;
  static float get(Lane lane, int) { return std::bit_cast<float>(lane); }
  static Lane put(float value, int) { return std::bit_cast<Lane>(value); }
  static float flush(float x) { return flushSubnormal(x); }
};
struct FormatF64 {
  using Value = double;
  using Lane = uint64_t;
  static constexpr int count = 1;
  static double get(Lane lane, int) { return std::bit_cast<double>(lane); }
  static Lane put(double value, int) { return std::bit_cast<Lane>(value); }
  static double flush(double x) { return x; }
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
  static float flush(float x) { return flushSubnormal(x); }
};
template <int size> struct FormatF16 {
  using Value = float;
  using Lane = uint32_t;
  static constexpr int count = size;
  static float get(Lane lane, int n) {
    return fromF16(static_cast<uint16_t>(lane >> (16 * n)));
  }
  static Lane put(float value, int n) { return Lane(toF16(value)) << (16 * n); }
  static float flush(float x) {
    return std::abs(fromF16(toF16(x))) < 0x1p-14f ? std::copysign(0.f, x) : x;
  }
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
  static float flush(float x) { return x; }
};

template <typename Format, bool ftz, typename T> T flush(T x) {
  return ftz ? Format::flush(x) : x;
}

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
      if constexpr (arity == 1) {
        bits |= Format::put(f(Format::get(source[0][lane], n)), n);
      } else if constexpr (arity == 2) {
        bits |= Format::put(
            f(Format::get(source[0][lane], n), Format::get(source[1][lane], n)),
            n);
      } else {
        bits |= Format::put(f(Format::get(source[0][lane], n),
                              Format::get(source[1][lane], n),
                              Format::get(source[2][lane], n)),
                            n);
      }
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
