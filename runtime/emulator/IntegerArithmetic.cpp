// add, sub, mul, mad, div, rem, min, max, abs, neg on integers.
#include "runtime/emulator/Families.h"
#include "runtime/emulator/Lanes.h"

#include <fmt/format.h>

#include <algorithm>

namespace fa4::emulator {

namespace {

template <typename T> using Unsigned = std::make_unsigned_t<T>;

// Arithmetic wraps, so it is done on unsigned values wide enough not to be
// promoted to int.
template <typename T>
using Wrapping = std::conditional_t<sizeof(T) < 4, uint32_t, Unsigned<T>>;

struct Add {
  template <typename T> T operator()(T a, T b) const {
    return static_cast<T>(Wrapping<T>(a) + Wrapping<T>(b));
  }
};
struct Subtract {
  template <typename T> T operator()(T a, T b) const {
    return static_cast<T>(Wrapping<T>(a) - Wrapping<T>(b));
  }
};
struct AddSaturating {
  int32_t operator()(int32_t a, int32_t b) const {
    int64_t sum = int64_t(a) + b;
    return static_cast<int32_t>(std::clamp<int64_t>(sum, INT32_MIN, INT32_MAX));
  }
};
struct SubtractSaturating {
  int32_t operator()(int32_t a, int32_t b) const {
    int64_t sum = int64_t(a) - b;
    return static_cast<int32_t>(std::clamp<int64_t>(sum, INT32_MIN, INT32_MAX));
  }
};
struct MultiplyLow {
  template <typename T> T operator()(T a, T b) const {
    return static_cast<T>(Wrapping<T>(a) * Wrapping<T>(b));
  }
};
template <typename T> struct WiderType;
template <> struct WiderType<uint16_t> {
  using type = uint32_t;
};
template <> struct WiderType<int16_t> {
  using type = int32_t;
};
template <> struct WiderType<uint32_t> {
  using type = uint64_t;
};
template <> struct WiderType<int32_t> {
  using type = int64_t;
};
template <> struct WiderType<uint64_t> {
  using type = unsigned __int128;
};
template <> struct WiderType<int64_t> {
  using type = __int128;
};
template <typename T> using Wider = typename WiderType<T>::type;

template <typename T> Wider<T> wideProduct(T a, T b) {
  return static_cast<Wider<T>>(Wider<T>(a) * Wider<T>(b));
}
struct MultiplyHigh {
  template <typename T> T operator()(T a, T b) const {
    return static_cast<T>(wideProduct(a, b) >> (8 * sizeof(T)));
  }
};
struct Divide {
  // PTX leaves x / 0 open; the hardware gives all ones.
  template <typename T> T operator()(T a, T b) const {
    if (b == 0)
      return static_cast<T>(-1);
    if constexpr (std::is_signed_v<T>)
      if (b == -1)
        return Subtract()(T(0), a);
    return static_cast<T>(a / b);
  }
};
struct Remainder {
  template <typename T> T operator()(T a, T b) const {
    if (b == 0)
      return a;
    if constexpr (std::is_signed_v<T>)
      if (b == -1)
        return 0;
    return static_cast<T>(a % b);
  }
};
struct Min {
  template <typename T> T operator()(T a, T b) const { return b < a ? b : a; }
};
struct Max {
  template <typename T> T operator()(T a, T b) const { return a < b ? b : a; }
};
/// `.relu` clamps the result at zero.
template <typename Operation> struct Clamped {
  template <typename T> T operator()(T a, T b) const {
    return std::max(Operation()(a, b), T(0));
  }
};
struct Negate {
  template <typename T> T operator()(T a) const { return Subtract()(T(0), a); }
};
struct Absolute {
  template <typename T> T operator()(T a) const {
    return a < 0 ? Negate()(a) : a;
  }
};
struct MultiplyAddLow {
  template <typename T> T operator()(T a, T b, T c) const {
    return Add()(MultiplyLow()(a, b), c);
  }
};
struct MultiplyAddHigh {
  template <typename T> T operator()(T a, T b, T c) const {
    return Add()(MultiplyHigh()(a, b), c);
  }
};

template <typename T, typename F>
Outcome unary(Context &c, const Instruction &i) {
  return mapLanes<T, T>(c, i, F());
}
template <typename T, typename F>
Outcome binary(Context &c, const Instruction &i) {
  return mapLanes<T, T, T>(c, i, F());
}
template <typename T, typename F>
Outcome ternary(Context &c, const Instruction &i) {
  return mapLanes<T, T, T, T>(c, i, F());
}
template <typename T> Outcome multiplyWide(Context &c, const Instruction &i) {
  return mapLanes<Wider<T>, T, T>(c, i,
                                  [](T a, T b) { return wideProduct(a, b); });
}
template <typename T>
Outcome multiplyAddWide(Context &c, const Instruction &i) {
  return mapLanes<Wider<T>, T, T, Wider<T>>(
      c, i, [](T a, T b, Wider<T> addend) {
        return Add()(wideProduct(a, b), addend);
      });
}

enum class Arity { One, Two, Three };

template <typename T, typename F, Arity arity> Handler handler() {
  if constexpr (arity == Arity::One)
    return unary<T, F>;
  else if constexpr (arity == Arity::Two)
    return binary<T, F>;
  else
    return ternary<T, F>;
}

template <typename F, Arity arity> Handler byType(Type type) {
  switch (type) {
  case Type::U16:
  case Type::B16:
    return handler<uint16_t, F, arity>();
  case Type::S16:
    return handler<int16_t, F, arity>();
  case Type::U32:
  case Type::B32:
    return handler<uint32_t, F, arity>();
  case Type::S32:
    return handler<int32_t, F, arity>();
  case Type::U64:
  case Type::B64:
    return handler<uint64_t, F, arity>();
  case Type::S64:
    return handler<int64_t, F, arity>();
  default:
    return nullptr;
  }
}

void finish(Decoding &d, Handler handler, size_t operands) {
  if (!handler)
    d.unsupported();
  d.appendScalars(operands);
  d.instruction.execute = handler;
}

template <typename F> Handler wide(Type type) {
  switch (type) {
  case Type::U16:
    return F::template run<uint16_t>;
  case Type::S16:
    return F::template run<int16_t>;
  case Type::U32:
    return F::template run<uint32_t>;
  case Type::S32:
    return F::template run<int32_t>;
  default:
    return nullptr;
  }
}
struct WideProduct {
  template <typename T> static Outcome run(Context &c, const Instruction &i) {
    return multiplyWide<T>(c, i);
  }
};
struct WideMultiplyAdd {
  template <typename T> static Outcome run(Context &c, const Instruction &i) {
    return multiplyAddWide<T>(c, i);
  }
};

/// mul24 and mad24 take the low 24 bits of their operands.
template <bool high> int32_t product24(int32_t a, int32_t b) {
  int64_t product = int64_t(a << 8 >> 8) * (b << 8 >> 8);
  return static_cast<int32_t>(high ? product >> 16 : product);
}
Outcome multiply24(Context &c, const Instruction &i) {
  return mapLanes<int32_t, int32_t, int32_t>(c, i, product24<false>);
}

} // namespace

void decodeAddSubtract(Decoding &d) {
  if (decodeFloatArithmetic(d))
    return;
  if (d.has("cc"))
    d.unsupported();
  bool add = d.parts[0] == "add";
  Type type = d.requireType();
  if (d.has("sat"))
    return finish(d,
                  type != Type::S32 ? nullptr
                  : add             ? binary<int32_t, AddSaturating>
                                    : binary<int32_t, SubtractSaturating>,
                  3);
  finish(d,
         add ? byType<Add, Arity::Two>(type)
             : byType<Subtract, Arity::Two>(type),
         3);
}

void decodeMultiply(Decoding &d) {
  if (decodeFloatArithmetic(d))
    return;
  Type type = d.requireType();
  if (d.parts[0] == "mul24")
    return finish(d, d.has("lo") ? multiply24 : nullptr, 3);
  if (d.has("wide"))
    return finish(d, wide<WideProduct>(type), 3);
  finish(d,
         d.has("hi") ? byType<MultiplyHigh, Arity::Two>(type)
                     : byType<MultiplyLow, Arity::Two>(type),
         3);
}

void decodeMultiplyAdd(Decoding &d) {
  if (d.lastType() && isFloat(*d.lastType()))
    return decodeFma(d);
  if (d.has("cc") || d.has("sat"))
    d.unsupported();
  Type type = d.requireType();
  if (d.has("wide"))
    return finish(d, wide<WideMultiplyAdd>(type), 4);
  finish(d,
         d.has("hi") ? byType<MultiplyAddHigh, Arity::Three>(type)
                     : byType<MultiplyAddLow, Arity::Three>(type),
         4);
}

void decodeDivide(Decoding &d) {
  if (decodeFloatArithmetic(d))
    return;
  Type type = d.requireType();
  finish(d,
         d.parts[0] == "div" ? byType<Divide, Arity::Two>(type)
                             : byType<Remainder, Arity::Two>(type),
         3);
}

void decodeMinMax(Decoding &d) {
  if (decodeFloatArithmetic(d))
    return;
  Type type = d.requireType();
  bool isMin = d.parts[0] == "min";
  if (d.has("relu"))
    return finish(d,
                  isMin ? byType<Clamped<Min>, Arity::Two>(type)
                        : byType<Clamped<Max>, Arity::Two>(type),
                  3);
  finish(d,
         isMin ? byType<Min, Arity::Two>(type) : byType<Max, Arity::Two>(type),
         3);
}

void decodeAbsNegate(Decoding &d) {
  if (decodeFloatArithmetic(d))
    return;
  Type type = d.requireType();
  finish(d,
         d.parts[0] == "neg" ? byType<Negate, Arity::One>(type)
                             : byType<Absolute, Arity::One>(type),
         2);
}

} // namespace fa4::emulator
