// Runs accesses through the shadow memories.
#include "runtime/emulator/check/CheckerState.h"

namespace fa4::emulator {
namespace {

constexpr uint64_t pageBytes = 8192;
constexpr uint64_t globalCellBytes = 64; // 16 words

// The eight bytes of an mbarrier in its cell.
uint16_t objectUnits(uint32_t address) {
  return uint16_t(0xff << (address & 8));
}

} // namespace

std::vector<Cell> *Checker::State::sharedCells(uint32_t cta) {
  return cta < shared.size() ? &shared[cta] : nullptr;
}

std::vector<Cell> &Checker::State::tmemCellsOf(uint32_t cta) {
  std::vector<Cell> &cells = tmem[cta];
  if (cells.empty())
    cells.resize(tmemColumns * 8);
  return cells;
}

std::vector<Cell> &Checker::State::globalPage(uint64_t page) {
  std::vector<Cell> &cells = global[page];
  if (cells.empty())
    cells.resize(pageBytes / globalCellBytes);
  return cells;
}

void Checker::State::touch(Cell &cell, const Place &place,
                           const Cell::Touch &touch, const Accessor &by) {
  if (cell.objects() & touch.units && !touch.object) [[unlikely]]
    checkObjects(place, touch, by);
  const bool reads =
      touch.mode == AccessMode::Read || touch.mode == AccessMode::Update;
  if (reads && cell.uninitialized(touch.units)) [[unlikely]]
    checkInitialized(place, cell, touch, by);
  cell.touch(touch, by, actors, conflicts);
  if (conflicts.empty()) [[likely]]
    return;
  for (const Conflict &conflict : conflicts)
    reportConflict(place, touch.mode, by, conflict);
  conflicts.clear();
}

void Checker::State::touchBytes(MemoryKind memory, uint64_t address,
                                uint64_t bytes, AccessMode mode,
                                const Accessor &by) {
  if (memory == MemoryKind::Global)
    return touchGlobal(address, bytes, mode, by);
  Place place;
  place.cta = uint32_t(address >> 24);
  std::vector<Cell> *cells = sharedCells(place.cta);
  if (!cells)
    return;
  forEachCell(address & 0xffffff, bytes, [&](uint64_t cell, uint16_t units) {
    if (cell >= cells->size())
      return; // out of bounds is the core's finding
    place.address = cell * 16;
    touch((*cells)[cell], place, {units, mode}, by);
  });
}

// Parts of words are not followed: neighbours in a word may belong to others.
void Checker::State::touchGlobal(uint64_t address, uint64_t bytes,
                                 AccessMode mode, const Accessor &by) {
  const uint64_t first = (address + 3) / 4;
  const uint64_t last = (address + bytes) / 4;
  if (first >= last)
    return;
  Place place;
  place.memory = MemoryKind::Global;
  Accessor accessor = by;
  accessor.asyncProxy = false;
  if (setup.waitsForGrid && setup.families.strict)
    checkGridWait(place, by);
  uint64_t page = ~uint64_t(0);
  std::vector<Cell> *cells = nullptr;
  forEachCell(first, last - first, [&](uint64_t cell, uint16_t units) {
    place.address = cell * globalCellBytes;
    if (place.address / pageBytes != page) {
      page = place.address / pageBytes;
      cells = &globalPage(page);
    }
    touch((*cells)[place.address % pageBytes / globalCellBytes], place,
          {units, mode}, accessor);
    if (setup.global)
      touchClusters(place, units, mode, accessor);
  });
}

void Checker::State::touchClusters(const Place &place, uint16_t units,
                                   AccessMode mode, const Accessor &by) {
  const auto other = setup.global->touch(
      place.address / globalCellBytes, units,
      {setup.cluster, by.site, 0, mode, by.adds && setup.families.order});
  if (other)
    reportClusters(place, mode, by, *other);
}

void Checker::State::checkGridWait(const Place &place, const Accessor &by) {
  if (by.known->knows(priorGrid, 0, 1))
    return;
  report("strict",
         fmt::format("{} accesses global memory that the previous grid may "
                     "still write; missing: griddepcontrol.wait before it",
                     partyName(by)),
         by.site);
}

void Checker::State::touchChunks(uint32_t cta, std::span<const uint32_t> chunks,
                                 const Accessor &by) {
  Place place;
  place.cta = cta;
  std::vector<Cell> *cells = sharedCells(cta);
  if (!cells)
    return;
  for (uint32_t chunk : chunks) {
    place.address = chunk;
    if (chunk / 16 < cells->size())
      touch((*cells)[chunk / 16], place, {0xffff, AccessMode::Read}, by);
  }
}

void Checker::State::touchObject(uint32_t address, AccessMode mode,
                                 const Accessor &by) {
  const uint32_t offset = address & 0xffffff;
  std::vector<Cell> *cells = sharedCells(address >> 24);
  if (!cells || offset / 16 >= cells->size())
    return;
  Place place;
  place.cta = address >> 24;
  place.address = offset;
  touch((*cells)[offset / 16], place, {objectUnits(address), mode, true}, by);
}

void Checker::State::touchThreadObject(const Who &who, uint32_t address,
                                       AccessMode mode) {
  lastSite = who.site;
  Accessor by;
  by.actor = warpOf(who);
  by.time = clocksOf(who).now();
  by.site = who.site;
  forGroups(who, [&](Knowledge &known, uint32_t group) {
    Accessor part = by;
    known.whole = false;
    part.known = &known;
    part.lanes = group;
    touchObject(address, mode, part);
  });
}

void Checker::State::setObject(uint32_t address, bool live) {
  std::vector<Cell> *cells = sharedCells(address >> 24);
  const uint32_t index = (address & 0xffffff) / 16;
  if (!cells || index >= cells->size())
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
  std::vector<Cell> &cells = tmemCellsOf(cta);
  for (uint32_t column = rect.column; column < rect.column + rect.columns;
       ++column) {
    place.address = column;
    forEachCell(rect.lane, rect.lanes, [&](uint64_t part, uint16_t units) {
      place.lane = uint32_t(part * 16);
      touch(cells[column * 8 + part], place, {units, mode}, accessor);
    });
  }
}

void Checker::State::checkInitFence(uint32_t address, const Accessor &by) {
  if (!unfencedInits.contains(address))
    return;
  report("strict",
         fmt::format("{} arrives on the mbarrier at {:#x}, whose init is not "
                     "behind a fence; missing: fence.mbarrier_init (or "
                     "fence.proxy.async) after mbarrier.init by {}",
                     partyName(by), address,
                     actors.warpName(unfencedInits.at(address))),
         by.site);
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
