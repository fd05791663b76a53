// tcgen05.alloc, dealloc, relinquish_alloc_permit.
#include "runtime/emulator/TmemAllocation.h"

#include "runtime/emulator/Addresses.h"
#include "runtime/emulator/Announce.h"
#include "runtime/emulator/Families.h"
#include "runtime/emulator/Lanes.h"
#include "runtime/emulator/Machine.h"
#include "runtime/emulator/TmemLayout.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

namespace fa4::emulator {

std::span<uint32_t> tmemOf(Cta &cta) {
  if (cta.tmem.empty())
    cta.tmem.assign(tmemCells, ~0u);
  return cta.tmem;
}

std::optional<uint32_t> freeTmemColumns(const Cta &cta, uint32_t columns) {
  if (cta.tmemOwner.empty())
    return 0;
  for (uint32_t first = 0; first + columns <= tmemColumns; first += columns) {
    if (std::all_of(cta.tmemOwner.begin() + first,
                    cta.tmemOwner.begin() + first + columns,
                    [](int32_t owner) { return owner < 0; }))
      return first;
  }
  return std::nullopt;
}

void checkTmemColumns(const Cta &cta, uint32_t column, uint32_t columns) {
  for (uint32_t n = column; n < column + columns; ++n) {
    if (n >= tmemColumns || cta.tmemOwner.empty() || cta.tmemOwner[n] < 0) {
      fault("tmem",
            fmt::format("TMEM columns [{}, {}) are accessed; column {} is not "
                        "allocated",
                        column, column + columns, n));
    }
  }
}

namespace {

uint32_t checkedColumns(uint64_t columns) {
  if (columns < 32 || columns > tmemColumns || (columns & (columns - 1)))
    fault("tmem", fmt::format("{} TMEM columns; a power of two from 32 to 512 "
                              "is possible",
                              columns));
  return static_cast<uint32_t>(columns);
}

/// All tcgen05 instructions of a kernel use one cta_group.
void checkGroup(Cta &cta, uint32_t group) {
  if (cta.tmemGroup && cta.tmemGroup != group)
    fault("tmem", fmt::format("cta_group::{} after cta_group::{}", group,
                              cta.tmemGroup));
  cta.tmemGroup = group;
}

/// Operands: shared address, columns.
Outcome allocate(Context &c, const Instruction &i) {
  const uint32_t columns = checkedColumns(uniformValue(c, c.operand(i, 1)));
  checkGroup(c.cta, i.with.ctaGroup);
  if (c.cta.tmemRelinquished)
    fault("tmem", "allocation after relinquish_alloc_permit");
  auto first = freeTmemColumns(c.cta, columns);
  if (!first) {
    c.fragment.wait = {};
    c.fragment.wait.kind = WaitKind::TmemColumns;
    c.fragment.wait.id = columns;
    return Outcome::Block;
  }
  if (c.cta.tmemOwner.empty())
    c.cta.tmemOwner.assign(tmemColumns, -1);
  std::fill_n(c.cta.tmemOwner.begin() + *first, columns,
              c.cta.tmemAllocations++);
  const uint32_t lane = static_cast<uint32_t>(__builtin_ctz(c.mask));
  std::byte *slot = sharedBytes(c.machine, c.cta,
                                sharedAddress(c, c.operand(i, 0), lane), 4, 4);
  const uint32_t address = *first;
  announceAligned(c, i);
  if (Checker *checker = checkerOf(c)) {
    const uint64_t target = sharedAddress(c, c.operand(i, 0), lane);
    std::array<uint64_t, 32> targets;
    targets.fill(target);
    checker->tmemAllocate(whoOf(c, i, c.mask), address, columns);
    checker->access(whoOf(c, i, 1u << lane),
                    {MemoryKind::Shared, AccessMode::Write, 4}, targets.data());
  }
  std::memcpy(slot, &address, 4);
  ++c.machine.progress;
  return Outcome::Next;
}

/// Operands: address, columns.
Outcome release(Context &c, const Instruction &i) {
  const uint32_t columns = checkedColumns(uniformValue(c, c.operand(i, 1)));
  const auto address = static_cast<uint32_t>(uniformValue(c, c.operand(i, 0)));
  checkGroup(c.cta, i.with.ctaGroup);
  const uint32_t first = tmemColumn(address);
  if (tmemLane(address) != 0)
    fault("tmem", fmt::format("dealloc of TMEM address 0x{:x}", address));
  checkTmemColumns(c.cta, first, columns);
  auto owner = c.cta.tmemOwner.begin() + first;
  const auto count =
      std::count(c.cta.tmemOwner.begin(), c.cta.tmemOwner.end(), *owner);
  if (count != columns || (first > 0 && owner[-1] == *owner))
    fault("tmem", fmt::format("dealloc of {} columns at {}, which belong to an "
                              "allocation of {}",
                              columns, first, count));
  announceAligned(c, i);
  if (Checker *checker = checkerOf(c))
    checker->tmemDeallocate(whoOf(c, i, c.mask), first, columns);
  std::fill_n(owner, columns, -1);
  // The next owner must not see old values.
  std::fill_n(tmemOf(c.cta).begin() + tmemCell(0, first), columns * tmemLanes,
              ~0u);
  ++c.machine.progress;
  return Outcome::Next;
}

Outcome relinquish(Context &c, const Instruction &i) {
  checkGroup(c.cta, i.with.ctaGroup);
  c.cta.tmemRelinquished = true;
  return Outcome::Next;
}

} // namespace

void decodeTmemAllocation(Decoding &d) {
  d.instruction.with.ctaGroup = d.has("cta_group::2") ? 2 : 1;
  d.instruction.convergence = Convergence::Aligned;
  if (d.parts[1] == "relinquish_alloc_permit") {
    d.expectOperands(0, 0);
    d.instruction.execute = relinquish;
    return;
  }
  d.appendScalars(2);
  d.instruction.execute = d.parts[1] == "alloc" ? allocate : release;
}

} // namespace fa4::emulator
