// ld, ldu, st, prefetch.
#include "runtime/emulator/Addresses.h"
#include "runtime/emulator/Announce.h"
#include "runtime/emulator/Families.h"
#include "runtime/emulator/Lanes.h"
#include "runtime/emulator/Machine.h"

#include <fmt/format.h>

namespace fa4::emulator {

namespace {

void countBytes(Context &c, const Instruction &i, bool load) {
  Statistics &s = c.machine.statistics;
  uint64_t bytes = uint64_t(i.with.bytes) * i.with.vector *
                   static_cast<uint64_t>(__builtin_popcount(c.mask));
  if (i.with.space == MemorySpace::Shared)
    (load ? s.sharedLoadBytes : s.sharedStoreBytes) += bytes;
  else if (i.with.space == MemorySpace::SharedCluster)
    s.dsmemBytes += bytes;
  else if (i.with.space == MemorySpace::Global ||
           i.with.space == MemorySpace::Generic)
    (load ? s.globalLoadBytes : s.globalStoreBytes) += bytes;
}

uint64_t extend(uint64_t value, uint32_t bytes, bool isSigned) {
  if (!isSigned || bytes >= 8)
    return value;
  const uint32_t shift = 64 - 8 * bytes;
  return static_cast<uint64_t>(static_cast<int64_t>(value << shift) >> shift);
}

/// Where 128-bit elements end up: two rows.
Operand half(Operand o, uint32_t n) {
  o.index += n;
  return o;
}

Strength strengthOf(const Instruction &i) {
  return {i.with.mode, {i.with.acquire, i.with.release}};
}

/// True for a strong load that is executed again with nothing changed in
/// between: the fragment waits until something is.
bool polls(Context &c, const uint64_t *addresses) {
  const auto first = static_cast<uint32_t>(__builtin_ctz(c.mask));
  const PolledLoad now{c.mask, addresses[first], c.machine.progress};
  PolledLoad &before = c.warp.polls[c.fragment.pc];
  const bool again = before.mask == now.mask && before.address == now.address &&
                     before.progress == now.progress;
  before = now;
  if (!again)
    return false;
  Wait &wait = c.fragment.wait;
  wait = {};
  wait.kind = WaitKind::Poll;
  wait.resume = true;
  wait.polled = now.address;
  wait.generation = now.progress;
  return true;
}

/// Operands: `vector` destinations, the address.
Outcome load(Context &c, const Instruction &i) {
  const uint32_t bytes = i.with.bytes, vector = i.with.vector;
  Scratch64 scratch;
  const uint64_t *row = row64(c, c.operand(i, vector), scratch);
  Scratch64 addresses; // a destination may be the address register
  std::memcpy(addresses.lane, row, sizeof(addresses));
  countBytes(c, i, true);
  announceAccess(c, i, i.with.space, addresses.lane, bytes * vector,
                 AccessMode::Read, strengthOf(i));
  forEachLane(c.mask, [&](uint32_t lane) {
    const std::byte *source = translate(
        c, lane,
        {i.with.space, addresses.lane[lane], bytes * vector, AccessKind::Read});
    for (uint32_t n = 0; n < vector; ++n) {
      uint64_t value = 0;
      std::memcpy(&value, source + n * bytes, std::min(bytes, 8u));
      writeLane(c, c.operand(i, n), lane,
                extend(value, bytes, i.with.isSigned));
      if (bytes == 16) {
        std::memcpy(&value, source + n * bytes + 8, 8);
        writeLane(c, half(c.operand(i, n), 1), lane, value);
      }
    }
  });
  if (i.with.mode && polls(c, addresses.lane))
    return Outcome::Block;
  return Outcome::Next;
}

/// A parameter at a constant address is the same in every lane.
Outcome loadParameter(Context &c, const Instruction &i) {
  const uint32_t bytes = i.with.bytes;
  const Operand &address = c.operand(i, i.with.vector);
  const std::byte *source =
      translate(c, 0,
                {MemorySpace::Param,
                 parameterWindow + static_cast<uint64_t>(address.addend),
                 bytes * i.with.vector, AccessKind::Read});
  Scratch64 values;
  for (uint32_t n = 0; n < i.with.vector; ++n) {
    uint64_t value = 0;
    std::memcpy(&value, source + n * bytes, bytes);
    value = extend(value, bytes, i.with.isSigned);
    std::fill(std::begin(values.lane), std::end(values.lane), value);
    write64(c, c.operand(i, n), values.lane);
  }
  return Outcome::Next;
}

/// Operands: the address, `vector` sources.
Outcome store(Context &c, const Instruction &i) {
  const uint32_t bytes = i.with.bytes, vector = i.with.vector;
  Scratch64 scratch;
  const uint64_t *addresses = row64(c, c.operand(i, 0), scratch);
  countBytes(c, i, false);
  ++c.machine.progress;
  std::byte *target[32];
  forEachLane(c.mask, [&](uint32_t lane) {
    target[lane] = translate(
        c, lane,
        {i.with.space, addresses[lane], bytes * vector, AccessKind::Write});
  });
  announceAccess(c, i, i.with.space, addresses, bytes * vector,
                 AccessMode::Write, strengthOf(i));
  for (uint32_t n = 0; n < vector; ++n) {
    Scratch64 values;
    const uint64_t *value = row64(c, c.operand(i, n + 1), values);
    forEachLane(c.mask, [&](uint32_t lane) {
      std::memcpy(target[lane] + n * bytes, &value[lane], std::min(bytes, 8u));
    });
    if (bytes != 16)
      continue;
    value = row64(c, half(c.operand(i, n + 1), 1), values);
    forEachLane(c.mask, [&](uint32_t lane) {
      std::memcpy(target[lane] + n * bytes + 8, &value[lane], 8);
    });
  }
  return Outcome::Next;
}

uint32_t vectorLength(const Decoding &d) {
  return d.has("v2") ? 2 : d.has("v4") ? 4 : d.has("v8") ? 8 : 1;
}

/// Sets the modifiers; `values` is the operand with the registers.
void readAccess(Decoding &d, size_t values, size_t address) {
  Type type = d.requireType();
  auto &with = d.instruction.with;
  with.space = d.space(MemorySpace::Generic);
  with.bytes = static_cast<uint8_t>(typeBits(type) / 8);
  with.vector = static_cast<uint8_t>(vectorLength(d));
  with.isSigned = isSigned(type);
  with.acquire = d.has("acquire");
  with.release = d.has("release");
  with.mode =
      with.acquire || with.release || d.has("volatile") || d.has("relaxed");
  if (type == Type::Pred || with.bytes * with.vector > 32)
    d.unsupported();
  if (d.width(values) != with.vector)
    d.fail(fmt::format("'{}' moves {} registers, not {}", d.statement.opcode,
                       with.vector, d.width(values)));
  if (d.ast(address).kind != ast::OperandKind::Address || d.width(address) != 1)
    d.fail("expected an address in brackets");
  if (with.bytes != 16)
    return;
  const ast::Operand &value = d.ast(values);
  const bool list = value.kind == ast::OperandKind::Vector;
  for (size_t n = 0; n < with.vector; ++n)
    if (d.registerBits(list ? value.elements[n] : value) != 128)
      d.fail("128-bit accesses need 128-bit registers");
}

} // namespace

void decodeLoad(Decoding &d) {
  // Cache policy operands are hints.
  d.expectOperands(2, 3);
  readAccess(d, 0, 1);
  d.append(0);
  d.append(1);
  const ast::Operand &address = d.ast(1).elements[0];
  bool constant = d.instruction.with.space == MemorySpace::Param &&
                  address.kind == ast::OperandKind::Symbol;
  d.instruction.execute =
      constant && d.instruction.with.bytes <= 8 ? loadParameter : load;
}

void decodeStore(Decoding &d) {
  if (d.has("bulk"))
    return decodeBulkStore(d);
  if (d.has("async"))
    d.unsupported();
  d.expectOperands(2, 3);
  readAccess(d, 1, 0);
  d.append(0);
  d.append(1);
  d.instruction.execute = store;
}

void decodePrefetch(Decoding &d) { decodeNothing(d); }

} // namespace fa4::emulator
