// add, sub, mul, fma, div, min, max, abs, neg on floats.
#include "runtime/emulator/Families.h"
#include "runtime/emulator/FloatFormats.h"

#include <fmt/format.h>

namespace fa4::emulator {

namespace {

RoundingMode modeOf(const Instruction &i) {
  return static_cast<RoundingMode>(i.with.operation);
}

struct Add {
  static constexpr int arity = 2;
  float operator()(float a, float b) const { return a + b; }
  double operator()(double a, double b) const { return a + b; }
  float directed(float a, float b, RoundingMode mode) const {
    double error, sum = exactSum(a, b, error);
    return roundDirected(sum, error, mode);
  }
};
struct Subtract {
  static constexpr int arity = 2;
  float operator()(float a, float b) const { return a - b; }
  double operator()(double a, double b) const { return a - b; }
  float directed(float a, float b, RoundingMode mode) const {
    return Add().directed(a, -b, mode);
  }
};
struct Multiply {
  static constexpr int arity = 2;
  float operator()(float a, float b) const { return a * b; }
  double operator()(double a, double b) const { return a * b; }
  float directed(float a, float b, RoundingMode mode) const {
    return roundDirected(double(a) * double(b), 0, mode);
  }
};
struct Fma {
  static constexpr int arity = 3;
  float operator()(float a, float b, float c) const {
    return __builtin_fmaf(a, b, c);
  }
  double operator()(double a, double b, double c) const {
    return __builtin_fma(a, b, c);
  }
  float directed(float a, float b, float c, RoundingMode mode) const {
    double error, sum = exactSum(double(a) * double(b), c, error);
    return roundDirected(sum, error, mode);
  }
};

template <bool ftz> float flush(float x) { return ftz ? flushSubnormal(x) : x; }
template <bool ftz> double flush(double x) { return x; }

float saturate(float x) { return x > 0 ? (x < 1 ? x : 1) : 0; }

template <typename Op, typename Format, bool ftz>
Outcome arithmetic(Context &c, const Instruction &i) {
  return mapFormat<Format, Op::arity>(
      c, i, [](auto... x) { return flush<ftz>(Op()(flush<ftz>(x)...)); });
}

template <typename Op, typename Format, bool ftz>
Outcome directedArithmetic(Context &c, const Instruction &i) {
  const RoundingMode mode = modeOf(i);
  const bool saturates = i.with.mode;
  return mapFormat<Format, Op::arity>(c, i, [&](auto... x) {
    float result = flush<ftz>(Op().directed(flush<ftz>(x)..., mode));
    return saturates ? saturate(result) : result;
  });
}

/// fma of 16-bit values: exact in double, then rounded once.
template <typename Format, bool relu>
Outcome halfFma(Context &c, const Instruction &i) {
  return mapFormat<Format, 3>(c, i, [](float x, float y, float z) {
    float result = roundToOdd(double(x) * double(y) + double(z));
    return relu && !(result > 0) && !std::isnan(result) ? 0.f : result;
  });
}

template <typename Op> Handler arithmeticHandler(Decoding &d, Type type) {
  const bool ftz = d.has("ftz");
  const bool special =
      d.has("sat") || modeOf(d.instruction) != RoundingMode::Nearest;
  switch (type) {
  case Type::F32:
    if (special)
      return ftz ? directedArithmetic<Op, FormatF32, true>
                 : directedArithmetic<Op, FormatF32, false>;
    return ftz ? arithmetic<Op, FormatF32, true>
               : arithmetic<Op, FormatF32, false>;
  case Type::F32x2:
    if (special)
      return ftz ? directedArithmetic<Op, FormatF32x2, true>
                 : directedArithmetic<Op, FormatF32x2, false>;
    return ftz ? arithmetic<Op, FormatF32x2, true>
               : arithmetic<Op, FormatF32x2, false>;
  case Type::F64:
    return special ? nullptr : arithmetic<Op, FormatF64, false>;
  case Type::F16:
    return special ? nullptr : arithmetic<Op, FormatF16<1>, false>;
  case Type::F16x2:
    return special ? nullptr : arithmetic<Op, FormatF16<2>, false>;
  case Type::Bf16:
    return special ? nullptr : arithmetic<Op, FormatBf16<1>, false>;
  case Type::Bf16x2:
    return special ? nullptr : arithmetic<Op, FormatBf16<2>, false>;
  default:
    return nullptr;
  }
}

struct Divide {
  static constexpr int arity = 2;
  float operator()(float a, float b) const { return a / b; }
  double operator()(double a, double b) const { return a / b; }
};

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

/// The canonical NaN of PTX is positive with all mantissa bits set.
inline float canonicalNan(float x) {
  return std::isnan(x) ? std::bit_cast<float>(0x7fffffff) : x;
}
inline double canonicalNan(double x) { return x; }

template <typename Format, int arity, bool ftz>
Outcome minMax(Context &c, const Instruction &i) {
  const uint32_t flags = i.with.operation;
  return mapFormat<Format, arity>(c, i, [&](auto first, auto... rest) {
    auto result = flush<ftz>(first);
    ((result = extreme(result, flush<ftz>(rest), flags)), ...);
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

Handler decodeMinMaxFloat(Decoding &d, Type type) {
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

/// abs and neg only touch the sign bits, of NaN too.
template <typename Lane, bool negate>
Outcome signBits(Context &c, const Instruction &i) {
  const Lane mask = i.with.type == 64   ? static_cast<Lane>(0x8000000000000000)
                    : i.with.type == 16 ? Lane(0x8000)
                    : i.with.type == 33 ? Lane(0x80008000)
                                        : Lane(0x80000000);
  const bool ftz = i.with.mode;
  return mapLanes<Lane, Lane>(c, i, [&](Lane x) {
    Lane result = negate ? x ^ mask : x & static_cast<Lane>(~mask);
    return ftz && (result & 0x7f800000) == 0 ? result & mask : result;
  });
}

Handler decodeSign(Decoding &d, Type type) {
  const bool negate = d.parts[0] == "neg";
  const bool packed = type == Type::F16x2 || type == Type::Bf16x2;
  d.instruction.with.type = packed ? 33 : static_cast<uint8_t>(typeBits(type));
  d.instruction.with.mode = d.has("ftz") && type == Type::F32;
  if (type == Type::F64)
    return negate ? signBits<uint64_t, true> : signBits<uint64_t, false>;
  if (type == Type::F32x2)
    return nullptr;
  return negate ? signBits<uint32_t, true> : signBits<uint32_t, false>;
}

Handler decodeDivideFloat(Decoding &d, Type type) {
  if (type == Type::F64)
    return arithmetic<Divide, FormatF64, false>;
  if (type != Type::F32 || modeOf(d.instruction) != RoundingMode::Nearest)
    return nullptr;
  return d.has("ftz") ? arithmetic<Divide, FormatF32, true>
                      : arithmetic<Divide, FormatF32, false>;
}

void readRounding(Decoding &d) {
  RoundingMode mode = d.has("rz")   ? RoundingMode::Zero
                      : d.has("rm") ? RoundingMode::Down
                      : d.has("rp") ? RoundingMode::Up
                                    : RoundingMode::Nearest;
  d.instruction.with.operation = static_cast<uint8_t>(mode);
  d.instruction.with.mode = d.has("sat");
}

} // namespace

bool decodeFloatArithmetic(Decoding &d) {
  auto type = d.lastType();
  if (!type || !isFloat(*type))
    return false;
  readRounding(d);
  std::string_view name = d.parts[0];
  Handler handler = nullptr;
  size_t operands = 3;
  if (name == "add")
    handler = arithmeticHandler<Add>(d, *type);
  else if (name == "sub")
    handler = arithmeticHandler<Subtract>(d, *type);
  else if (name == "mul")
    handler = arithmeticHandler<Multiply>(d, *type);
  else if (name == "div")
    handler = decodeDivideFloat(d, *type);
  else if (name == "min" || name == "max") {
    handler = decodeMinMaxFloat(d, *type);
    operands = d.operandCount() == 4 ? 4 : 3;
  } else {
    handler = decodeSign(d, *type);
    operands = 2;
  }
  if (!handler)
    d.unsupported();
  d.appendScalars(operands);
  d.instruction.execute = handler;
  return true;
}

void decodeFma(Decoding &d) {
  readRounding(d);
  Type type = d.requireType();
  const bool relu = d.has("relu");
  Handler handler = nullptr;
  switch (type) {
  case Type::F16:
    handler = relu ? halfFma<FormatF16<1>, true> : halfFma<FormatF16<1>, false>;
    break;
  case Type::F16x2:
    handler = relu ? halfFma<FormatF16<2>, true> : halfFma<FormatF16<2>, false>;
    break;
  case Type::Bf16:
    handler =
        relu ? halfFma<FormatBf16<1>, true> : halfFma<FormatBf16<1>, false>;
    break;
  case Type::Bf16x2:
    handler =
        relu ? halfFma<FormatBf16<2>, true> : halfFma<FormatBf16<2>, false>;
    break;
  default:
    handler = relu ? nullptr : arithmeticHandler<Fma>(d, type);
  }
  if (!handler)
    d.unsupported();
  d.appendScalars(4);
  d.instruction.execute = handler;
}

} // namespace fa4::emulator
