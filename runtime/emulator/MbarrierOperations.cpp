// mbarrier.init, inval, arrive, expect_tx, complete_tx, test_wait, try_wait.
#include "runtime/emulator/Addresses.h"
#include "runtime/emulator/Announce.h"
#include "runtime/emulator/Families.h"
#include "runtime/emulator/Lanes.h"
#include "runtime/emulator/Machine.h"
#include "runtime/emulator/Mbarrier.h"

#include <fmt/format.h>

namespace fa4::emulator {

namespace {

/// A wait or an init is local: the address must be the CTA's own.
uint32_t localAddress(Context &c, const Operand &o, uint32_t lane) {
  uint32_t address = sharedAddress(c, o, lane);
  if (address >> 24 != c.cta.rank)
    fault("barrier",
          fmt::format("shared address 0x{:x} is not in the CTA's own window "
                      "(rank {})",
                      address, c.cta.rank));
  return address;
}

Outcome init(Context &c, const Instruction &i) {
  forEachLane(c.mask, [&](uint32_t lane) {
    const uint32_t address = localAddress(c, c.operand(i, 0), lane);
    if (Checker *checker = checkerOf(c))
      checker->mbarrierInit(whoOf(c, i, 1u << lane), address);
    initMbarrier(c.machine, c.cta, address,
                 static_cast<uint32_t>(laneValue(c, c.operand(i, 1), lane)));
  });
  return Outcome::Next;
}

Outcome invalidate(Context &c, const Instruction &i) {
  forEachLane(c.mask, [&](uint32_t lane) {
    const uint32_t address = localAddress(c, c.operand(i, 0), lane);
    if (Checker *checker = checkerOf(c))
      checker->mbarrierInvalidate(whoOf(c, i, 1u << lane), address);
    invalidateMbarrier(c.machine, c.cta, address);
  });
  return Outcome::Next;
}

/// Operands: address, bytes.
Outcome transaction(Context &c, const Instruction &i) {
  forEachLane(c.mask, [&](uint32_t lane) {
    uint32_t address = sharedAddress(c, c.operand(i, 0), lane);
    auto bytes = static_cast<uint32_t>(laneValue(c, c.operand(i, 1), lane));
    if (Checker *checker = checkerOf(c))
      checker->mbarrierExpect(whoOf(c, i, 1u << lane), address);
    if (i.with.mode)
      completeTx(c.machine, c.cta, address, bytes);
    else
      expectTx(c.machine, c.cta, address, bytes);
  });
  return Outcome::Next;
}

enum ArriveFlags { ExpectTx = 1, Drop = 2, HasCount = 4 };

/// Operands: state, address, count or bytes. `.noComplete` counts like any.
Outcome arrive(Context &c, const Instruction &i) {
  const uint32_t flags = i.with.operation;
  forEachLane(c.mask, [&](uint32_t lane) {
    uint32_t address = sharedAddress(c, c.operand(i, 1), lane);
    uint32_t count = 1;
    if (Checker *checker = checkerOf(c))
      checker->mbarrierArrive(whoOf(c, i, 1u << lane), address);
    if (flags & HasCount) {
      auto value = static_cast<uint32_t>(laneValue(c, c.operand(i, 2), lane));
      if (flags & ExpectTx)
        expectTx(c.machine, c.cta, address, value);
      else
        count = value;
    }
    uint64_t state =
        arriveMbarrier(c.machine, c.cta, address, count, (flags & Drop) != 0);
    writeLane(c, c.operand(i, 0), lane, state);
  });
  return Outcome::Next;
}

/// Lanes that test the same barrier with the same outcome are announced as one.
void announceTests(Context &c, const Instruction &i, const uint32_t *addresses,
                   uint32_t done) {
  Checker *checker = checkerOf(c);
  if (!checker)
    return;
  for (uint32_t rest = c.mask; rest;) {
    const auto first = static_cast<uint32_t>(__builtin_ctz(rest));
    uint32_t same = 0;
    forEachLane(rest, [&](uint32_t lane) {
      same |= uint32_t(addresses[lane] == addresses[first] &&
                       (done >> lane & 1) == (done >> first & 1))
              << lane;
    });
    checker->mbarrierTest(whoOf(c, i, same), addresses[first],
                          done >> first & 1);
    rest &= ~same;
  }
}

/// Operands: predicate, address, state or parity. A try_wait that finds no lane
/// done suspends until the barrier changes or its time limit is over.
Outcome wait(Context &c, const Instruction &i) {
  uint32_t done = 0, first = 0;
  uint32_t addresses[32];
  forEachLane(c.mask, [&](uint32_t lane) {
    uint32_t address = localAddress(c, c.operand(i, 1), lane);
    bool parity = laneValue(c, c.operand(i, 2), lane) & 1;
    if (!done)
      first = address;
    addresses[lane] = address;
    done |= uint32_t(testMbarrier(c.machine, c.cta, address, parity)) << lane;
  });
  announceTests(c, i, addresses, done);
  const bool suspends = i.with.mode && !c.fragment.wait.expired;
  c.fragment.wait = {};
  if (!done && suspends) {
    Wait &wait = c.fragment.wait;
    wait.kind = WaitKind::Mbarrier;
    wait.address = first;
    wait.parity = uniformValue(c, c.operand(i, 2)) & 1;
    return Outcome::Block;
  }
  writePredicate(c, c.operand(i, 0), done);
  return Outcome::Next;
}

Outcome pendingCount(Context &c, const Instruction &i) {
  return mapLanes<uint32_t, uint64_t>(c, i, [](uint64_t state) {
    Mbarrier barrier;
    Mbarrier::unpack(state, barrier);
    return barrier.pending;
  });
}

void decodeArrive(Decoding &d) {
  const bool expects = d.has("expect_tx");
  // Remote arrivals may leave the state out altogether.
  const bool hasState = d.ast(0).kind != ast::OperandKind::Address;
  const size_t address = hasState ? 1 : 0;
  d.expectOperands(address + (expects ? 2 : 1), address + 2);
  const bool hasCount = d.operandCount() == address + 2;
  d.instruction.with.operation = static_cast<uint8_t>(
      (expects ? ExpectTx : 0) | (d.parts[1] == "arrive_drop" ? Drop : 0) |
      (hasCount ? HasCount : 0));
  if (!hasState)
    d.appendValue(0);
  for (size_t n = 0; n < d.operandCount(); ++n) {
    if (d.width(n) != 1)
      d.fail("mbarrier operands are single values");
    d.append(n);
  }
  d.instruction.execute = arrive;
}

} // namespace

void decodeMbarrier(Decoding &d) {
  std::string_view name = d.parts.size() > 1 ? d.parts[1] : "";
  if (name == "arrive" || name == "arrive_drop")
    return decodeArrive(d);
  if (name == "init") {
    d.appendScalars(2);
    d.instruction.execute = init;
  } else if (name == "inval") {
    d.appendScalars(1);
    d.instruction.execute = invalidate;
  } else if (name == "expect_tx" || name == "complete_tx") {
    d.appendScalars(2);
    d.instruction.with.mode = name == "complete_tx";
    d.instruction.execute = transaction;
  } else if (name == "test_wait" || name == "try_wait") {
    d.expectOperands(3, 4); // the time hint is ignored
    for (size_t n = 0; n < 3; ++n) {
      if (d.width(n) != 1)
        d.fail("mbarrier operands are single values");
      d.append(n);
    }
    d.instruction.with.mode = name == "try_wait";
    d.instruction.execute = wait;
  } else if (name == "pending_count") {
    d.appendScalars(2);
    d.instruction.execute = pendingCount;
  } else {
    d.unsupported();
  }
}

} // namespace fa4::emulator
