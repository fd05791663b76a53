// The mbarrier object: 8 bytes of shared memory.
#pragma once

#include <cstdint>

namespace fa4::emulator {

struct Cta;
struct Machine;

/// bit 0 phase, 1..20 expected, 21..40 pending, 41..61 tx count (signed),
/// 62..63 must be 01: poisoned and zeroed memory is no barrier.
struct Mbarrier {
  bool phase = false;
  uint32_t expected = 0, pending = 0;
  int32_t tx = 0;

  uint64_t pack() const;
  static bool unpack(uint64_t bits, Mbarrier &result);
};

inline constexpr uint32_t mbarrierCountLimit = (1u << 20) - 1;

/// The operations take a shared::cluster address as seen from `cta`, fault with
/// `barrier` when the object is invalid or its counts leave their range.
Mbarrier readMbarrier(Machine &machine, Cta &cta, uint32_t address);
void initMbarrier(Machine &machine, Cta &cta, uint32_t address, uint32_t count);
void invalidateMbarrier(Machine &machine, Cta &cta, uint32_t address);
void expectTx(Machine &machine, Cta &cta, uint32_t address, uint32_t bytes);
void completeTx(Machine &machine, Cta &cta, uint32_t address, uint32_t bytes);
/// Faults unless a copy to `target` may signal `barrier`: in the same CTA, or
/// for a ctaGroup of 2 in the same pair.
void checkSignal(uint32_t barrier, uint32_t target, uint32_t ctaGroup);
/// Returns the state before the arrival. `drop` lowers the expected count too.
uint64_t arriveMbarrier(Machine &machine, Cta &cta, uint32_t address,
                        uint32_t count, bool drop = false);
/// cp.async.mbarrier.arrive without .noinc: one more arrival is pending.
void addPendingArrival(Machine &machine, Cta &cta, uint32_t address);
/// True if the phase of this parity has completed.
bool testMbarrier(Machine &machine, Cta &cta, uint32_t address, bool parity);

} // namespace fa4::emulator
