// mov, cvta, mapa, getctarank.
#include "runtime/emulator/Addresses.h"
#include "runtime/emulator/Families.h"
#include "runtime/emulator/Lanes.h"
#include "runtime/emulator/Machine.h"

#include <fmt/format.h>

namespace fa4::emulator {

namespace {

Outcome move32(Context &c, const Instruction &i) {
  Scratch32 scratch;
  write32(c, c.operand(i, 0), row32(c, c.operand(i, 1), scratch));
  return Outcome::Next;
}

Outcome move64(Context &c, const Instruction &i) {
  Scratch64 scratch;
  write64(c, c.operand(i, 0), row64(c, c.operand(i, 1), scratch));
  return Outcome::Next;
}

Outcome movePredicate(Context &c, const Instruction &i) {
  writePredicate(c, c.operand(i, 0), predicateMask(c, c.operand(i, 1)));
  return Outcome::Next;
}

Outcome move128(Context &c, const Instruction &i) {
  Operand high = c.operand(i, 1), to = c.operand(i, 0);
  Scratch64 scratch;
  write64(c, to, row64(c, high, scratch));
  ++to.index;
  ++high.index;
  write64(c, to, row64(c, high, scratch));
  return Outcome::Next;
}

/// mov.bN d, {a, b, ...}: `count` pieces of `shape` bits, the first lowest.
Outcome pack(Context &c, const Instruction &i) {
  Scratch64 scratch, result[2] = {};
  const uint32_t bits = i.with.shape;
  for (uint32_t n = 0; n < i.with.count; ++n) {
    const uint64_t *piece = row64(c, c.operand(i, n + 1), scratch);
    const uint64_t mask = bits == 64 ? ~uint64_t(0) : (uint64_t(1) << bits) - 1;
    for (int lane = 0; lane < 32; ++lane)
      result[n * bits / 64].lane[lane] |= (piece[lane] & mask)
                                          << (n * bits % 64);
  }
  Operand to = c.operand(i, 0);
  write64(c, to, result[0].lane);
  if (bits * i.with.count == 128) {
    ++to.index;
    write64(c, to, result[1].lane);
  }
  return Outcome::Next;
}

/// mov.bN {a, b, ...}, s.
Outcome unpack(Context &c, const Instruction &i) {
  Scratch64 scratch[2], result;
  const uint32_t bits = i.with.shape, count = i.with.count;
  Operand from = c.operand(i, count);
  const uint64_t *source[2] = {row64(c, from, scratch[0]), nullptr};
  if (bits * count == 128) {
    ++from.index;
    source[1] = row64(c, from, scratch[1]);
  }
  // The source may be overwritten by one of the destinations.
  Scratch64 copy[2];
  std::memcpy(copy[0].lane, source[0], sizeof(copy[0]));
  if (source[1])
    std::memcpy(copy[1].lane, source[1], sizeof(copy[1]));
  const uint64_t mask = bits == 64 ? ~uint64_t(0) : (uint64_t(1) << bits) - 1;
  for (uint32_t n = 0; n < count; ++n) {
    for (int lane = 0; lane < 32; ++lane)
      result.lane[lane] =
          (copy[n * bits / 64].lane[lane] >> (n * bits % 64)) & mask;
    write64(c, c.operand(i, n), result.lane);
  }
  return Outcome::Next;
}

/// Adds (`cvta.space`) or subtracts (`cvta.to.space`) the window of a space.
Outcome convertAddress(Context &c, const Instruction &i) {
  Scratch64 scratch, result;
  const uint64_t *address = row64(c, c.operand(i, 1), scratch);
  uint64_t window = i.with.space == MemorySpace::Shared ||
                            i.with.space == MemorySpace::SharedCluster
                        ? sharedWindow
                    : i.with.space == MemorySpace::Local ? localWindow
                                                         : 0;
  for (int lane = 0; lane < 32; ++lane)
    result.lane[lane] =
        i.with.mode ? address[lane] - window : address[lane] + window;
  write64(c, c.operand(i, 0), result.lane);
  return Outcome::Next;
}

/// mapa: the same offset in the shared window of CTA `b`.
Outcome mapAddress(Context &c, const Instruction &i) {
  Scratch64 scratch, result;
  Scratch32 ranks;
  const uint64_t *address = row64(c, c.operand(i, 1), scratch);
  const uint32_t *rank = row32(c, c.operand(i, 2), ranks);
  const uint32_t size = static_cast<uint32_t>(c.cta.cluster->ctas.size());
  forEachLane(c.mask, [&](uint32_t lane) {
    if (rank[lane] >= size)
      fault("bounds", fmt::format("mapa to CTA rank {} in a cluster of {}",
                                  rank[lane], size));
  });
  for (int lane = 0; lane < 32; ++lane)
    result.lane[lane] =
        (address[lane] & ~uint64_t(0xff000000)) | uint64_t(rank[lane]) << 24;
  write64(c, c.operand(i, 0), result.lane);
  return Outcome::Next;
}

Outcome getRank(Context &c, const Instruction &i) {
  return mapLanes<uint32_t, uint64_t>(c, i, [](uint64_t address) {
    return static_cast<uint32_t>(address >> 24) & 0xff;
  });
}

void decodeVectorMove(Decoding &d, uint32_t bits) {
  const bool packs = d.ast(1).kind == ast::OperandKind::Vector;
  const size_t vector = packs ? 1 : 0;
  const uint32_t count = d.width(vector);
  if ((count != 2 && count != 4) || d.width(1 - vector) != 1 || bits < 16 ||
      (bits == 128 && d.registerBits(d.ast(1 - vector)) != 128))
    d.unsupported();
  d.instruction.with.count = static_cast<uint16_t>(count);
  d.instruction.with.shape = static_cast<uint16_t>(bits / count);
  d.appendAll();
  d.instruction.execute = packs ? pack : unpack;
}

} // namespace

void decodeMove(Decoding &d) {
  Type type = d.requireType();
  const uint32_t bits = typeBits(type);
  d.expectOperands(2, 2);
  if (d.ast(0).kind == ast::OperandKind::Vector ||
      d.ast(1).kind == ast::OperandKind::Vector)
    return decodeVectorMove(d, bits);
  d.appendScalars(2);
  if (bits == 128 &&
      (d.registerBits(d.ast(0)) != 128 || d.registerBits(d.ast(1)) != 128))
    d.unsupported();
  d.instruction.execute = bits == 1     ? movePredicate
                          : bits == 128 ? move128
                          : bits == 64  ? move64
                                        : move32;
}

void decodeAddressConversion(Decoding &d) {
  d.appendScalars(2);
  d.instruction.with.space = d.space(MemorySpace::Generic);
  d.instruction.with.mode = d.has("to");
  d.instruction.execute = convertAddress;
}

void decodeMapa(Decoding &d) {
  d.appendScalars(3);
  d.instruction.execute = mapAddress;
}

void decodeGetRank(Decoding &d) {
  d.appendScalars(2);
  d.instruction.execute = getRank;
}

} // namespace fa4::emulator
