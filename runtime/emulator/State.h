// The state of a running grid: clusters, CTAs, warps, lanes.
#pragma once

#include "runtime/emulator/Program.h"
#include "runtime/emulator/RegistersInFlight.h"

#include <deque>
#include <map>
#include <memory>
#include <span>
#include <vector>

namespace fa4::emulator {

class Checker;
struct Cta;
struct Cluster;
struct Machine;

enum class WaitKind : uint8_t {
  None,
  Converge,       // other lanes must reach this instruction
  WarpSync,       // bar.warp.sync: lanes of `mask`
  Mbarrier,       // `address`, phase `parity` not complete
  NamedBarrier,   // `id`, until `generation` has passed
  ClusterBarrier, // until `generation` has passed
  BulkGroup,      // at most `id` groups pending (`parity`: reads only)
  CopyGroup,      // cp.async
  WgmmaGroup,
  Poll,        // a strong load of `polled` that would find the same again
  TmemColumns, // `id` columns
  Registers,   // setmaxnreg.inc to `id`
};

/// Why a fragment does not run. `resume`: go on behind the instruction instead
/// of executing it again.
struct Wait {
  WaitKind kind = WaitKind::None;
  bool resume = false;
  bool parity = false;
  bool expired = false; // a suspended try_wait reached its time limit
  uint32_t id = 0;
  uint32_t mask = 0;
  uint32_t address = 0;
  uint64_t polled = 0;
  uint64_t generation = 0; // Poll: the machine's progress
};

/// A strong load, to tell a loop that polls from one that gets on.
struct PolledLoad {
  uint32_t mask = 0;
  uint64_t address = 0; // of the first lane
  uint64_t progress = 0;
};

/// Lanes of a warp that share a program counter.
struct Fragment {
  uint32_t pc = 0;
  uint32_t mask = 0;
  uint32_t backward = 0; // backward jumps since it split off
  Wait wait;
};

/// Copies that were committed together; counts of what is still pending.
struct CopyGroup {
  uint32_t reads = 0, writes = 0;
};
struct CopyGroups {
  std::shared_ptr<CopyGroup> open = std::make_shared<CopyGroup>();
  std::deque<std::shared_ptr<CopyGroup>> committed;

  void commit();
  /// True if all but the newest `allowed` groups are done.
  bool done(uint32_t allowed, bool readsOnly);
};

struct Warp {
  Cta *cta = nullptr;
  uint32_t index = 0;              // within the CTA
  std::string name;                // for reports; may be empty
  uint32_t live = 0;               // lanes that have not exited
  uint32_t registers = 0;          // by setmaxnreg
  std::vector<Fragment> fragments; // capacity for one per lane, never moves
  std::vector<uint32_t> storage32;
  std::vector<uint64_t> storage64;
  uint32_t *rows32 = nullptr; // 64-byte aligned
  uint64_t *rows64 = nullptr;
  std::vector<uint32_t> predicates;
  uint32_t carry = 0;           // by lane: what an instruction with .cc left
  std::vector<std::byte> local; // 32 threads, allocated at first use
  std::map<uint32_t, CopyGroups> bulkGroups, copyGroups; // by lane
  CopyGroups wgmmaGroups;
  std::map<uint32_t, PolledLoad> polls; // by program counter
  RegistersInFlight inFlight;           // as far as a check wants to know
  uint64_t clusterGeneration = 0;       // at the last cluster arrive

  uint32_t *row32(uint32_t index) { return rows32 + size_t(index) * 32; }
  uint64_t *row64(uint32_t index) { return rows64 + size_t(index) * 32; }
  bool finished() const { return live == 0; }
};

struct NamedBarrier {
  uint32_t expected = 0, arrived = 0;
  uint64_t generation = 0;
  bool wholeCta = false; // expects every live warp
};

struct Cta {
  Cluster *cluster = nullptr;
  uint32_t rank = 0; // in the cluster
  uint64_t linear = 0;
  Dim3 index;
  std::vector<std::byte> shared;  // by window offset
  std::vector<uint32_t> tmem;     // tmemCells values, allocated at first use
  std::vector<int32_t> tmemOwner; // by column: allocation number or -1
  int32_t tmemAllocations = 0;
  bool tmemRelinquished = false;
  uint32_t tmemGroup = 0;    // cta_group in use, 0: none yet
  uint64_t registerPool = 0; // registers that no warp holds
  std::array<NamedBarrier, 16> barriers;
  std::vector<std::unique_ptr<Warp>> warps;
  uint32_t liveWarps = 0;

  uint32_t sharedBase() const { return rank << 24; }
};

struct Cluster {
  uint64_t linear = 0;
  Dim3 index;
  std::vector<std::unique_ptr<Cta>> ctas;
  uint64_t generation = 0;
  uint32_t arrived = 0; // lanes at the cluster barrier
  uint32_t liveLanes = 0;
  std::unique_ptr<Checker> checker; // null: nothing to check

  Cluster();
  ~Cluster();
  bool finished() const { return liveLanes == 0; }
};

/// What a handler works on: the active lanes of one fragment.
struct Context {
  Machine &machine;
  const Function &function;
  Cta &cta;
  Warp &warp;
  Fragment &fragment;
  uint32_t mask; // active lanes whose guard holds

  const Operand &operand(const Instruction &i, uint32_t n) const {
    return function.operands[i.operandBegin + n];
  }
};

template <typename Visit> void forEachLane(uint32_t mask, Visit visit) {
  for (; mask; mask &= mask - 1)
    visit(static_cast<uint32_t>(__builtin_ctz(mask)));
}

} // namespace fa4::emulator
