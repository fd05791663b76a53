// and, or, xor, not, shifts, bit fields, counts, prmt, lop3.
#include "runtime/emulator/Families.h"
#include "runtime/emulator/Lanes.h"

#include <fmt/format.h>

#include <algorithm>

namespace fa4::emulator {

namespace {

struct And {
  template <typename T> T operator()(T a, T b) const { return T(a & b); }
};
struct Or {
  template <typename T> T operator()(T a, T b) const { return T(a | b); }
};
struct Xor {
  template <typename T> T operator()(T a, T b) const { return T(a ^ b); }
};

template <typename F> Outcome predicates(Context &c, const Instruction &i) {
  writePredicate(c, c.operand(i, 0),
                 F()(predicateMask(c, c.operand(i, 1)),
                     predicateMask(c, c.operand(i, 2))));
  return Outcome::Next;
}
Outcome notPredicate(Context &c, const Instruction &i) {
  writePredicate(c, c.operand(i, 0), ~predicateMask(c, c.operand(i, 1)));
  return Outcome::Next;
}

template <typename T, typename F>
Outcome binary(Context &c, const Instruction &i) {
  return mapLanes<T, T, T>(c, i, F());
}
template <typename T> Outcome invert(Context &c, const Instruction &i) {
  return mapLanes<T, T>(c, i, [](T a) { return T(~a); });
}
template <typename T> Outcome isZero(Context &c, const Instruction &i) {
  return mapLanes<T, T>(c, i, [](T a) { return T(a == 0); });
}

template <typename F> Handler logic(Type type) {
  switch (typeBits(type)) {
  case 1:
    return predicates<F>;
  case 16:
    return binary<uint16_t, F>;
  case 32:
    return binary<uint32_t, F>;
  case 64:
    return binary<uint64_t, F>;
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

/// Shift amounts above the width clamp to it.
template <typename T> Outcome shiftLeft(Context &c, const Instruction &i) {
  return mapLanes<T, T, uint32_t>(c, i, [](T a, uint32_t n) {
    return n < 8 * sizeof(T) ? T(uint64_t(a) << n) : T(0);
  });
}
template <typename T> Outcome shiftRight(Context &c, const Instruction &i) {
  return mapLanes<T, T, uint32_t>(c, i, [](T a, uint32_t n) {
    constexpr uint32_t last = 8 * sizeof(T) - 1;
    if (n > last)
      return std::is_signed_v<T> ? T(a >> last) : T(0);
    return T(a >> n);
  });
}

Handler shift(bool left, Type type) {
  switch (type) {
  case Type::B16:
  case Type::U16:
    return left ? shiftLeft<uint16_t> : shiftRight<uint16_t>;
  case Type::S16:
    return left ? nullptr : shiftRight<int16_t>;
  case Type::B32:
  case Type::U32:
    return left ? shiftLeft<uint32_t> : shiftRight<uint32_t>;
  case Type::S32:
    return left ? nullptr : shiftRight<int32_t>;
  case Type::B64:
  case Type::U64:
    return left ? shiftLeft<uint64_t> : shiftRight<uint64_t>;
  case Type::S64:
    return left ? nullptr : shiftRight<int64_t>;
  default:
    return nullptr;
  }
}

/// shf: the 64-bit value b:a shifted by c; left keeps the high word.
template <bool left, bool clamp>
Outcome funnelShift(Context &c, const Instruction &i) {
  return mapLanes<uint32_t, uint32_t, uint32_t, uint32_t>(
      c, i, [](uint32_t a, uint32_t b, uint32_t n) {
        n = clamp ? (n < 32 ? n : 32) : n & 31;
        uint64_t value = uint64_t(b) << 32 | a;
        return static_cast<uint32_t>(left ? (value << n) >> 32 : value >> n);
      });
}

/// The 32-bit forms use the low byte of position and length, the 64-bit forms
/// all bits.
template <typename T> T extractField(T a, uint32_t position, uint32_t length) {
  using U = std::make_unsigned_t<T>;
  constexpr uint32_t bits = 8 * sizeof(T);
  if constexpr (bits == 32) {
    position &= 0xff;
    length &= 0xff;
  }
  if (length == 0)
    return 0;
  const uint64_t last = uint64_t(position) + length - 1;
  const auto signBit =
      static_cast<uint32_t>(std::min<uint64_t>(last, bits - 1));
  bool negative = std::is_signed_v<T> && ((U(a) >> signBit) & 1);
  U field = position < bits ? U(a) >> position : 0;
  U mask = length < bits ? (U(1) << length) - 1 : ~U(0);
  // Bits behind the end of `a` are copies of the sign.
  if (negative) {
    uint32_t valid = position < bits ? std::min(length, bits - position) : 0;
    U keep = valid < bits ? (U(1) << valid) - 1 : ~U(0);
    return static_cast<T>((field & keep) | ~keep);
  }
  return static_cast<T>(field & mask);
}

template <typename T>
Outcome bitFieldExtract(Context &c, const Instruction &i) {
  return mapLanes<T, T, uint32_t, uint32_t>(c, i, extractField<T>);
}

template <typename T> Outcome bitFieldInsert(Context &c, const Instruction &i) {
  ScratchOf<T> first, second, result;
  Scratch32 third, fourth;
  const auto *a = rowOf<T>(c, c.operand(i, 1), first);
  const auto *b = rowOf<T>(c, c.operand(i, 2), second);
  const uint32_t *position = row32(c, c.operand(i, 3), third);
  const uint32_t *length = row32(c, c.operand(i, 4), fourth);
  constexpr uint32_t bits = 8 * sizeof(T);
  for (int lane = 0; lane < 32; ++lane) {
    constexpr uint32_t used = bits == 32 ? 0xff : ~0u;
    uint32_t p = position[lane] & used, n = length[lane] & used;
    T mask = n < bits ? (T(1) << n) - 1 : ~T(0);
    mask = p < bits ? mask << p : 0;
    T field = p < bits ? a[lane] << p : 0;
    result.lane[lane] = (b[lane] & ~mask) | (field & mask);
  }
  writeRow<T>(c, c.operand(i, 0), result.lane);
  return Outcome::Next;
}

template <typename T>
Outcome populationCount(Context &c, const Instruction &i) {
  return mapLanes<uint32_t, T>(
      c, i, [](T a) { return static_cast<uint32_t>(std::popcount(a)); });
}
template <typename T> Outcome leadingZeros(Context &c, const Instruction &i) {
  return mapLanes<uint32_t, T>(
      c, i, [](T a) { return static_cast<uint32_t>(std::countl_zero(a)); });
}
template <typename T> Outcome reverseBits(Context &c, const Instruction &i) {
  return mapLanes<T, T>(c, i, [](T a) {
    if constexpr (sizeof(T) == 8)
      return __builtin_bitreverse64(a);
    else
      return __builtin_bitreverse32(a);
  });
}
/// Position of the highest bit that differs from the sign, or all ones.
template <typename T> Outcome findBit(Context &c, const Instruction &i) {
  using U = std::make_unsigned_t<T>;
  const bool shiftAmount = i.with.mode;
  return mapLanes<uint32_t, T>(c, i, [&](T a) {
    U bits = std::is_signed_v<T> && a < 0 ? ~U(a) : U(a);
    if (bits == 0)
      return ~0u;
    auto zeros = static_cast<uint32_t>(std::countl_zero(bits));
    return shiftAmount ? zeros : uint32_t(8 * sizeof(T)) - 1 - zeros;
  });
}

/// prmt modes: 0 is the general one.
constexpr std::string_view permuteModes[] = {"",    "f4e", "b4e", "rc8",
                                             "ecl", "ecr", "rc16"};

uint32_t permuteSelector(uint32_t mode, uint32_t selector) {
  if (mode == 0)
    return selector;
  static constexpr uint16_t table[6][4] = {
      {0x3210, 0x4321, 0x5432, 0x6543}, {0x5670, 0x6701, 0x7012, 0x0123},
      {0x0000, 0x1111, 0x2222, 0x3333}, {0x3210, 0x3211, 0x3222, 0x3333},
      {0x0000, 0x1110, 0x2210, 0x3210}, {0x1010, 0x3232, 0x1010, 0x3232}};
  return table[mode - 1][selector & 3];
}

Outcome permute(Context &c, const Instruction &i) {
  const uint32_t mode = i.with.operation;
  return mapLanes<uint32_t, uint32_t, uint32_t, uint32_t>(
      c, i, [&](uint32_t a, uint32_t b, uint32_t selector) {
        selector = permuteSelector(mode, selector);
        uint64_t value = uint64_t(b) << 32 | a;
        uint32_t result = 0;
        for (int byte = 0; byte < 4; ++byte) {
          uint32_t nibble = (selector >> (4 * byte)) & 15;
          uint32_t picked = (value >> (8 * (nibble & 7))) & 0xff;
          if (nibble & 8)
            picked = picked & 0x80 ? 0xff : 0;
          result |= picked << (8 * byte);
        }
        return result;
      });
}

Outcome lookup3(Context &c, const Instruction &i) {
  const uint32_t table = i.with.count;
  return mapLanes<uint32_t, uint32_t, uint32_t, uint32_t>(
      c, i, [&](uint32_t x, uint32_t y, uint32_t z) {
        uint32_t result = 0;
        for (uint32_t row = 0; row < 8; ++row)
          if ((table >> row) & 1)
            result |=
                (row & 4 ? x : ~x) & (row & 2 ? y : ~y) & (row & 1 ? z : ~z);
        return result;
      });
}

} // namespace

void decodeLogic(Decoding &d) {
  Type type = d.requireType();
  std::string_view name = d.parts[0];
  const uint32_t bits = typeBits(type);
  if (name == "not" || name == "cnot") {
    bool complement = name == "not";
    Handler handler =
        bits == 1    ? (complement ? notPredicate : nullptr)
        : bits == 16 ? (complement ? invert<uint16_t> : isZero<uint16_t>)
        : bits == 32 ? (complement ? invert<uint32_t> : isZero<uint32_t>)
        : bits == 64 ? (complement ? invert<uint64_t> : isZero<uint64_t>)
                     : nullptr;
    return finish(d, handler, 2);
  }
  finish(d,
         name == "and"  ? logic<And>(type)
         : name == "or" ? logic<Or>(type)
                        : logic<Xor>(type),
         3);
}

void decodeShift(Decoding &d) {
  if (d.parts[0] == "shf") {
    const bool left = d.has("l"), clamp = d.has("clamp");
    return finish(
        d,
        left ? (clamp ? funnelShift<true, true> : funnelShift<true, false>)
             : (clamp ? funnelShift<false, true> : funnelShift<false, false>),
        4);
  }
  finish(d, shift(d.parts[0] == "shl", d.requireType()), 3);
}

void decodeBitField(Decoding &d) {
  Type type = d.requireType();
  if (d.parts[0] == "bfi")
    return finish(d,
                  typeBits(type) == 64 ? bitFieldInsert<uint64_t>
                                       : bitFieldInsert<uint32_t>,
                  5);
  Handler handler = type == Type::S32   ? bitFieldExtract<int32_t>
                    : type == Type::S64 ? bitFieldExtract<int64_t>
                    : type == Type::U64 ? bitFieldExtract<uint64_t>
                                        : bitFieldExtract<uint32_t>;
  finish(d, handler, 4);
}

void decodeBitCount(Decoding &d) {
  Type type = d.requireType();
  std::string_view name = d.parts[0];
  const bool wide = typeBits(type) == 64;
  Handler handler;
  if (name == "popc")
    handler = wide ? populationCount<uint64_t> : populationCount<uint32_t>;
  else if (name == "clz")
    handler = wide ? leadingZeros<uint64_t> : leadingZeros<uint32_t>;
  else if (name == "brev")
    handler = wide ? reverseBits<uint64_t> : reverseBits<uint32_t>;
  else if (isSigned(type))
    handler = wide ? findBit<int64_t> : findBit<int32_t>;
  else
    handler = wide ? findBit<uint64_t> : findBit<uint32_t>;
  d.instruction.with.mode = d.has("shiftamt");
  finish(d, handler, 2);
}

void decodePermute(Decoding &d) {
  for (size_t mode = 1; mode < std::size(permuteModes); ++mode)
    if (d.has(permuteModes[mode]))
      d.instruction.with.operation = static_cast<uint8_t>(mode);
  finish(d, permute, 4);
}

void decodeLop3(Decoding &d) {
  d.expectOperands(5, 5);
  d.instruction.with.count = static_cast<uint16_t>(d.constant(4) & 0xff);
  for (size_t n = 0; n < 4; ++n)
    d.append(n);
  d.instruction.execute = lookup3;
}

} // namespace fa4::emulator
