#include "runtime/emulator/Mbarrier.h"

#include "runtime/emulator/Addresses.h"
#include "runtime/emulator/Announce.h"
#include "runtime/emulator/Machine.h"

#include <fmt/format.h>

#include <cstdlib>
#include <cstring>

namespace fa4::emulator {

uint64_t Mbarrier::pack() const {
  return uint64_t(phase) | uint64_t(expected) << 1 | uint64_t(pending) << 21 |
         (uint64_t(static_cast<uint32_t>(tx)) & 0x1fffff) << 41 |
         uint64_t(1) << 62;
}

bool Mbarrier::unpack(uint64_t bits, Mbarrier &result) {
  result.phase = bits & 1;
  result.expected = (bits >> 1) & mbarrierCountLimit;
  result.pending = (bits >> 21) & mbarrierCountLimit;
  result.tx = static_cast<int32_t>((bits >> 41) << 11) >> 11;
  return bits >> 62 == 1;
}

namespace {

std::byte *bytesOf(Machine &machine, Cta &cta, uint32_t address) {
  return sharedBytes(machine, cta, address, 8, 8);
}

void store(Machine &machine, Cta &cta, uint32_t address,
           const Mbarrier &barrier) {
  uint64_t bits = barrier.pack();
  std::memcpy(bytesOf(machine, cta, address), &bits, 8);
  ++machine.progress;
  machine.lastArrivals[{cta.cluster->linear, address}] = machine.current;
}

void completeIfDone(const Cta &cta, uint32_t address, Mbarrier &barrier) {
  if (barrier.pending != 0 || barrier.tx != 0)
    return;
  barrier.phase = !barrier.phase;
  barrier.pending = barrier.expected;
  if (cta.cluster->checker)
    cta.cluster->checker->mbarrierComplete(address);
}

void addTx(Machine &machine, Cta &cta, uint32_t address, int64_t bytes) {
  Mbarrier barrier = readMbarrier(machine, cta, address);
  const int64_t tx = barrier.tx + bytes;
  if (std::llabs(tx) > mbarrierCountLimit)
    fault("barrier",
          fmt::format("tx count {} of the mbarrier at 0x{:x} leaves its range",
                      tx, address));
  barrier.tx = static_cast<int32_t>(tx);
  if (bytes < 0)
    completeIfDone(cta, address, barrier);
  store(machine, cta, address, barrier);
}

} // namespace

Mbarrier readMbarrier(Machine &machine, Cta &cta, uint32_t address) {
  uint64_t bits;
  std::memcpy(&bits, bytesOf(machine, cta, address), 8);
  Mbarrier barrier;
  if (!Mbarrier::unpack(bits, barrier))
    fault("barrier",
          fmt::format("no initialized mbarrier at shared address 0x{:x}",
                      address));
  return barrier;
}

void initMbarrier(Machine &machine, Cta &cta, uint32_t address,
                  uint32_t count) {
  if (count == 0 || count > mbarrierCountLimit)
    fault("barrier", fmt::format("mbarrier.init with count {}", count));
  Mbarrier barrier;
  barrier.expected = barrier.pending = count;
  store(machine, cta, address, barrier);
}

void invalidateMbarrier(Machine &machine, Cta &cta, uint32_t address) {
  readMbarrier(machine, cta, address);
  std::memset(bytesOf(machine, cta, address), 0xff, 8);
  ++machine.progress;
}

void expectTx(Machine &machine, Cta &cta, uint32_t address, uint32_t bytes) {
  addTx(machine, cta, address, bytes);
}

void completeTx(Machine &machine, Cta &cta, uint32_t address, uint32_t bytes) {
  addTx(machine, cta, address, -int64_t(bytes));
}

void checkSignal(uint32_t barrier, uint32_t target, uint32_t ctaGroup) {
  const uint32_t own = barrier >> 24, wanted = target >> 24;
  if (own / ctaGroup == wanted / ctaGroup)
    return;
  fault("barrier",
        fmt::format("a copy to shared address 0x{:x} signals the mbarrier at "
                    "0x{:x}, which is not in the {} that it goes to",
                    target, barrier, ctaGroup == 2 ? "pair of CTAs" : "CTA"));
}

uint64_t arriveMbarrier(Machine &machine, Cta &cta, uint32_t address,
                        uint32_t count, bool drop) {
  Mbarrier barrier = readMbarrier(machine, cta, address);
  const uint64_t before = barrier.pack();
  if (count > barrier.pending) {
    fault("barrier",
          fmt::format("arrival of {} at the mbarrier at 0x{:x}, which has {} "
                      "of {} arrivals pending",
                      count, address, barrier.pending, barrier.expected));
  }
  barrier.pending -= count;
  if (drop)
    barrier.expected -= std::min(count, barrier.expected);
  completeIfDone(cta, address, barrier);
  store(machine, cta, address, barrier);
  return before;
}

void addPendingArrival(Machine &machine, Cta &cta, uint32_t address) {
  Mbarrier barrier = readMbarrier(machine, cta, address);
  if (barrier.pending == mbarrierCountLimit)
    fault("barrier", fmt::format("too many arrivals pending at the mbarrier "
                                 "at 0x{:x}",
                                 address));
  ++barrier.pending;
  store(machine, cta, address, barrier);
}

bool testMbarrier(Machine &machine, Cta &cta, uint32_t address, bool parity) {
  return readMbarrier(machine, cta, address).phase != parity;
}

} // namespace fa4::emulator
