// clusterlaunchcontrol: the answer is always that nothing was cancelled, so
// every CTA works on its own tile only.
#include "runtime/emulator/Addresses.h"
#include "runtime/emulator/Families.h"
#include "runtime/emulator/Lanes.h"
#include "runtime/emulator/Machine.h"
#include "runtime/emulator/Mbarrier.h"

#include <algorithm>
#include <cstring>

namespace fa4::emulator {

namespace {

/// Operands: response, mbarrier. Completes 16 bytes of the mbarrier.
Outcome tryCancel(Context &c, const Instruction &i) {
  Machine &machine = c.machine;
  forEachLane(c.mask, [&](uint32_t lane) {
    const uint32_t response = sharedAddress(c, c.operand(i, 0), lane);
    const uint32_t barrier = sharedAddress(c, c.operand(i, 1), lane);
    auto answer = [&machine, cta = &c.cta, response, barrier](uint32_t rank) {
      const uint32_t base = rank << 24;
      std::byte *bytes =
          sharedBytes(machine, *cta, (response & 0xffffff) | base, 16, 16);
      std::memset(bytes, 0, 16);
      completeTx(machine, *cta, (barrier & 0xffffff) | base, 16);
    };
    const bool multicast = i.with.multicast;
    const uint32_t rank = c.cta.rank;
    const auto size = static_cast<uint32_t>(c.cta.cluster->ctas.size());
    machine.async.issue({&i, &c.cta, [answer, multicast, rank, size] {
                           if (!multicast)
                             return answer(rank);
                           for (uint32_t n = 0; n < size; ++n)
                             answer(n);
                         }});
  });
  return Outcome::Next;
}

Outcome notCancelled(Context &c, const Instruction &i) {
  writePredicate(c, c.operand(i, 0), 0);
  return Outcome::Next;
}

/// The CTA of a failed request is undefined; all ones shows up.
Outcome firstCta(Context &c, const Instruction &i) {
  Scratch32 ones;
  std::fill(std::begin(ones.lane), std::end(ones.lane), ~0u);
  for (uint32_t n = 0; n + 1 < i.operandCount; ++n)
    write32(c, c.operand(i, n), ones.lane);
  return Outcome::Next;
}

} // namespace

void decodeClusterLaunch(Decoding &d) {
  if (d.has("try_cancel")) {
    d.appendScalars(2);
    d.instruction.with.multicast = d.has("multicast::cluster::all");
    d.instruction.startsAsync = true;
    d.instruction.execute = tryCancel;
  } else if (d.has("is_canceled")) {
    d.appendScalars(2);
    d.instruction.execute = notCancelled;
  } else if (d.has("get_first_ctaid") || d.has("get_first_ctaid::x") ||
             d.has("get_first_ctaid::y") || d.has("get_first_ctaid::z")) {
    d.expectOperands(2, 2);
    d.appendAll();
    d.instruction.execute = firstCta;
  } else {
    d.unsupported();
  }
}

} // namespace fa4::emulator
