// ldmatrix, stmatrix: 8x8 matrices of 16-bit elements spread over a warp.
//
// Lane 8m+r holds the shared address of row r of matrix m. Register m of thread
// t holds elements 2*(t%4) and 2*(t%4)+1 of row t/4 (or, with .trans, of column
// t/4), the first in the low half.
#include "runtime/emulator/Addresses.h"
#include "runtime/emulator/Announce.h"
#include "runtime/emulator/Families.h"
#include "runtime/emulator/Lanes.h"
#include "runtime/emulator/Machine.h"

#include <fmt/format.h>

#include <array>
#include <cstring>

namespace fa4::emulator {

namespace {

using Rows = std::array<std::byte *, 8>;

Rows matrixRows(Context &c, const Operand &address, uint32_t matrix) {
  Rows rows;
  for (uint32_t r = 0; r < 8; ++r)
    rows[r] = sharedBytes(c.machine, c.cta,
                          sharedAddress(c, address, 8 * matrix + r), 16, 16);
  return rows;
}

/// Each row is moved by the four threads that hold it.
void announceMatrix(Context &c, const Instruction &i, const Operand &address,
                    uint32_t matrix, AccessMode mode) {
  Checker *checker = checkerOf(c);
  if (!checker)
    return;
  uint64_t addresses[32];
  for (uint32_t lane = 0; lane < 32; ++lane)
    addresses[lane] =
        sharedAddress(c, address, 8 * matrix + lane / 4) + 4 * (lane % 4);
  checker->access(whoOf(c, i, c.mask), {MemoryKind::Shared, mode, 4},
                  addresses);
}

/// Byte offset in a row, and the row, of half `n` of a thread's register.
struct Element {
  uint32_t row, offset;
};
Element element(uint32_t lane, uint32_t n, bool transposed) {
  const uint32_t major = lane / 4, minor = 2 * (lane % 4) + n;
  return transposed ? Element{minor, 2 * major} : Element{major, 2 * minor};
}

/// Operands: registers, address.
Outcome loadMatrix(Context &c, const Instruction &i) {
  const uint32_t count = i.with.count;
  const Operand address = c.operand(i, count);
  Scratch32 results[4];
  for (uint32_t m = 0; m < count; ++m) {
    const Rows rows = matrixRows(c, address, m);
    announceMatrix(c, i, address, m, AccessMode::Read);
    for (uint32_t lane = 0; lane < 32; ++lane) {
      uint32_t value = 0;
      for (uint32_t n = 0; n < 2; ++n) {
        const Element from = element(lane, n, i.with.mode);
        uint16_t half;
        std::memcpy(&half, rows[from.row] + from.offset, 2);
        value |= uint32_t(half) << (16 * n);
      }
      results[m].lane[lane] = value;
    }
  }
  for (uint32_t m = 0; m < count; ++m)
    write32(c, c.operand(i, m), results[m].lane);
  c.machine.statistics.sharedLoadBytes += 128 * count;
  return Outcome::Next;
}

/// Operands: address, registers.
Outcome storeMatrix(Context &c, const Instruction &i) {
  const uint32_t count = i.with.count;
  Scratch32 scratch;
  for (uint32_t m = 0; m < count; ++m) {
    const Rows rows = matrixRows(c, c.operand(i, 0), m);
    announceMatrix(c, i, c.operand(i, 0), m, AccessMode::Write);
    const uint32_t *values = row32(c, c.operand(i, m + 1), scratch);
    for (uint32_t lane = 0; lane < 32; ++lane)
      for (uint32_t n = 0; n < 2; ++n) {
        const Element to = element(lane, n, i.with.mode);
        const auto half = static_cast<uint16_t>(values[lane] >> (16 * n));
        std::memcpy(rows[to.row] + to.offset, &half, 2);
      }
  }
  c.machine.statistics.sharedStoreBytes += 128 * count;
  ++c.machine.progress;
  return Outcome::Next;
}

void decodeMatrix(Decoding &d, size_t registers, size_t address) {
  auto &with = d.instruction.with;
  with.count = d.has("x4") ? 4 : d.has("x2") ? 2 : d.has("x1") ? 1 : 0;
  with.mode = d.has("trans");
  if (with.count == 0 || !d.has("m8n8") || d.requireType() != Type::B16)
    d.unsupported();
  d.expectOperands(2, 2);
  if (d.width(registers) != with.count || d.width(address) != 1)
    d.fail(
        fmt::format("'{}' moves {} registers", d.statement.opcode, with.count));
  d.appendAll();
  d.instruction.convergence = Convergence::Aligned;
}

} // namespace

void decodeLoadMatrix(Decoding &d) {
  decodeMatrix(d, 0, 1);
  d.instruction.execute = loadMatrix;
}

void decodeStoreMatrix(Decoding &d) {
  decodeMatrix(d, 1, 0);
  d.instruction.execute = storeMatrix;
}

} // namespace fa4::emulator
