#include "runtime/emulator/Lanes.h"

#include "runtime/emulator/Addresses.h"
#include "runtime/emulator/Machine.h"
#include "runtime/emulator/SpecialRegisters.h"

namespace fa4::emulator {

namespace {

/// The value of the operands that are the same in every lane.
uint64_t uniformBase(Context &c, const Operand &o) {
  switch (o.kind) {
  case OperandKind::Shared:
    return c.cta.sharedBase();
  case OperandKind::Parameter:
    return parameterWindow;
  case OperandKind::Global:
    return c.machine.globals[o.index];
  default:
    return 0;
  }
}

} // namespace

const uint64_t *slowRow64(Context &c, const Operand &o, Scratch64 &scratch) {
  const uint64_t addend = static_cast<uint64_t>(o.addend);
  for (uint32_t lane = 0; lane < 32; ++lane) {
    switch (o.kind) {
    case OperandKind::Row32:
      scratch.lane[lane] = c.warp.row32(o.index)[lane] + addend;
      break;
    case OperandKind::Row64:
      scratch.lane[lane] = c.warp.row64(o.index)[lane] + addend;
      break;
    case OperandKind::Immediate:
      scratch.lane[lane] = c.function.constants[o.index].wide[lane] + addend;
      break;
    case OperandKind::Special:
      scratch.lane[lane] = specialRegister(c, o.index, lane) + addend;
      break;
    case OperandKind::Predicate:
      scratch.lane[lane] = (c.warp.predicates[o.index] >> lane) & 1;
      break;
    default:
      scratch.lane[lane] = uniformBase(c, o) + addend;
    }
  }
  return scratch.lane;
}

const uint32_t *slowRow32(Context &c, const Operand &o, Scratch32 &scratch) {
  Scratch64 wide;
  const uint64_t *values = slowRow64(c, o, wide);
  for (int lane = 0; lane < 32; ++lane)
    scratch.lane[lane] = static_cast<uint32_t>(values[lane]);
  return scratch.lane;
}

uint32_t predicateMask(Context &c, const Operand &o) {
  uint32_t mask = 0;
  if (o.kind == OperandKind::Predicate) {
    mask = c.warp.predicates[o.index];
  } else {
    Scratch64 scratch;
    const uint64_t *values = row64(c, o, scratch);
    for (int lane = 0; lane < 32; ++lane)
      mask |= uint32_t(values[lane] != 0) << lane;
  }
  return o.negated ? ~mask : mask;
}

void writePredicate(Context &c, const Operand &o, uint32_t value) {
  if (o.kind != OperandKind::Predicate)
    return;
  uint32_t &row = c.warp.predicates[o.index];
  row = (row & ~c.mask) | (value & c.mask);
}

namespace {

template <typename Row, typename Value>
void blend(Row *row, const Value *values, uint32_t mask) {
  if (mask == ~0u) {
    for (int lane = 0; lane < 32; ++lane)
      row[lane] = static_cast<Row>(values[lane]);
    return;
  }
  for (int lane = 0; lane < 32; ++lane)
    row[lane] = (mask >> lane) & 1 ? static_cast<Row>(values[lane]) : row[lane];
}

template <typename Value>
void write(Context &c, const Operand &o, const Value *values) {
  if (o.kind == OperandKind::Row32) {
    blend(c.warp.row32(o.index), values, c.mask);
  } else if (o.kind == OperandKind::Row64) {
    blend(c.warp.row64(o.index), values, c.mask);
  } else if (o.kind == OperandKind::Predicate) {
    uint32_t bits = 0;
    for (int lane = 0; lane < 32; ++lane)
      bits |= uint32_t(values[lane] != 0) << lane;
    writePredicate(c, o, bits);
  }
}

} // namespace

void write32(Context &c, const Operand &o, const uint32_t *values) {
  write(c, o, values);
}

void write64(Context &c, const Operand &o, const uint64_t *values) {
  write(c, o, values);
}

void writeLane(Context &c, const Operand &o, uint32_t lane, uint64_t value) {
  if (o.kind == OperandKind::Row32)
    c.warp.row32(o.index)[lane] = static_cast<uint32_t>(value);
  else if (o.kind == OperandKind::Row64)
    c.warp.row64(o.index)[lane] = value;
}

uint64_t laneValue(Context &c, const Operand &o, uint32_t lane) {
  switch (o.kind) {
  case OperandKind::Row32:
    return c.warp.row32(o.index)[lane] + static_cast<uint64_t>(o.addend);
  case OperandKind::Row64:
    return c.warp.row64(o.index)[lane] + static_cast<uint64_t>(o.addend);
  case OperandKind::Immediate:
    return c.function.constants[o.index].wide[lane] +
           static_cast<uint64_t>(o.addend);
  default: {
    Scratch64 scratch;
    return row64(c, o, scratch)[lane];
  }
  }
}

} // namespace fa4::emulator
