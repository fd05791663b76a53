// add, sub, mul, fma, div on floats, in every rounding mode.
#include "runtime/emulator/DirectedRounding.h"
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
    return sumDirected(a, b, mode);
  }
  double directed(double a, double b, RoundingMode mode) const {
    return addDirected(a, b, mode);
  }
};
struct Subtract {
  static constexpr int arity = 2;
  template <typename T> T operator()(T a, T b) const { return a - b; }
  template <typename T> T directed(T a, T b, RoundingMode mode) const {
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
  double directed(double a, double b, RoundingMode mode) const {
    return multiplyDirected(a, b, mode);
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
    return sumDirected(double(a) * double(b), c, mode);
  }
  double directed(double a, double b, double c, RoundingMode mode) const {
    return fmaDirected(a, b, c, mode);
  }
};
/// fma of 16-bit values: the one rounding is the conversion to the format.
struct HalfFma {
  static constexpr int arity = 3;
  float operator()(float a, float b, float c) const {
    return roundToOdd(sumToOdd(double(a) * double(b), double(c)));
  }
};
struct Divide {
  static constexpr int arity = 2;
  template <typename T> T operator()(T a, T b) const { return a / b; }
  template <typename T> T directed(T a, T b, RoundingMode mode) const {
    return divideDirected(a, b, mode);
  }
};

float saturate(float x) { return x > 0 ? (x < 1 ? x : 1) : 0; }
double saturate(double x) { return x > 0 ? (x < 1 ? x : 1) : 0; }

template <typename Op, typename Format, bool ftz>
Outcome arithmetic(Context &c, const Instruction &i) {
  return mapFormat<Format, Op::arity>(c, i, [](auto... x) {
    return canonicalNan(flush<Format, ftz>(Op()(flush<Format, ftz>(x)...)));
  });
}

template <typename Op, typename Format, bool ftz>
Outcome directedArithmetic(Context &c, const Instruction &i) {
  const RoundingMode mode = modeOf(i);
  const bool saturates = i.with.mode;
  return mapFormat<Format, Op::arity>(c, i, [&](auto... x) {
    auto result =
        flush<Format, ftz>(Op().directed(flush<Format, ftz>(x)..., mode));
    return saturates ? saturate(result) : canonicalNan(result);
  });
}

/// 16-bit results clamped to [0, 1] by .sat or to positive ones by .relu.
template <typename Op, typename Format, bool ftz>
Outcome clampedArithmetic(Context &c, const Instruction &i) {
  const bool saturates = i.with.mode;
  return mapFormat<Format, Op::arity>(c, i, [&](auto... x) {
    const float result = flush<Format, ftz>(Op()(flush<Format, ftz>(x)...));
    if (saturates)
      return saturate(result);
    return result > 0 || std::isnan(result) ? result : 0.f;
  });
}

template <typename Op, typename Format>
Handler wideHandler(const Decoding &d, bool directed) {
  const bool ftz = d.has("ftz");
  if (directed)
    return ftz ? directedArithmetic<Op, Format, true>
               : directedArithmetic<Op, Format, false>;
  return ftz ? arithmetic<Op, Format, true> : arithmetic<Op, Format, false>;
}

template <typename Op> Handler wideHandler(const Decoding &d, Type type) {
  const bool directed =
      d.has("sat") || modeOf(d.instruction) != RoundingMode::Nearest;
  switch (type) {
  case Type::F32:
    return wideHandler<Op, FormatF32>(d, directed);
  case Type::F32x2:
    return wideHandler<Op, FormatF32x2>(d, directed);
  case Type::F64:
    return wideHandler<Op, FormatF64>(d, directed);
  default:
    return nullptr;
  }
}

template <typename Op, typename Format>
Handler halfHandler(const Decoding &d, bool clamped) {
  const bool ftz = d.has("ftz");
  if (clamped)
    return ftz ? clampedArithmetic<Op, Format, true>
               : clampedArithmetic<Op, Format, false>;
  return ftz ? arithmetic<Op, Format, true> : arithmetic<Op, Format, false>;
}

template <typename Op> Handler halfHandler(const Decoding &d, Type type) {
  const bool clamped = d.has("sat") || d.has("relu");
  if (modeOf(d.instruction) != RoundingMode::Nearest)
    return nullptr;
  switch (type) {
  case Type::F16:
    return halfHandler<Op, FormatF16<1>>(d, clamped);
  case Type::F16x2:
    return halfHandler<Op, FormatF16<2>>(d, clamped);
  case Type::Bf16:
    return halfHandler<Op, FormatBf16<1>>(d, clamped);
  case Type::Bf16x2:
    return halfHandler<Op, FormatBf16<2>>(d, clamped);
  default:
    return nullptr;
  }
}

template <typename Op> Handler handlerFor(const Decoding &d, Type type) {
  const bool half = type >= Type::F16 && type <= Type::Bf16x2;
  return half ? halfHandler<Op>(d, type) : wideHandler<Op>(d, type);
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
    handler = handlerFor<Add>(d, *type);
  else if (name == "sub")
    handler = handlerFor<Subtract>(d, *type);
  else if (name == "mul")
    handler = handlerFor<Multiply>(d, *type);
  else if (name == "div")
    handler = *type == Type::F32 || *type == Type::F64
                  ? wideHandler<Divide>(d, *type)
                  : nullptr;
  else if (name == "min" || name == "max") {
    handler = minMaxFloat(d, *type);
    operands = d.operandCount() == 4 ? 4 : 3;
  } else {
    handler = signFloat(d, *type);
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
  const Type type = d.requireType();
  const bool half = type >= Type::F16 && type <= Type::Bf16x2;
  Handler handler = half            ? halfHandler<HalfFma>(d, type)
                    : d.has("relu") ? nullptr
                                    : wideHandler<Fma>(d, type);
  if (!handler)
    d.unsupported();
  d.appendScalars(4);
  d.instruction.execute = handler;
}

} // namespace fa4::emulator
