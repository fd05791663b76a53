// cvt between integers and floats of all widths.
#include "runtime/emulator/Families.h"
#include "runtime/emulator/FloatFormats.h"

#include <fmt/format.h>

namespace fa4::emulator {

namespace {

enum Flags : uint16_t {
  ToInteger = 1, // .rni and so on
  Saturate = 2,
  FlushSubnormals = 4,
  Relu = 8,
};

RoundingMode modeOf(const Instruction &i) {
  return static_cast<RoundingMode>(i.with.operation);
}

Conversion conversionOf(const Instruction &i) {
  return {modeOf(i) == RoundingMode::Zero ? Rounding::TowardZero
                                          : Rounding::NearestEven,
          (i.with.count & Saturate) != 0, (i.with.count & Relu) != 0};
}

/// Any source as a number: integers exactly, floats as double.
struct Number {
  bool isFloat;
  double real;
  int64_t integer; // two's complement
  bool isUnsigned;
};

Number readNumber(Type type, uint64_t bits) {
  switch (type) {
  case Type::F32:
    return {true, std::bit_cast<float>(static_cast<uint32_t>(bits)), 0, false};
  case Type::F64:
    return {true, std::bit_cast<double>(bits), 0, false};
  case Type::F16:
    return {true, fromF16(static_cast<uint16_t>(bits)), 0, false};
  case Type::Bf16:
    return {true, fromBf16(static_cast<uint16_t>(bits)), 0, false};
  default:
    break;
  }
  const uint32_t shift = 64 - typeBits(type);
  if (isSigned(type))
    return {false, 0, static_cast<int64_t>(bits << shift) >> shift, false};
  return {false, 0, static_cast<int64_t>(bits << shift >> shift), true};
}

double roundToInteger(double x, RoundingMode mode) {
  switch (mode) {
  case RoundingMode::Zero:
    return std::trunc(x);
  case RoundingMode::Down:
    return std::floor(x);
  case RoundingMode::Up:
    return std::ceil(x);
  case RoundingMode::Nearest:
    break;
  }
  return std::nearbyint(x);
}

/// Out-of-range values clamp. NaN is 0, but the top bit alone where the
/// source or the result has 64 bits.
uint64_t realToInteger(double x, Type from, Type type, RoundingMode mode) {
  const uint32_t bits = typeBits(type);
  if (std::isnan(x))
    return bits == 64 || from == Type::F64 ? uint64_t(1) << (bits - 1) : 0;
  x = roundToInteger(x, mode);
  const double limit =
      std::ldexp(1.0, static_cast<int>(bits) - (isSigned(type) ? 1 : 0));
  if (isSigned(type)) {
    if (x >= limit)
      return (uint64_t(1) << (bits - 1)) - 1;
    if (x < -limit)
      return uint64_t(1) << (bits - 1);
    return static_cast<uint64_t>(static_cast<int64_t>(x));
  }
  if (x >= limit)
    return bits == 64 ? ~uint64_t(0) : (uint64_t(1) << bits) - 1;
  return x <= 0 ? 0 : static_cast<uint64_t>(x);
}

uint64_t integerToInteger(const Number &number, Type type, bool saturate) {
  const uint32_t bits = typeBits(type);
  const uint64_t mask = bits == 64 ? ~uint64_t(0) : (uint64_t(1) << bits) - 1;
  if (!saturate)
    return static_cast<uint64_t>(number.integer) & mask;
  __int128 value =
      number.isUnsigned
          ? static_cast<__int128>(static_cast<uint64_t>(number.integer))
          : static_cast<__int128>(number.integer);
  __int128 low = isSigned(type) ? -(static_cast<__int128>(1) << (bits - 1)) : 0;
  __int128 high = isSigned(type) ? (static_cast<__int128>(1) << (bits - 1)) - 1
                                 : (static_cast<__int128>(1) << bits) - 1;
  value = value < low ? low : value > high ? high : value;
  return static_cast<uint64_t>(value) & mask;
}

/// A 64-bit integer as a rounded double and what is missing.
void splitInteger(const Number &number, double &high, double &low) {
  __int128 exact =
      number.isUnsigned
          ? static_cast<__int128>(static_cast<uint64_t>(number.integer))
          : static_cast<__int128>(number.integer);
  high = static_cast<double>(exact);
  low = static_cast<double>(exact - static_cast<__int128>(high));
}

float toFloat(const Number &number, RoundingMode mode) {
  if (number.isFloat)
    return roundDirected(number.real, 0, mode);
  double high, low;
  splitInteger(number, high, low);
  if (mode == RoundingMode::Nearest)
    return number.isUnsigned
               ? static_cast<float>(static_cast<uint64_t>(number.integer))
               : static_cast<float>(number.integer);
  return roundDirected(high, low, mode);
}

/// The f32 that a NaN becomes: canonical, but from bf16 its bits, and from f64
/// its leading bits, made quiet.
uint32_t nanResult(Type from, uint64_t bits) {
  if (from == Type::Bf16)
    return static_cast<uint32_t>(bits << 16);
  if (from != Type::F64)
    return 0x7fffffff;
  return 0x7fc00000 | (bits >> 63) << 31 | ((bits >> 29) & 0x3fffff);
}

/// To 16 bits: the modifiers that NumberFormats does not know.
uint16_t toHalf(const Instruction &i, Type to, float value) {
  const uint32_t flags = i.with.count;
  Conversion how = conversionOf(i);
  if (modeOf(i) == RoundingMode::Down || modeOf(i) == RoundingMode::Up) {
    // Toward zero, or away from it by one step where that was not exact.
    how.rounding = Rounding::TowardZero;
    const uint16_t cut = toF16(value, how);
    const bool away = std::signbit(value) == (modeOf(i) == RoundingMode::Down);
    const bool inexact = fromF16(cut) != value && std::isfinite(value);
    return to == Type::F16 && away && inexact ? uint16_t(cut + 1) : cut;
  }
  if (flags & Saturate && to == Type::F16) {
    how.satfinite = false;
    value = value > 0 ? (value < 1 ? value : 1.f) : 0.f;
  }
  return to == Type::F16 ? toF16(value, how) : toBf16(value, how);
}

uint64_t convertValue(const Instruction &i, uint64_t bits) {
  const Type from = static_cast<Type>(i.with.shape);
  const Type to = static_cast<Type>(i.with.type);
  const uint32_t flags = i.with.count;
  Number number = readNumber(from, bits);
  if ((flags & FlushSubnormals) && from == Type::F32)
    number.real = flushSubnormal(static_cast<float>(number.real));
  if (!isFloat(to))
    return number.isFloat ? realToInteger(number.real, from, to, modeOf(i))
                          : integerToInteger(number, to, flags & Saturate);
  if (number.isFloat && (flags & ToInteger))
    number.real = roundToInteger(number.real, modeOf(i));
  if (to == Type::F64) {
    double low, high = number.real;
    if (!number.isFloat)
      splitInteger(number, high, low);
    return std::bit_cast<uint64_t>(high);
  }
  const bool rounds = to == Type::F32 && !(flags & ToInteger);
  float value = toFloat(number, rounds ? modeOf(i) : RoundingMode::Nearest);
  if (to == Type::F16 || to == Type::Bf16) {
    if (from != Type::F32)
      value = number.isFloat ? roundToOdd(number.real) : value;
    return toHalf(i, to, value);
  }
  if (flags & FlushSubnormals)
    value = flushSubnormal(value);
  if (flags & Saturate)
    value = value > 0 ? (value < 1 ? value : 1.f) : 0.f;
  if (flags & Relu)
    value = value > 0 || value != value ? value : 0.f;
  if (value != value)
    return nanResult(from, bits);
  return std::bit_cast<uint32_t>(value);
}

Outcome convert(Context &c, const Instruction &i) {
  Scratch64 scratch, result;
  const uint64_t *a = row64(c, c.operand(i, 1), scratch);
  const Type to = static_cast<Type>(i.with.type);
  // A signed result fills the register that holds it (`bytes`).
  const uint32_t spare = isSigned(to) ? 64 - typeBits(to) : 0;
  const uint64_t mask = ~uint64_t(0) >> (64 - 8 * i.with.bytes);
  for (int lane = 0; lane < 32; ++lane) {
    const uint64_t value = convertValue(i, a[lane]);
    result.lane[lane] =
        spare ? static_cast<uint64_t>(static_cast<int64_t>(value << spare) >>
                                      spare) &
                    mask
              : value;
  }
  write64(c, c.operand(i, 0), result.lane);
  return Outcome::Next;
}

/// Integer conversions without saturation only cut and extend.
template <typename To, typename From>
Outcome resize(Context &c, const Instruction &i) {
  return mapLanes<To, From>(c, i, [](From a) { return static_cast<To>(a); });
}

template <typename To> Handler resizeFrom(Type from) {
  switch (from) {
  case Type::U8:
    return resize<To, uint8_t>;
  case Type::S8:
    return resize<To, int8_t>;
  case Type::U16:
    return resize<To, uint16_t>;
  case Type::S16:
    return resize<To, int16_t>;
  case Type::U32:
    return resize<To, uint32_t>;
  case Type::S32:
    return resize<To, int32_t>;
  case Type::U64:
    return resize<To, uint64_t>;
  case Type::S64:
    return resize<To, int64_t>;
  default:
    return nullptr;
  }
}

Handler resizeHandler(Type to, Type from) {
  switch (typeBits(to)) {
  case 8:
    return resizeFrom<uint8_t>(from);
  case 16:
    return resizeFrom<uint16_t>(from);
  case 32:
    return resizeFrom<uint32_t>(from);
  default:
    return resizeFrom<uint64_t>(from);
  }
}

/// cvt.rn.{bf16x2,f16x2,...}.f32 d, a, b: a is the upper half.
template <bool bf16> Outcome packHalves(Context &c, const Instruction &i) {
  Scratch32 scratchA, scratchB, result;
  const uint32_t *a = row32(c, c.operand(i, 1), scratchA);
  const uint32_t *b = row32(c, c.operand(i, 2), scratchB);
  const auto *floatsA = reinterpret_cast<const float *>(a);
  const auto *floatsB = reinterpret_cast<const float *>(b);
  const Conversion how = conversionOf(i);
  const bool plain =
      how.rounding == Rounding::NearestEven && !how.satfinite && !how.relu;
  uint16_t high[32], low[32];
  if (plain && bf16) {
    toBf16(floatsA, high, 32);
    toBf16(floatsB, low, 32);
  } else if (plain) {
    toF16(floatsA, high, 32);
    toF16(floatsB, low, 32);
  } else {
    for (int lane = 0; lane < 32; ++lane) {
      high[lane] =
          bf16 ? toBf16(floatsA[lane], how) : toF16(floatsA[lane], how);
      low[lane] = bf16 ? toBf16(floatsB[lane], how) : toF16(floatsB[lane], how);
    }
  }
  for (int lane = 0; lane < 32; ++lane)
    result.lane[lane] = uint32_t(high[lane]) << 16 | low[lane];
  write32(c, c.operand(i, 0), result.lane);
  return Outcome::Next;
}

NumberFormat byteFormat(Type type) {
  return type == Type::E4m3x2   ? NumberFormat::E4m3
         : type == Type::E5m2x2 ? NumberFormat::E5m2
                                : NumberFormat::E2m1;
}

/// cvt.rn.satfinite.e4m3x2.f32 d, a, b and the e2m1x2 form (two nibbles).
Outcome packBytes(Context &c, const Instruction &i) {
  const Type type = static_cast<Type>(i.with.type);
  const NumberFormat format = byteFormat(type);
  const uint32_t width = type == Type::E2m1x2 ? 4 : 8;
  const Conversion how = conversionOf(i);
  return mapLanes<uint32_t, float, float>(c, i, [&](float a, float b) {
    return encodeNumber(format, a, how) << width | encodeNumber(format, b, how);
  });
}

/// cvt.rn.f16x2.e4m3x2 d, a.
Outcome unpackBytes(Context &c, const Instruction &i) {
  const Type type = static_cast<Type>(i.with.shape);
  const NumberFormat format = byteFormat(type);
  const uint32_t width = type == Type::E2m1x2 ? 4 : 8;
  const uint32_t mask = (1u << width) - 1;
  const bool bf16 = static_cast<Type>(i.with.type) == Type::Bf16x2;
  const bool relu = i.with.count & Relu;
  return mapLanes<uint32_t, uint32_t>(c, i, [&](uint32_t a) {
    auto half = [&](uint32_t bits) -> uint32_t {
      float value = decodeNumber(format, bits & mask);
      const Conversion how = {Rounding::NearestEven, false, relu};
      return bf16 ? toBf16(value, how) : toF16(value, how);
    };
    return half(a >> width) << 16 | half(a);
  });
}

/// The low 13 bits of a tf32 are zero; .rna rounds half away from zero, the
/// bits of a NaN too.
Outcome toTf32Format(Context &c, const Instruction &i) {
  const Conversion how = conversionOf(i);
  const bool away = i.with.mode;
  return mapLanes<uint32_t, float>(c, i, [&](float a) -> uint32_t {
    if (away)
      return (std::bit_cast<uint32_t>(a) + 0x1000) & ~0x1fffu;
    if (a != a)
      return 0x7fffe000;
    return toTf32(a, how);
  });
}

/// cvt.rn.satfinite.e4m3x2.f16x2 d, a.
Outcome packBytesOfHalves(Context &c, const Instruction &i) {
  const NumberFormat format = byteFormat(static_cast<Type>(i.with.type));
  const Conversion how = conversionOf(i);
  return mapLanes<uint32_t, uint32_t>(c, i, [&](uint32_t a) {
    auto byte = [&](uint32_t half) {
      return encodeNumber(format, fromF16(static_cast<uint16_t>(half)), how);
    };
    return byte(a >> 16) << 8 | byte(a);
  });
}

/// cvt.pack.sat d, a, b, c: a and b saturated above the low part of c; two
/// halves have no c.
Outcome packIntegers(Context &c, const Instruction &i) {
  const Type to = static_cast<Type>(i.with.type);
  const uint32_t bits = typeBits(to), kept = 32 - 2 * bits;
  return mapLanes<uint32_t, uint32_t, uint32_t, uint32_t>(
      c, i, [&](uint32_t a, uint32_t b, uint32_t rest) {
        auto cut = [&](uint32_t x) {
          Number number{false, 0, static_cast<int32_t>(x), false};
          return static_cast<uint32_t>(integerToInteger(number, to, true));
        };
        const uint32_t pair = cut(a) << bits | cut(b);
        return kept ? rest << (2 * bits) | pair : pair;
      });
}

void decodePack(Decoding &d) {
  const Type to = *d.firstType();
  d.instruction.with.type = static_cast<uint8_t>(to);
  const uint32_t bits = typeBits(to);
  if (!d.has("sat") || (bits != 8 && bits != 16))
    d.unsupported();
  d.appendScalars(bits == 8 ? 4 : 3);
  if (bits == 16)
    d.appendValue(0);
  d.instruction.execute = packIntegers;
}

void readModifiers(Decoding &d) {
  auto &with = d.instruction.with;
  const bool toInteger =
      d.has("rni") || d.has("rzi") || d.has("rmi") || d.has("rpi");
  RoundingMode mode = d.has("rz") || d.has("rzi")   ? RoundingMode::Zero
                      : d.has("rm") || d.has("rmi") ? RoundingMode::Down
                      : d.has("rp") || d.has("rpi") ? RoundingMode::Up
                                                    : RoundingMode::Nearest;
  with.operation = static_cast<uint8_t>(mode);
  with.count = static_cast<uint16_t>(
      (toInteger ? ToInteger : 0) |
      (d.has("sat") || d.has("satfinite") ? Saturate : 0) |
      (d.has("ftz") ? FlushSubnormals : 0) | (d.has("relu") ? Relu : 0));
}

Handler packedHandler(Type to, Type from, size_t operands) {
  const bool bytes =
      to == Type::E4m3x2 || to == Type::E5m2x2 || to == Type::E2m1x2;
  const bool fromBytes =
      from == Type::E4m3x2 || from == Type::E5m2x2 || from == Type::E2m1x2;
  if (from == Type::F32 && operands == 3) {
    if (to == Type::Bf16x2)
      return packHalves<true>;
    if (to == Type::F16x2)
      return packHalves<false>;
    return bytes ? packBytes : nullptr;
  }
  if (operands == 2 && fromBytes && (to == Type::F16x2 || to == Type::Bf16x2))
    return unpackBytes;
  if (operands == 2 && from == Type::F16x2 && bytes && to != Type::E2m1x2)
    return packBytesOfHalves;
  if (operands == 2 && to == Type::Tf32 && from == Type::F32)
    return toTf32Format;
  return nullptr;
}

bool isScalar(Type type) {
  return (type >= Type::U8 && type <= Type::S64) || type == Type::F16 ||
         type == Type::Bf16 || type == Type::F32 || type == Type::F64;
}

} // namespace

void decodeConvert(Decoding &d) {
  readModifiers(d);
  auto first = d.firstType(), last = d.lastType();
  if (!first || !last || d.has("rs") || (d.has("rna") && *first != Type::Tf32))
    d.unsupported();
  if (d.has("pack"))
    return decodePack(d);
  auto &with = d.instruction.with;
  with.mode = d.has("rna");
  with.bytes =
      static_cast<uint8_t>(std::max(16u, d.registerBits(d.ast(0))) / 8);
  with.type = static_cast<uint8_t>(*first);
  with.shape = static_cast<uint16_t>(*last);
  const size_t operands = d.operandCount() == 3 ? 3 : 2;
  Handler handler = packedHandler(*first, *last, operands);
  if (!handler && operands == 2 && isScalar(*first) && isScalar(*last)) {
    const bool integers = !isFloat(*first) && !isFloat(*last);
    const bool extends = isSigned(*first) && 8u * with.bytes > typeBits(*first);
    handler = integers && !extends && !d.has("sat")
                  ? resizeHandler(*first, *last)
                  : convert;
  }
  if (!handler)
    d.unsupported();
  d.appendScalars(operands);
  d.instruction.execute = handler;
}

} // namespace fa4::emulator
