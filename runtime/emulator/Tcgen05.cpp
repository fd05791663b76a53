// tcgen05.ld, st, wait, fence, and the dispatch to the other tcgen05 files.
#include "runtime/emulator/Announce.h"
#include "runtime/emulator/Families.h"
#include "runtime/emulator/Lanes.h"
#include "runtime/emulator/Machine.h"
#include "runtime/emulator/TmemAllocation.h"
#include "runtime/emulator/TmemLayout.h"

#include <fmt/format.h>

namespace fa4::emulator {

namespace {

/// `first`: the operand with the address; the split offset follows.
TmemAccess readAccess(Context &c, const Instruction &i, const Operand &address,
                      const Operand *split, AccessMode mode) {
  const auto base = static_cast<uint32_t>(uniformValue(c, address));
  forEachLane(c.mask, [&](uint32_t lane) {
    if (static_cast<uint32_t>(laneValue(c, address, lane)) != base)
      fault("tmem", "the TMEM address differs between the lanes of a warp");
  });
  TmemAccess access;
  access.shape = static_cast<TmemShape>(i.with.shape);
  access.count = i.with.count;
  access.packed = i.with.mode;
  access.column = tmemColumn(base);
  const uint32_t own = 32 * (c.warp.index % 4);
  const uint32_t lane = tmemLane(base);
  // Lane 0, or the half of a 16-row shape, stands for the warp's own lanes.
  const uint32_t half = access.shape == TmemShape::S32x32b ? 0 : 16;
  if (lane != 0 && lane != half && lane != own && lane != own + half)
    fault("tmem", fmt::format("warp {} accesses TMEM lane {}; its lanes are "
                              "{}..{}",
                              c.warp.index, lane, own, own + 31));
  access.lane = lane < own ? own + lane : lane;
  if (split)
    access.splitOffset = static_cast<uint32_t>(uniformValue(c, *split));
  const std::vector<TmemRect> rects = accessRects(access);
  for (const TmemRect &rect : rects)
    checkTmemColumns(c.cta, rect.column, rect.columns);
  announceAligned(c, i);
  if (Checker *checker = checkerOf(c))
    checker->tmemAccess(whoOf(c, i, c.mask), mode, rects);
  return access;
}

/// Operands: registers, address, split offset.
Outcome loadRegisters(Context &c, const Instruction &i) {
  const uint32_t count = i.with.vector;
  const TmemAccess access = readAccess(
      c, i, c.operand(i, count),
      i.operandCount > count + 1 ? &c.operand(i, count + 1) : nullptr,
      AccessMode::Read);
  uint32_t *rows[128];
  Scratch32 sink;
  for (uint32_t n = 0; n < count; ++n) {
    const Operand &o = c.operand(i, n);
    rows[n] = o.kind == OperandKind::Row32 ? c.warp.row32(o.index) : sink.lane;
    if (c.machine.options.checks.strict)
      c.warp.inFlight.loads(o, siteOf(c, i));
  }
  loadTmem(access, tmemOf(c.cta), {rows, count});
  c.machine.statistics.tmemLoadBytes += 128 * count;
  return Outcome::Next;
}

/// Operands: address, registers, split offset.
Outcome storeRegisters(Context &c, const Instruction &i) {
  const uint32_t count = i.with.vector;
  const TmemAccess access = readAccess(
      c, i, c.operand(i, 0),
      i.operandCount > count + 1 ? &c.operand(i, count + 1) : nullptr,
      AccessMode::Write);
  const uint32_t *rows[128];
  std::vector<Scratch32> scratch(count);
  for (uint32_t n = 0; n < count; ++n)
    rows[n] = row32(c, c.operand(i, n + 1), scratch[n]);
  storeTmem(access, tmemOf(c.cta), {rows, count});
  c.machine.statistics.tmemStoreBytes += 128 * count;
  ++c.machine.progress;
  return Outcome::Next;
}

/// Loads and stores act at once; only a checker looks at their waits.
Outcome waitAccesses(Context &c, const Instruction &i) {
  announceAligned(c, i);
  if (i.with.mode)
    c.warp.inFlight.loadsDone();
  if (Checker *checker = checkerOf(c))
    checker->tmemWait(whoOf(c, i, c.mask),
                      i.with.mode ? AccessMode::Read : AccessMode::Write);
  return Outcome::Next;
}

void readShape(Decoding &d) {
  static constexpr std::pair<std::string_view, TmemShape> shapes[] = {
      {"32x32b", TmemShape::S32x32b},
      {"16x64b", TmemShape::S16x64b},
      {"16x128b", TmemShape::S16x128b},
      {"16x256b", TmemShape::S16x256b},
      {"16x32bx2", TmemShape::S16x32bx2}};
  auto &with = d.instruction.with;
  bool known = false;
  for (auto [name, shape] : shapes) {
    if (d.has(name)) {
      with.shape = static_cast<uint16_t>(shape);
      known = true;
    }
  }
  for (uint32_t n = 1; n <= 128; n *= 2)
    if (d.has(fmt::format("x{}", n)))
      with.count = static_cast<uint16_t>(n);
  if (!known || with.count == 0)
    d.unsupported();
  with.mode = d.has("pack::16b") || d.has("unpack::16b");
}

} // namespace

void decodeTmemAccess(Decoding &d) {
  const bool load = d.parts[1] == "ld";
  readShape(d);
  auto &with = d.instruction.with;
  TmemAccess access;
  access.shape = static_cast<TmemShape>(with.shape);
  access.count = with.count;
  const uint32_t registers = registerCount(access);
  const size_t values = load ? 0 : d.operandCount() - 1;
  const bool split = access.shape == TmemShape::S16x32bx2;
  d.expectOperands(2 + split, 2 + split);
  // Store: [address]{, offset}, registers. Load: registers, [address]{,
  // offset}.
  if (d.width(values) != registers)
    d.fail(fmt::format("'{}' moves {} registers, not {}", d.statement.opcode,
                       registers, d.width(values)));
  const size_t address = load ? 1 : 0;
  if (d.width(address) != 1)
    d.fail("expected one TMEM address");
  with.vector = static_cast<uint8_t>(registers);
  if (load)
    d.append(values);
  d.append(address);
  if (!load)
    d.append(values);
  if (split)
    d.append(address + 1);
  d.instruction.convergence = Convergence::Aligned;
  d.instruction.execute = load ? loadRegisters : storeRegisters;
}

void decodeTcgen05(Decoding &d) {
  std::string_view name = d.parts.size() > 1 ? d.parts[1] : "";
  if (name == "alloc" || name == "dealloc" || name == "relinquish_alloc_permit")
    return decodeTmemAllocation(d);
  if (name == "ld" || name == "st") {
    if (d.has("red"))
      d.unsupported();
    return decodeTmemAccess(d);
  }
  if (name == "fence::before_thread_sync" || name == "fence::after_thread_sync")
    return decodeFence(d);
  if (name == "wait::ld" || name == "wait::st") {
    d.instruction.convergence = Convergence::Aligned;
    d.instruction.with.mode = name == "wait::ld";
    d.instruction.execute = waitAccesses;
    return;
  }
  decodeTensorCore(d);
}

} // namespace fa4::emulator
