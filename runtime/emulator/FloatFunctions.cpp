// ex2, lg2, rcp, sqrt, rsqrt, sin, cos, tanh, copysign, testp.
//
// The hardware's approximations are not bit-reproducible; these are within
// half an ulp or so of the exact value, which is inside the promised error.
#include "runtime/emulator/DirectedRounding.h"
#include "runtime/emulator/Families.h"
#include "runtime/emulator/FloatFormats.h"
#include "runtime/emulator/Machine.h"

#include <fmt/format.h>

namespace fa4::emulator {

namespace {

struct Exp2 {
  float operator()(float x) const { return exp2f(x); }
};
struct Log2 {
  float operator()(float x) const { return log2f(x); }
};
struct Reciprocal {
  float operator()(float x) const { return 1 / x; }
  double operator()(double x) const { return 1 / x; }
};
struct SquareRoot {
  float operator()(float x) const { return __builtin_sqrtf(x); }
  double operator()(double x) const { return __builtin_sqrt(x); }
};
struct ReciprocalRoot {
  float operator()(float x) const {
    return static_cast<float>(1 / __builtin_sqrt(double(x)));
  }
  double operator()(double x) const { return 1 / __builtin_sqrt(x); }
};
/// The hardware multiplies by the f32 nearest to 1 / (2 pi), rounding toward
/// zero, before it takes the sine of so many turns.
double angle(float x) {
  constexpr double perTurn = 0x1.45f306p-3, turn = 0x1.921fb54442d18p+2;
  const double turns =
      roundDirected(double(x) * perTurn, 0, RoundingMode::Zero);
  return (turns - std::nearbyint(turns)) * turn;
}
struct Sine {
  float operator()(float x) const {
    return static_cast<float>(std::sin(angle(x)));
  }
};
struct Cosine {
  float operator()(float x) const {
    return static_cast<float>(std::cos(angle(x)));
  }
};
struct Tanh {
  float operator()(float x) const { return tanhf(x); }
};

template <typename F, typename Format, bool ftz>
Outcome function(Context &c, const Instruction &i) {
  if constexpr (std::is_same_v<F, Exp2>)
    c.machine.statistics.exponentials +=
        static_cast<uint64_t>(__builtin_popcount(c.mask)) * Format::count;
  return mapFormat<Format, 1>(c, i, [](auto x) {
    if constexpr (ftz)
      return flushSubnormal(canonicalNan(F()(flushSubnormal(x))));
    else
      return canonicalNan(F()(x));
  });
}

/// rcp and sqrt in a directed rounding mode.
template <typename Format, bool ftz, bool root>
Outcome directedFunction(Context &c, const Instruction &i) {
  const auto mode = static_cast<RoundingMode>(i.with.operation);
  using Value = typename Format::Value;
  return mapFormat<Format, 1>(c, i, [&](Value x) {
    x = flush<Format, ftz>(x);
    return canonicalNan(
        flush<Format, ftz>(root ? squareRootDirected(x, mode)
                                : divideDirected(Value(1), x, mode)));
  });
}

template <bool root> Handler directedHandler(bool ftz, Type type) {
  if (type == Type::F64)
    return directedFunction<FormatF64, false, root>;
  if (type != Type::F32)
    return nullptr;
  return ftz ? directedFunction<FormatF32, true, root>
             : directedFunction<FormatF32, false, root>;
}

Handler directedHandler(Decoding &d, Type type) {
  const RoundingMode mode = d.has("rz")   ? RoundingMode::Zero
                            : d.has("rm") ? RoundingMode::Down
                                          : RoundingMode::Up;
  d.instruction.with.operation = static_cast<uint8_t>(mode);
  if (d.parts[0] == "rcp")
    return directedHandler<false>(d.has("ftz"), type);
  return d.parts[0] == "sqrt" ? directedHandler<true>(d.has("ftz"), type)
                              : nullptr;
}

template <typename F> Handler onFloat(Decoding &d, Type type) {
  if (type != Type::F32)
    return nullptr;
  return d.has("ftz") ? function<F, FormatF32, true>
                      : function<F, FormatF32, false>;
}

template <typename F> Handler onDouble(Decoding &d, Type type) {
  return type == Type::F64 ? function<F, FormatF64, false>
                           : onFloat<F>(d, type);
}

template <typename F> Handler onHalf(Decoding &d, Type type) {
  switch (type) {
  case Type::F16:
    return function<F, FormatF16<1>, false>;
  case Type::F16x2:
    return function<F, FormatF16<2>, false>;
  case Type::Bf16:
    return function<F, FormatBf16<1>, false>;
  case Type::Bf16x2:
    return function<F, FormatBf16<2>, false>;
  default:
    return onFloat<F>(d, type);
  }
}

template <typename T> Outcome copySign(Context &c, const Instruction &i) {
  return mapLanes<T, T, T>(
      c, i, [](T sign, T value) { return std::copysign(value, sign); });
}

enum class Property : uint8_t {
  Finite,
  Infinite,
  Number,
  NotANumber,
  Normal,
  Subnormal,
};

Outcome testProperty(Context &c, const Instruction &i) {
  Scratch64 scratch;
  const uint64_t *row = row64(c, c.operand(i, 1), scratch);
  uint32_t result = 0;
  for (uint32_t lane = 0; lane < 32; ++lane) {
    int kind = i.with.bytes == 8
                   ? std::fpclassify(std::bit_cast<double>(row[lane]))
                   : std::fpclassify(std::bit_cast<float>(
                         static_cast<uint32_t>(row[lane])));
    bool holds = false;
    switch (static_cast<Property>(i.with.operation)) {
    case Property::Finite:
      holds = kind != FP_NAN && kind != FP_INFINITE;
      break;
    case Property::Infinite:
      holds = kind == FP_INFINITE;
      break;
    case Property::Number:
      holds = kind != FP_NAN;
      break;
    case Property::NotANumber:
      holds = kind == FP_NAN;
      break;
    case Property::Normal:
      holds = kind == FP_NORMAL || kind == FP_ZERO;
      break;
    case Property::Subnormal:
      holds = kind == FP_SUBNORMAL;
      break;
    }
    result |= uint32_t(holds) << lane;
  }
  writePredicate(c, c.operand(i, 0), result);
  return Outcome::Next;
}

} // namespace

void decodeFloatFunction(Decoding &d) {
  Type type = d.requireType();
  std::string_view name = d.parts[0];
  Handler handler = name == "ex2"     ? onHalf<Exp2>(d, type)
                    : name == "lg2"   ? onFloat<Log2>(d, type)
                    : name == "rcp"   ? onDouble<Reciprocal>(d, type)
                    : name == "sqrt"  ? onDouble<SquareRoot>(d, type)
                    : name == "rsqrt" ? onDouble<ReciprocalRoot>(d, type)
                    : name == "sin"   ? onFloat<Sine>(d, type)
                    : name == "cos"   ? onFloat<Cosine>(d, type)
                                      : onHalf<Tanh>(d, type);
  if (d.has("rz") || d.has("rm") || d.has("rp"))
    handler = directedHandler(d, type);
  if (!handler)
    d.unsupported();
  d.appendScalars(2);
  d.instruction.execute = handler;
}

void decodeCopySign(Decoding &d) {
  Type type = d.requireType();
  if (d.parts[0] == "copysign") {
    d.appendScalars(3);
    d.instruction.execute =
        type == Type::F64 ? copySign<double> : copySign<float>;
    return;
  }
  static constexpr std::string_view names[] = {
      "finite", "infinite", "number", "notanumber", "normal", "subnormal"};
  d.appendScalars(2);
  d.instruction.with.bytes = type == Type::F64 ? 8 : 4;
  d.instruction.execute = testProperty;
  for (size_t n = 0; n < std::size(names); ++n)
    if (d.has(names[n])) {
      d.instruction.with.operation = static_cast<uint8_t>(n);
      return;
    }
  d.unsupported();
}

} // namespace fa4::emulator
