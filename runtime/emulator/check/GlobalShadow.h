// Conflicts in global memory between the clusters of one launch.
//
// Coarser than the checks inside a cluster: whole clusters take part, a strong
// write (st.release, atomics, ...) that another cluster's strong read observes
// orders everything before it, and a cell of 16 words remembers its last
// writer and its last reader only. What it reports is a conflict for sure.
#pragma once
#include "runtime/emulator/check/Checker.h"
#include <cstdint>
#include <map>
#include <optional>
#include <unordered_map>
#include <vector>

namespace fa4::emulator {

class GlobalShadow {
public:
  struct Party {
    uint32_t cluster = 0;
    uint32_t site = 0;
    uint64_t time = 0;
    AccessMode mode = AccessMode::Read;
    bool inOrder = false; // conflicts with reductions, too
  };

  // Records an access to `units` of a 64-byte cell; returns the access of
  // another cluster that it conflicts with.
  std::optional<Party> touch(uint64_t cell, uint16_t units, const Party &by);
  // A point in time: what was touched before is not later than it.
  uint64_t tick() { return now++; }
  // A strong write of a location, which releases what the cluster did up to
  // `time`, and a strong read.
  void publish(uint32_t cluster, uint64_t location, uint64_t time);
  void observe(uint32_t cluster, uint64_t location);

private:
  using Times = std::map<uint32_t, uint64_t>; // by cluster
  struct Cell {
    Party writer, reader;
    uint16_t written = 0, reduced = 0, read = 0;
  };
  bool ordered(const Party &earlier, uint32_t cluster) const;

  static constexpr uint64_t pageCells = 64;
  std::unordered_map<uint64_t, std::vector<Cell>> pages;
  std::unordered_map<uint32_t, Times> known;
  std::unordered_map<uint64_t, Times> published;
  uint64_t now = 1;
};

} // namespace fa4::emulator
