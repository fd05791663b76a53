#include "runtime/emulator/check/GlobalShadow.h"
#include <algorithm>

namespace fa4::emulator {

bool GlobalShadow::ordered(const Party &earlier, uint32_t cluster) const {
  if (earlier.cluster == cluster)
    return true;
  const auto own = known.find(cluster);
  if (own == known.end())
    return false;
  const auto other = own->second.find(earlier.cluster);
  return other != own->second.end() && other->second >= earlier.time;
}

std::optional<GlobalShadow::Party>
GlobalShadow::touch(uint64_t index, uint16_t units, const Party &given) {
  std::vector<Cell> &page = pages[index / pageCells];
  if (page.empty())
    page.resize(pageCells);
  Cell &cell = page[index % pageCells];
  Party by = given;
  by.time = now;
  std::optional<Party> conflict;
  const bool atomic = by.mode == AccessMode::Atomic;
  const uint16_t others = atomic && !by.inOrder
                              ? cell.written
                              : uint16_t(cell.written | cell.reduced);
  if (others & units && !ordered(cell.writer, by.cluster))
    conflict = cell.writer;
  if (by.mode == AccessMode::Read) {
    cell.read = by.cluster == cell.reader.cluster ? cell.read | units : units;
    cell.reader = by;
    return conflict;
  }
  if (cell.read & units && !ordered(cell.reader, by.cluster))
    conflict = cell.reader;
  if (by.cluster != cell.writer.cluster)
    cell.written = cell.reduced = 0;
  (atomic ? cell.reduced : cell.written) |= units;
  if (!atomic)
    cell.reduced &= uint16_t(~units);
  cell.writer = by;
  return conflict;
}

void GlobalShadow::publish(uint32_t cluster, uint64_t location, uint64_t time) {
  Times &times = published[location];
  times[cluster] = std::max(times[cluster], time);
  for (const auto &[other, time] : known[cluster])
    times[other] = std::max(times[other], time);
}

void GlobalShadow::observe(uint32_t cluster, uint64_t location) {
  const auto found = published.find(location);
  if (found == published.end())
    return;
  Times &times = known[cluster];
  for (const auto &[other, time] : found->second)
    times[other] = std::max(times[other], time);
}

} // namespace fa4::emulator
