// atom, red.
#include "runtime/emulator/Addresses.h"
#include "runtime/emulator/Announce.h"
#include "runtime/emulator/Families.h"
#include "runtime/emulator/FloatFormats.h"
#include "runtime/emulator/Lanes.h"
#include "runtime/emulator/Machine.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

namespace fa4::emulator {

namespace {

enum class Atomic : uint8_t {
  Add,
  Min,
  Max,
  And,
  Or,
  Xor,
  Inc,
  Dec,
  Exchange,
  Compare,
};

template <typename T> T minMax(Atomic operation, T a, T b) {
  return operation == Atomic::Min ? std::min(a, b) : std::max(a, b);
}

template <typename T> T applyInteger(Atomic operation, T old, T b, T c) {
  using U = std::make_unsigned_t<T>;
  switch (operation) {
  case Atomic::Add:
    return static_cast<T>(U(old) + U(b));
  case Atomic::Min:
  case Atomic::Max:
    return minMax(operation, old, b);
  case Atomic::And:
    return old & b;
  case Atomic::Or:
    return old | b;
  case Atomic::Xor:
    return old ^ b;
  case Atomic::Inc:
    return U(old) >= U(b) ? T(0) : static_cast<T>(U(old) + 1);
  case Atomic::Dec:
    return old == 0 || U(old) > U(b) ? b : static_cast<T>(U(old) - 1);
  case Atomic::Exchange:
    return b;
  case Atomic::Compare:
    return old == b ? c : old;
  }
  return old;
}

float applyFloat(Atomic operation, float a, float b) {
  if (operation == Atomic::Add)
    return a + b;
  if (std::isnan(a) || std::isnan(b))
    return std::isnan(a) ? b : a;
  return operation == Atomic::Min ? std::min(a, b) : std::max(a, b);
}

template <typename Format>
uint64_t applyPacked(Atomic operation, uint64_t old, uint64_t b) {
  using Lane = typename Format::Lane;
  Lane result = 0;
  for (int n = 0; n < Format::count; ++n) {
    result |= Format::put(
        applyFloat(operation,
                   static_cast<float>(Format::get(static_cast<Lane>(old), n)),
                   static_cast<float>(Format::get(static_cast<Lane>(b), n))),
        n);
  }
  return result;
}

template <typename T>
uint64_t applyAs(Atomic operation, uint64_t old, uint64_t b, uint64_t c) {
  return static_cast<std::make_unsigned_t<T>>(applyInteger(
      operation, static_cast<T>(old), static_cast<T>(b), static_cast<T>(c)));
}

uint64_t apply(Type type, Atomic operation, uint64_t old, uint64_t b,
               uint64_t c) {
  switch (type) {
  case Type::F32:
    return applyPacked<FormatF32>(operation, old, b);
  case Type::F64:
    return std::bit_cast<uint64_t>(std::bit_cast<double>(old) +
                                   std::bit_cast<double>(b));
  case Type::F16:
    return applyPacked<FormatF16<1>>(operation, old, b);
  case Type::F16x2:
    return applyPacked<FormatF16<2>>(operation, old, b);
  case Type::Bf16:
    return applyPacked<FormatBf16<1>>(operation, old, b);
  case Type::Bf16x2:
    return applyPacked<FormatBf16<2>>(operation, old, b);
  case Type::S32:
    return applyAs<int32_t>(operation, old, b, c);
  case Type::S64:
    return applyAs<int64_t>(operation, old, b, c);
  case Type::U64:
  case Type::B64:
    return applyAs<uint64_t>(operation, old, b, c);
  case Type::U16:
  case Type::B16:
    return applyAs<uint16_t>(operation, old, b, c);
  default:
    return applyAs<uint32_t>(operation, old, b, c);
  }
}

void announceAtomic(Context &c, const Instruction &i) {
  if (!checkerOf(c))
    return;
  uint64_t addresses[32];
  forEachLane(c.mask, [&](uint32_t lane) {
    addresses[lane] = laneValue(c, c.operand(i, i.with.vector), lane);
  });
  announceAccess(c, i, i.with.space, addresses, i.with.bytes * i.with.vector,
                 AccessMode::Atomic, {true, {i.with.acquire, i.with.release}});
}

/// Operands: `vector` destinations or sinks, address, `vector` values, and for
/// cas the new value. Lanes act in order.
Outcome atomic(Context &c, const Instruction &i) {
  const uint32_t bytes = i.with.bytes, vector = i.with.vector;
  const Type type = static_cast<Type>(i.with.type);
  const auto operation = static_cast<Atomic>(i.with.operation);
  Statistics &s = c.machine.statistics;
  announceAtomic(c, i);
  bool changes = false;
  forEachLane(c.mask, [&](uint32_t lane) {
    std::byte *target =
        translate(c, lane,
                  {i.with.space, laneValue(c, c.operand(i, vector), lane),
                   bytes * vector, AccessKind::Atomic});
    for (uint32_t n = 0; n < vector; ++n) {
      uint64_t old = 0;
      std::memcpy(&old, target + n * bytes, bytes);
      uint64_t other = operation == Atomic::Compare
                           ? laneValue(c, c.operand(i, vector + 2), lane)
                           : 0;
      uint64_t result =
          apply(type, operation, old,
                laneValue(c, c.operand(i, vector + 1 + n), lane), other);
      changes |= std::memcmp(target + n * bytes, &result, bytes) != 0;
      std::memcpy(target + n * bytes, &result, bytes);
      writeLane(c, c.operand(i, n), lane, old);
    }
    s.globalStoreBytes += bytes * vector;
  });
  c.machine.progress += changes ? 1 : 0;
  return Outcome::Next;
}

std::optional<Atomic> operationOf(const Decoding &d) {
  static constexpr std::pair<std::string_view, Atomic> names[] = {
      {"add", Atomic::Add},    {"min", Atomic::Min}, {"max", Atomic::Max},
      {"and", Atomic::And},    {"or", Atomic::Or},   {"xor", Atomic::Xor},
      {"inc", Atomic::Inc},    {"dec", Atomic::Dec}, {"exch", Atomic::Exchange},
      {"cas", Atomic::Compare}};
  for (auto [name, operation] : names)
    if (d.has(name))
      return operation;
  return std::nullopt;
}

bool isLegal(Type type, Atomic operation) {
  if (typeBits(type) < 16 || typeBits(type) > 64 || type == Type::F32x2 ||
      type >= Type::Tf32)
    return false;
  if (type == Type::F64)
    return operation == Atomic::Add;
  return !isFloat(type) || operation == Atomic::Add ||
         operation == Atomic::Min || operation == Atomic::Max;
}

} // namespace

void decodeAtomic(Decoding &d) {
  auto &with = d.instruction.with;
  auto operation = operationOf(d);
  Type type = d.requireType();
  // red.async is a remote arrival with data.
  if (!operation || !isLegal(type, *operation) || d.has("async"))
    d.unsupported();
  with.operation = static_cast<uint8_t>(*operation);
  with.type = static_cast<uint8_t>(type);
  with.bytes = static_cast<uint8_t>(typeBits(type) / 8);
  with.vector = d.has("v2") ? 2 : d.has("v4") ? 4 : d.has("v8") ? 8 : 1;
  with.space = d.space(MemorySpace::Generic);
  with.acquire = d.has("acquire") || d.has("acq_rel");
  with.release = d.has("release") || d.has("acq_rel");
  const bool returns = d.parts[0] == "atom";
  const size_t address = returns ? 1 : 0;
  const size_t operands = address + 2 + (*operation == Atomic::Compare);
  const size_t hint = d.has("L2::cache_hint");
  d.expectOperands(operands + hint, operands + hint);
  if (with.bytes * with.vector > 32 || d.width(address) != 1 ||
      d.width(address + 1) != with.vector ||
      (returns && d.width(0) != with.vector))
    d.fail(fmt::format("'{}' works on {} values", d.statement.opcode,
                       with.vector));
  for (uint32_t n = 0; !returns && n < with.vector; ++n)
    d.appendValue(0);
  for (size_t n = 0; n < operands; ++n)
    d.append(n);
  d.instruction.execute = atomic;
}

} // namespace fa4::emulator
