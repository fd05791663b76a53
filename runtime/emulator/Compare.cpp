// setp, set, selp, slct.
#include "runtime/emulator/Families.h"
#include "runtime/emulator/FloatFormats.h"

#include <fmt/format.h>

namespace fa4::emulator {

namespace {

/// Ordered comparisons are false for NaN, the unordered ones true.
enum class Comparison : uint8_t {
  Eq,
  Ne,
  Lt,
  Le,
  Gt,
  Ge,
  Equ,
  Neu,
  Ltu,
  Leu,
  Gtu,
  Geu,
  Num,
  Nan,
};

std::optional<Comparison> parseComparison(std::string_view word,
                                          bool isUnsigned) {
  static constexpr std::string_view names[] = {
      "eq",  "ne",  "lt",  "le",  "gt",  "ge",  "equ",
      "neu", "ltu", "leu", "gtu", "geu", "num", "nan"};
  for (size_t n = 0; n < std::size(names); ++n)
    if (word == names[n])
      return static_cast<Comparison>(n);
  if (!isUnsigned)
    return std::nullopt;
  static constexpr std::string_view unsignedNames[] = {"lo", "ls", "hi", "hs"};
  for (size_t n = 0; n < 4; ++n)
    if (word == unsignedNames[n])
      return static_cast<Comparison>(n + 2);
  return std::nullopt;
}

template <typename T> bool compare(Comparison comparison, T a, T b) {
  const bool unordered = a != a || b != b;
  switch (comparison) {
  case Comparison::Eq:
    return a == b;
  case Comparison::Ne:
    return a != b && !unordered;
  case Comparison::Lt:
    return a < b;
  case Comparison::Le:
    return a <= b;
  case Comparison::Gt:
    return a > b;
  case Comparison::Ge:
    return a >= b;
  case Comparison::Equ:
    return a == b || unordered;
  case Comparison::Neu:
    return a != b;
  case Comparison::Ltu:
    return a < b || unordered;
  case Comparison::Leu:
    return a <= b || unordered;
  case Comparison::Gtu:
    return a > b || unordered;
  case Comparison::Geu:
    return a >= b || unordered;
  case Comparison::Num:
    return !unordered;
  case Comparison::Nan:
    return unordered;
  }
  return false;
}

template <typename T>
uint32_t compareRows(Comparison comparison, const LaneBits<T> *a,
                     const LaneBits<T> *b) {
  uint32_t result = 0;
  for (int lane = 0; lane < 32; ++lane)
    result |= uint32_t(compare(comparison, fromLane<T>(a[lane]),
                               fromLane<T>(b[lane])))
              << lane;
  return result;
}

/// What a setp does with the comparison; `boolean`: 0 none, 1 and, 2 or, 3 xor.
uint32_t combine(Context &c, const Instruction &i, uint32_t boolean,
                 uint32_t result, uint32_t third) {
  if (boolean == 0)
    return result;
  uint32_t other = predicateMask(c, c.operand(i, third));
  return boolean == 1   ? result & other
         : boolean == 2 ? result | other
                        : result ^ other;
}

template <typename T>
uint32_t compareOperands(Context &c, const Instruction &i, uint32_t first) {
  ScratchOf<T> scratchA, scratchB;
  const auto *a = rowOf<T>(c, c.operand(i, first), scratchA);
  const auto *b = rowOf<T>(c, c.operand(i, first + 1), scratchB);
  const auto comparison = static_cast<Comparison>(i.with.operation);
  if (std::is_same_v<T, float> && i.with.mode) {
    Scratch32 flushedA, flushedB;
    for (int lane = 0; lane < 32; ++lane) {
      auto flush = [](uint32_t bits) {
        return (bits & 0x7f800000) == 0 ? bits & 0x80000000 : bits;
      };
      flushedA.lane[lane] = flush(static_cast<uint32_t>(a[lane]));
      flushedB.lane[lane] = flush(static_cast<uint32_t>(b[lane]));
    }
    return compareRows<float>(comparison, flushedA.lane, flushedB.lane);
  }
  return compareRows<T>(comparison, a, b);
}

/// Halves compare as floats; `part`: which one of a packed pair.
template <bool bf16>
uint32_t compareHalves(Context &c, const Instruction &i, uint32_t first,
                       uint32_t part = 0) {
  using Format = std::conditional_t<bf16, FormatBf16<1>, FormatF16<1>>;
  const bool ftz = i.with.mode;
  Scratch32 scratchA, scratchB, a, b;
  const uint32_t *rowA = row32(c, c.operand(i, first), scratchA);
  const uint32_t *rowB = row32(c, c.operand(i, first + 1), scratchB);
  for (int lane = 0; lane < 32; ++lane) {
    auto widen = [&](uint32_t bits) {
      const float value = Format::get(bits >> (16 * part), 0);
      return std::bit_cast<uint32_t>(ftz ? Format::flush(value) : value);
    };
    a.lane[lane] = widen(rowA[lane]);
    b.lane[lane] = widen(rowB[lane]);
  }
  return compareRows<float>(static_cast<Comparison>(i.with.operation), a.lane,
                            b.lane);
}

bool isPacked(Type type) { return type == Type::F16x2 || type == Type::Bf16x2; }

uint32_t compareAs(Context &c, const Instruction &i, uint32_t first,
                   uint32_t part = 0) {
  switch (static_cast<Type>(i.with.type)) {
  case Type::B16:
  case Type::U16:
    return compareOperands<uint16_t>(c, i, first);
  case Type::S16:
    return compareOperands<int16_t>(c, i, first);
  case Type::B32:
  case Type::U32:
    return compareOperands<uint32_t>(c, i, first);
  case Type::S32:
    return compareOperands<int32_t>(c, i, first);
  case Type::B64:
  case Type::U64:
    return compareOperands<uint64_t>(c, i, first);
  case Type::S64:
    return compareOperands<int64_t>(c, i, first);
  case Type::F32:
    return compareOperands<float>(c, i, first);
  case Type::F64:
    return compareOperands<double>(c, i, first);
  case Type::F16:
  case Type::F16x2:
    return compareHalves<false>(c, i, first, part);
  default:
    return compareHalves<true>(c, i, first, part);
  }
}

/// Operands: p, q or a sink, a, b, and the third predicate. The second result
/// is the complement, or that of the upper half.
Outcome setPredicate(Context &c, const Instruction &i) {
  uint32_t result = compareAs(c, i, 2);
  uint32_t boolean = i.with.count;
  uint32_t first = combine(c, i, boolean, result, 4);
  uint32_t other = isPacked(static_cast<Type>(i.with.type))
                       ? compareAs(c, i, 2, 1)
                       : ~result;
  uint32_t second = combine(c, i, boolean, other, 4);
  writePredicate(c, c.operand(i, 0), first);
  writePredicate(c, c.operand(i, 1), second);
  return Outcome::Next;
}

/// What a set writes for true: 1.0, or all ones.
uint32_t truth(Type type) {
  switch (type) {
  case Type::F32:
    return 0x3f800000;
  case Type::F16:
    return 0x3c00;
  case Type::F16x2:
    return 0x3c003c00;
  case Type::Bf16:
    return 0x3f80;
  case Type::Bf16x2:
    return 0x3f803f80;
  default:
    return ~0u;
  }
}

/// set.CmpOp.dtype.stype; `shape` is dtype.
Outcome setValue(Context &c, const Instruction &i) {
  const uint32_t low = combine(c, i, i.with.count, compareAs(c, i, 1), 3);
  uint32_t high = low;
  if (isPacked(static_cast<Type>(i.with.type)))
    high = combine(c, i, i.with.count, compareAs(c, i, 1, 1), 3);
  Scratch32 result;
  const uint32_t value = truth(static_cast<Type>(i.with.shape));
  for (int lane = 0; lane < 32; ++lane)
    result.lane[lane] = value & (((low >> lane) & 1 ? 0xffff : 0) |
                                 ((high >> lane) & 1 ? 0xffff0000 : 0));
  write32(c, c.operand(i, 0), result.lane);
  return Outcome::Next;
}

template <typename T> Outcome select(Context &c, const Instruction &i) {
  ScratchOf<T> scratchA, scratchB, result;
  const auto *a = rowOf<T>(c, c.operand(i, 1), scratchA);
  const auto *b = rowOf<T>(c, c.operand(i, 2), scratchB);
  uint32_t mask = predicateMask(c, c.operand(i, 3));
  for (int lane = 0; lane < 32; ++lane)
    result.lane[lane] = (mask >> lane) & 1 ? a[lane] : b[lane];
  writeRow<T>(c, c.operand(i, 0), result.lane);
  return Outcome::Next;
}

/// slct: a where c >= 0, else b.
template <typename T, typename C>
Outcome selectBySign(Context &c, const Instruction &i) {
  const bool ftz = i.with.mode;
  return mapLanes<T, T, T, C>(c, i, [&](T a, T b, C key) {
    if constexpr (std::is_same_v<C, float>)
      key = ftz ? flushSubnormal(key) : key;
    return key >= 0 ? a : b;
  });
}

template <typename C> Handler signSelection(uint32_t bits) {
  return bits == 64   ? selectBySign<uint64_t, C>
         : bits == 32 ? selectBySign<uint32_t, C>
         : bits == 16 ? selectBySign<uint16_t, C>
                      : nullptr;
}

void readComparison(Decoding &d, Type type) {
  auto &with = d.instruction.with;
  with.type = static_cast<uint8_t>(type);
  with.mode = d.has("ftz");
  with.count = d.has("and") ? 1 : d.has("or") ? 2 : d.has("xor") ? 3 : 0;
  auto comparison = d.parts.size() > 1
                        ? parseComparison(d.parts[1], !isSigned(type))
                        : std::nullopt;
  if (!comparison || typeBits(type) < 16 || typeBits(type) > 64 ||
      type >= Type::Tf32 || type == Type::F32x2)
    d.unsupported();
  with.operation = static_cast<uint8_t>(*comparison);
}

} // namespace

void decodeSetPredicate(Decoding &d) {
  Type type = d.requireType();
  readComparison(d, type);
  const size_t operands = d.instruction.with.count ? 4 : 3;
  d.expectOperands(operands, operands);
  for (size_t n = 1; n < operands; ++n)
    if (d.width(n) != 1)
      d.fail("setp compares single values");
  if (d.parts[0] == "set") {
    d.instruction.with.shape = static_cast<uint16_t>(*d.firstType());
    d.instruction.execute = setValue;
    return d.appendScalars(operands);
  }
  d.append(0);
  if (d.width(0) == 1)
    d.appendValue(0); // no second destination
  for (size_t n = 1; n < operands; ++n)
    d.append(n);
  d.instruction.execute = setPredicate;
}

void decodeSelect(Decoding &d) {
  Type type = d.requireType();
  d.appendScalars(4);
  const uint32_t bits = typeBits(type);
  if (bits < 16 || bits > 64)
    d.unsupported();
  d.instruction.execute = bits == 64 ? select<uint64_t> : select<uint32_t>;
}

void decodeSelectBySign(Decoding &d) {
  const Type key = d.requireType();
  const uint32_t bits = typeBits(*d.firstType());
  Handler handler = key == Type::F32   ? signSelection<float>(bits)
                    : key == Type::S32 ? signSelection<int32_t>(bits)
                                       : nullptr;
  if (!handler || d.parts.size() < 3)
    d.unsupported();
  d.appendScalars(4);
  d.instruction.with.mode = d.has("ftz");
  d.instruction.execute = handler;
}

} // namespace fa4::emulator
