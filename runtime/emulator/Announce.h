// Tells the cluster's checker, if there is one, what warps and units do.
#pragma once

#include "runtime/emulator/State.h"
#include "runtime/emulator/check/Checker.h"

namespace fa4::emulator {

struct Machine;

/// A checker for the cluster when a check wants one.
std::unique_ptr<Checker> makeChecker(Machine &machine, const Cluster &cluster);

inline Checker *checkerOf(const Context &c) {
  return c.cta.cluster->checker.get();
}

inline uint32_t siteOf(const Context &c, const Instruction &i) {
  return static_cast<uint32_t>(&i - c.function.code.data());
}
inline Who whoOf(const Context &c, const Instruction &i, uint32_t lanes) {
  return {c.cta.rank, c.warp.index, lanes, siteOf(c, i)};
}
inline Who whoOf(const Warp &warp, uint32_t pc, uint32_t lanes) {
  return {warp.cta->rank, warp.index, lanes, pc};
}

/// griddepcontrol.wait: grids run one after the other, only a checker looks.
Outcome gridDependency(Context &c, const Instruction &i);

/// "line 120 (kernel.cpp:40) tcgen05.ld..."
std::string describeSite(const Machine &machine, uint32_t site);

/// How strong a load, store or atomic is.
struct Strength {
  bool strong = false; // volatile, relaxed, acquire, release or atomic
  SyncOrder order;
};

/// An access by the active lanes, `bytes` each. Call before the memory changes.
void announceAccess(Context &c, const Instruction &i, MemorySpace space,
                    const uint64_t *addresses, uint32_t bytes, AccessMode mode,
                    Strength strength = {});

/// A `.sync.aligned` tcgen05 instruction joins the lanes.
inline void announceAligned(Context &c, const Instruction &i) {
  if (Checker *checker = checkerOf(c))
    checker->alignedSync(whoOf(c, i, c.mask));
}

/// The token of an async operation, or 0 without a checker.
inline AsyncToken announceIssue(Context &c, const Instruction &i, uint32_t lane,
                                AsyncKind kind) {
  Checker *checker = checkerOf(c);
  return checker ? checker->issue(whoOf(c, i, 1u << lane), kind) : 0;
}

} // namespace fa4::emulator
