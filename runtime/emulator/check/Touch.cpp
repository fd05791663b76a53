// Runs accesses through the shadow memories.
#include "runtime/emulator/check/CheckerState.h"

namespace fa4::emulator {
namespace {

constexpr uint64_t pageBytes = 4096;

// The eight bytes of an mbarrier in its cell.
uint16_t objectUnits(uint32_t address) {
  return uint16_t(0xff << (address & 8));
}

} // namespace

std::vector<Cell> *Checker::State::cellsOf(const Place &place,
                                           uint64_t &index) {
  if (place.tmem) {
    index = place.address * 8 + place.lane / 16;
    std::vector<Cell> &cells = tmem[place.cta];
    if (cells.empty())
      cells.resize(tmemColumns * 8);
    return &cells;
  }
  if (place.memory == MemoryKind::Shared) {
    index = place.address / 16;
    return place.cta < shared.size() && index < shared[place.cta].size()
               ? &shared[place.cta]
               : nullptr;
  }
  index = place.address % pageBytes / 16;
  std::vector<Cell> &page = global[place.address / pageBytes];
  if (page.empty())
    page.resize(pageBytes / 16);
  return &page;
}

void Checker::State::touch(const Place &place, const Cell::Touch &touch,
                           const Accessor &by) {
  uint64_t index = 0;
  std::vector<Cell> *cells = cellsOf(place, index);
  if (!cells)
    return; // out of bounds is the core's finding
  Cell &cell = (*cells)[index];
  if (cell.objects() & touch.units && !touch.object)
    checkObjects(place, touch, by);
  if (touch.mode == AccessMode::Read && cell.uninitialized(touch.units))
    checkInitialized(place, cell, touch, by);
  cell.touch(touch, by, actors, conflicts);
  if (conflicts.empty())
    return;
  for (const Conflict &conflict : conflicts)
    reportConflict(place, touch.mode, by, conflict);
  conflicts.clear();
}

void Checker::State::touchBytes(MemoryKind memory, uint64_t address,
                                uint64_t bytes, AccessMode mode,
                                const Accessor &by) {
  Place place;
  place.memory = memory;
  if (memory == MemoryKind::Shared) {
    place.cta = uint32_t(address >> 24);
    address &= 0xffffff;
  }
  Accessor accessor = by;
  accessor.asyncProxy &= memory == MemoryKind::Shared;
  forEachCell(address, bytes, [&](uint64_t cell, uint16_t units) {
    place.address = cell * 16;
    touch(place, {units, mode}, accessor);
  });
}

void Checker::State::touchObject(uint32_t address, AccessMode mode,
                                 const Accessor &by) {
  touch({MemoryKind::Shared, false, address >> 24, address & 0xfffff0, 0},
        {objectUnits(address), mode, true}, by);
}

void Checker::State::touchThreadObject(const Who &who, uint32_t address,
                                       AccessMode mode) {
  lastSite = who.site;
  Accessor by;
  by.actor = warpOf(who);
  by.time = clocksOf(who).now();
  by.site = who.site;
  forGroups(who, [&](Knowledge &known, uint32_t group) {
    known.whole = false;
    by.known = &known;
    by.lanes = group;
    touchObject(address, mode, by);
  });
}

void Checker::State::setObject(uint32_t address, bool live) {
  uint64_t index = 0;
  std::vector<Cell> *cells = cellsOf(
      {MemoryKind::Shared, false, address >> 24, address & 0xfffff0, 0}, index);
  if (!cells)
    return;
  if (live)
    (*cells)[index].setObjects(objectUnits(address));
  else
    (*cells)[index].clearObjects(objectUnits(address));
}

void Checker::State::touchRect(uint32_t cta, const TmemRect &rect,
                               AccessMode mode, const Accessor &by) {
  Place place;
  place.tmem = true;
  place.cta = cta;
  Accessor accessor = by;
  accessor.asyncProxy = false;
  // dealloc is the only access of a warp itself; it is synchronous.
  accessor.tensorFences =
      setup.families.strict && actors.kind(by.actor) != ActorKind::Warp;
  for (uint32_t column = rect.column; column < rect.column + rect.columns;
       ++column) {
    place.address = column;
    forEachCell(rect.lane, rect.lanes, [&](uint64_t part, uint16_t units) {
      place.lane = uint32_t(part * 16);
      touch(place, {units, mode}, accessor);
    });
  }
}

void Checker::State::checkObjects(const Place &place, const Cell::Touch &touch,
                                  const Accessor &by) {
  const char *verb = touch.mode == AccessMode::Read ? "reads" : "overwrites";
  report("barrier",
         fmt::format("{} {} a live mbarrier in {}; mbarrier.inval must come "
                     "first",
                     partyName(by), verb, placeName(place)),
         by.site);
}

void Checker::State::checkInitialized(const Place &place, const Cell &cell,
                                      const Cell::Touch &touch,
                                      const Accessor &by) {
  const bool kernelOwns = place.tmem || place.memory == MemoryKind::Shared;
  if (!kernelOwns)
    return;
  // A TMEM load takes whole partitions; lanes nobody uses may hold nothing.
  const bool load = actors.kind(by.actor) == ActorKind::TmemLoad;
  if (load && cell.uninitialized(0xffff) != 0xffff)
    return;
  report("init",
         fmt::format("{} reads {}, which nothing has written ({} of {} {})",
                     partyName(by), placeName(place),
                     __builtin_popcount(cell.uninitialized(touch.units)),
                     __builtin_popcount(touch.units),
                     place.tmem ? "lanes" : "bytes"),
         by.site);
}

} // namespace fa4::emulator
