// add, sub, mul, mad, div, rem, min, max, abs, neg, sad, dot products on
// integers.
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
  // PTX leaves x / 0 and x % 0 open; the hardware gives all ones.
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
      return static_cast<T>(-1);
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

/// mul24 takes the low 24 bits of its operands; .hi: bits 16 to 47.
template <typename T, bool high> T product24(T a, T b) {
  // Shifting down extends the sign of signed operands.
  auto low24 = [](T x) { return static_cast<T>(uint32_t(x) << 8) >> 8; };
  const int64_t product = int64_t(low24(a)) * low24(b);
  return static_cast<T>(high ? product >> 16 : product);
}
template <typename T, bool high>
Outcome multiply24(Context &c, const Instruction &i) {
  return mapLanes<T, T, T>(c, i, product24<T, high>);
}
Handler multiply24Handler(bool isSigned, bool high) {
  if (isSigned)
    return high ? multiply24<int32_t, true> : multiply24<int32_t, false>;
  return high ? multiply24<uint32_t, true> : multiply24<uint32_t, false>;
}

/// Both 16-bit halves of a word.
template <typename T, typename F> struct Halves {
  uint32_t operator()(uint32_t a, uint32_t b) const {
    const T low = F()(T(a), T(b)), high = F()(T(a >> 16), T(b >> 16));
    return uint32_t(uint16_t(high)) << 16 | uint16_t(low);
  }
};
template <typename F> Handler onHalves(Type type) {
  return type == Type::S16x2 ? binary<uint32_t, Halves<int16_t, F>>
                             : binary<uint32_t, Halves<uint16_t, F>>;
}
bool isPacked(Type type) { return type == Type::U16x2 || type == Type::S16x2; }
template <typename F> Handler minMax(Type type) {
  return isPacked(type) ? onHalves<F>(type) : byType<F, Arity::Two>(type);
}

struct AbsoluteDifference {
  template <typename T> T operator()(T a, T b, T c) const {
    return Add()(c, a < b ? Subtract()(b, a) : Subtract()(a, b));
  }
};

/// dp4a: four products of bytes; dp2a: two of a half and a byte. `count`: the
/// byte of b that dp2a starts at.
template <typename A, typename B>
Outcome dotProduct(Context &c, const Instruction &i) {
  constexpr int terms = 4 / sizeof(A);
  const uint32_t first = i.with.count;
  return mapLanes<uint32_t, uint32_t, uint32_t, uint32_t>(
      c, i, [&](uint32_t a, uint32_t b, uint32_t sum) {
        for (int n = 0; n < terms; ++n) {
          const int64_t left = static_cast<A>(a >> (32 / terms * n));
          const int64_t right = static_cast<B>(b >> (8 * (first + n)));
          sum += static_cast<uint32_t>(left * right);
        }
        return sum;
      });
}
template <typename A, typename UnsignedA>
Handler dotProductHandler(bool signedA, bool signedB) {
  if (signedA)
    return signedB ? dotProduct<A, int8_t> : dotProduct<A, uint8_t>;
  return signedB ? dotProduct<UnsignedA, int8_t>
                 : dotProduct<UnsignedA, uint8_t>;
}

} // namespace

void decodeAddSubtract(Decoding &d) {
  if (decodeFloatArithmetic(d))
    return;
  if (d.has("cc"))
    return decodeCarry(d);
  bool add = d.parts[0] == "add";
  Type type = d.requireType();
  if (isPacked(type))
    return finish(d, add ? onHalves<Add>(type) : nullptr, 3);
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
    return finish(d, multiply24Handler(isSigned(type), d.has("hi")), 3);
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
  if (d.has("cc"))
    return decodeCarry(d);
  if (d.has("sat"))
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
    return finish(
        d, isMin ? minMax<Clamped<Min>>(type) : minMax<Clamped<Max>>(type), 3);
  finish(d, isMin ? minMax<Min>(type) : minMax<Max>(type), 3);
}

void decodeSad(Decoding &d) {
  finish(d, byType<AbsoluteDifference, Arity::Three>(d.requireType()), 4);
}

void decodeDotProduct(Decoding &d) {
  const bool signedA = isSigned(*d.firstType()),
             signedB = isSigned(d.requireType());
  d.instruction.with.count = d.has("hi") ? 2 : 0;
  finish(d,
         d.parts[0] == "dp4a"
             ? dotProductHandler<int8_t, uint8_t>(signedA, signedB)
             : dotProductHandler<int16_t, uint16_t>(signedA, signedB),
         4);
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
