// Who touched which memory last: shadow cells and the conflict test.
//
// A cell stands for 16 units: bytes of shared memory, words of global memory,
// or lanes of one TMEM column. It keeps the last write of each unit and the
// reads since that are not ordered before another one.
#pragma once
#include "runtime/emulator/check/Actors.h"
#include "runtime/emulator/check/Checker.h"
#include "runtime/emulator/check/WarpClocks.h"
#include <array>
#include <memory>
#include <vector>

namespace fa4::emulator {

struct Entry {
  Actor actor = 0;
  Time time = 0;
  uint32_t lanes = 0; // of a warp; 0 for async actors
  uint32_t site = 0;
  uint16_t units = 0;
  AccessMode mode = AccessMode::Read;
  bool object = false; // an mbarrier operation: no proxy matters
};

// Who accesses now, and what it knows.
struct Accessor {
  const Knowledge *known = nullptr;
  Actor actor = 0;
  Time time = 0;
  uint32_t lanes = 0;
  uint32_t site = 0;
  bool adds = false;         // reduces global memory as an async unit
  bool asyncProxy = false;   // reads or writes shared memory as an async unit
  bool inOrder = false;      // never overtakes its own actor's earlier accesses
  bool tensorFences = false; // needs tcgen05.fence::after behind the hand-over
};

struct Conflict {
  Entry earlier;
  bool onlyFence = false; // ordered, but a fence is missing
};

class Cell {
public:
  struct Touch {
    uint16_t units;
    AccessMode mode;
    bool object = false;
  };
  // Records the access; appends what it conflicts with.
  void touch(const Touch &touch, const Accessor &by, const ActorTable &actors,
             std::vector<Conflict> &conflicts);
  uint16_t uninitialized(uint16_t units) const { return units & ~written; }
  void markInitialized(uint16_t units) { written |= units; }
  // Units that hold a live mbarrier.
  uint16_t objects() const { return objectUnits; }
  void setObjects(uint16_t units) { objectUnits |= units; }
  void clearObjects(uint16_t units) { objectUnits &= uint16_t(~units); }
  void reset() { *this = Cell(); }

private:
  void append(const Entry &entry);
  void compact(size_t kept);
  Entry &at(size_t i) {
    return i < inlineCount ? few[i] : (*more)[i - inlineCount];
  }

  static constexpr size_t inlineCount = 2;
  std::array<Entry, inlineCount> few;
  std::unique_ptr<std::vector<Entry>> more;
  uint16_t count = 0;
  uint16_t written = 0;
  uint16_t objectUnits = 0;
};

// Calls visit(cell index, units) for each cell of `count` units from `begin`.
template <typename Visit>
void forEachCell(uint64_t begin, uint64_t count, Visit visit) {
  const uint64_t end = begin + count;
  while (begin < end) {
    const uint32_t first = begin % 16;
    const uint32_t last = uint32_t(std::min<uint64_t>(16, first + end - begin));
    visit(begin / 16, uint16_t((0xffffu >> (16 - last)) & (0xffffu << first)));
    begin += last - first;
  }
}

} // namespace fa4::emulator
