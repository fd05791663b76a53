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

/// Out-of-range values clamp, NaN is 0.
uint64_t realToInteger(double x, Type type, RoundingMode mode) {
  const uint32_t bits = typeBits(type);
  if (std::isnan(x))
    return 0;
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

uint64_t convertValue(const Instruction &i, uint64_t bits) {
  const Type from = static_cast<Type>(i.with.shape);
  const Type to = static_cast<Type>(i.with.type);
  const uint32_t flags = i.with.count;
  Number number = readNumber(from, bits);
  if ((flags & FlushSubnormals) && from == Type::F32)
    number.real = flushSubnormal(static_cast<float>(number.real));
  if (!isFloat(to))
    return number.isFloat ? realToInteger(number.real, to, modeOf(i))
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
    Conversion how = conversionOf(i);
    return to == Type::F16 ? toF16(value, how) : toBf16(value, how);
  }
  if (flags & FlushSubnormals)
    value = flushSubnormal(value);
  if (flags & Saturate)
    value = value > 0 ? (value < 1 ? value : 1.f) : 0.f;
  if (flags & Relu)
    value = value > 0 || value != value ? value : 0.f;
  if (value != value)
    return 0x7fffffff;
  return std::bit_cast<uint32_t>(value);
}

Outcome convert(Context &c, const Instruction &i) {
  Scratch64 scratch, result;
  const uint64_t *a = row64(c, c.operand(i, 1), scratch);
  for (int lane = 0; lane < 32; ++lane)
    result.lane[lane] = convertValue(i, a[lane]);
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
  return mapLanes<uint32_t, uint32_t>(c, i, [&](uint32_t a) {
    auto half = [&](uint32_t bits) -> uint32_t {
      float value = decodeNumber(format, bits & mask);
      return bf16 ? toBf16(value) : toF16(value);
    };
    return half(a >> width) << 16 | half(a);
  });
}

Outcome toTf32Format(Context &c, const Instruction &i) {
  const Conversion how = conversionOf(i);
  return mapLanes<uint32_t, float>(c, i,
                                   [&](float a) { return toTf32(a, how); });
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
  if (!first || !last || d.has("pack") || d.has("rs") || d.has("rna"))
    d.unsupported();
  auto &with = d.instruction.with;
  with.type = static_cast<uint8_t>(*first);
  with.shape = static_cast<uint16_t>(*last);
  const size_t operands = d.operandCount() == 3 ? 3 : 2;
  Handler handler = packedHandler(*first, *last, operands);
  if (!handler && operands == 2 && isScalar(*first) && isScalar(*last)) {
    const bool integers = !isFloat(*first) && !isFloat(*last);
    handler =
        integers && !d.has("sat") ? resizeHandler(*first, *last) : convert;
  }
  if (!handler)
    d.unsupported();
  d.appendScalars(operands);
  d.instruction.execute = handler;
}

} // namespace fa4::emulator
