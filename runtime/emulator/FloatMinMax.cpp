// min, max, abs, neg on floats.
#include "runtime/emulator/Families.h"
#include "runtime/emulator/FloatFormats.h"

#include <fmt/format.h>

namespace fa4::emulator {

namespace {

enum ExtremeFlags { Largest = 1, KeepNan = 2, Absolute = 4, XorSign = 8 };

template <typename T> T extreme(T a, T b, uint32_t flags) {
  bool negative = std::signbit(a) != std::signbit(b);
  if (flags & Absolute) {
    a = std::abs(a);
    b = std::abs(b);
  }
  T result;
  if (std::isnan(a) || std::isnan(b)) {
    if (flags & KeepNan)
      return std::numeric_limits<T>::quiet_NaN();
    result = std::isnan(a) ? b : a;
  } else {
    bool takeA = a == b ? std::signbit(a) != bool(flags & Largest)
                        : (a > b) == bool(flags & Largest);
    result = takeA ? a : b;
  }
  return flags & XorSign ? std::copysign(result, negative ? T(-1) : T(1))
                         : result;
}

template <typename Format, int arity, bool ftz>
Outcome minMax(Context &c, const Instruction &i) {
  const uint32_t flags = i.with.operation;
  return mapFormat<Format, arity>(c, i, [&](auto first, auto... rest) {
    auto result = flush<Format, ftz>(first);
    ((result = extreme(result, flush<Format, ftz>(rest), flags)), ...);
    return canonicalNan(result);
  });
}

/// max.f32 and min.f32 without flags, the common case of a softmax.
template <bool largest> Outcome plainMinMax(Context &c, const Instruction &i) {
  return mapLanes<float, float, float>(c, i, [](float a, float b) {
    // Equal values differ at most in the sign of zero.
    uint32_t bitsA = std::bit_cast<uint32_t>(a);
    uint32_t bitsB = std::bit_cast<uint32_t>(b);
    float equal = std::bit_cast<float>(largest ? bitsA & bitsB : bitsA | bitsB);
    float other = (a > b) == largest ? a : b;
    float ordered = a == b ? equal : other;
    float withNan = a != a ? b : ordered;
    withNan = b != b ? a : withNan;
    return a != a && b != b ? std::bit_cast<float>(0x7fffffff) : withNan;
  });
}

template <typename Format> Handler minMaxHandler(bool three, bool ftz) {
  if (three)
    return ftz ? minMax<Format, 3, true> : minMax<Format, 3, false>;
  return ftz ? minMax<Format, 2, true> : minMax<Format, 2, false>;
}

/// The sign bit is cleared or flipped; NaN becomes canonical.
template <typename Format, bool ftz>
Outcome absolute(Context &c, const Instruction &i) {
  return mapFormat<Format, 1>(c, i, [](auto x) {
    return canonicalNan(std::abs(flush<Format, ftz>(x)));
  });
}
template <typename Format, bool ftz>
Outcome negation(Context &c, const Instruction &i) {
  return mapFormat<Format, 1>(
      c, i, [](auto x) { return canonicalNan(-flush<Format, ftz>(x)); });
}

template <typename Format> Handler signHandler(bool negate, bool ftz) {
  if (negate)
    return ftz ? negation<Format, true> : negation<Format, false>;
  return ftz ? absolute<Format, true> : absolute<Format, false>;
}

} // namespace

Handler minMaxFloat(Decoding &d, Type type) {
  uint8_t flags = d.parts[0] == "max" ? Largest : 0;
  flags |= d.has("NaN") ? KeepNan : 0;
  flags |= d.has("abs") ? Absolute : 0;
  flags |= d.has("xorsign") ? XorSign : 0;
  d.instruction.with.operation = flags;
  const bool three = d.operandCount() == 4, ftz = d.has("ftz");
  if (type == Type::F32 && !three && !ftz && (flags & ~Largest) == 0)
    return flags ? plainMinMax<true> : plainMinMax<false>;
  switch (type) {
  case Type::F32:
    return minMaxHandler<FormatF32>(three, ftz);
  case Type::F64:
    return minMaxHandler<FormatF64>(three, false);
  case Type::F16:
    return minMaxHandler<FormatF16<1>>(three, ftz);
  case Type::F16x2:
    return minMaxHandler<FormatF16<2>>(three, ftz);
  case Type::Bf16:
    return minMaxHandler<FormatBf16<1>>(three, false);
  case Type::Bf16x2:
    return minMaxHandler<FormatBf16<2>>(three, false);
  default:
    return nullptr;
  }
}

Handler signFloat(Decoding &d, Type type) {
  const bool negate = d.parts[0] == "neg", ftz = d.has("ftz");
  switch (type) {
  case Type::F32:
    return signHandler<FormatF32>(negate, ftz);
  case Type::F64:
    return signHandler<FormatF64>(negate, false);
  case Type::F16:
    return signHandler<FormatF16<1>>(negate, ftz);
  case Type::F16x2:
    return signHandler<FormatF16<2>>(negate, ftz);
  case Type::Bf16:
    return signHandler<FormatBf16<1>>(negate, false);
  case Type::Bf16x2:
    return signHandler<FormatBf16<2>>(negate, false);
  default:
    return nullptr;
  }
}

} // namespace fa4::emulator
