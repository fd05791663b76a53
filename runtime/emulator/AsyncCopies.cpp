// cp.async, cp.async.bulk and their groups, cp.reduce.async.bulk, st.bulk.
#include "runtime/emulator/Addresses.h"
#include "runtime/emulator/Announce.h"
#include "runtime/emulator/BulkReduction.h"
#include "runtime/emulator/Families.h"
#include "runtime/emulator/Lanes.h"
#include "runtime/emulator/Machine.h"
#include "runtime/emulator/Mbarrier.h"

#include <fmt/format.h>

#include <cstring>

namespace fa4::emulator {

namespace {

/// Operands: destination, source, size, bytes of the source or a sink.
Outcome copyAsync(Context &c, const Instruction &i) {
  Machine &machine = c.machine;
  forEachLane(c.mask, [&](uint32_t lane) {
    const auto size =
        static_cast<uint32_t>(laneValue(c, c.operand(i, 2), lane));
    auto valid =
        i.with.mode ? static_cast<uint32_t>(laneValue(c, c.operand(i, 3), lane))
                    : size;
    valid = std::min(valid, size);
    std::byte *to = sharedBytes(
        machine, c.cta, sharedAddress(c, c.operand(i, 0), lane), size, size);
    const uint64_t source = laneValue(c, c.operand(i, 1), lane);
    const std::byte *from =
        valid ? translate(c, lane,
                          {MemorySpace::Global, source, 1, AccessKind::Read})
              : nullptr;
    if (valid)
      globalBytes(machine, source, valid);
    auto group = c.warp.copyGroups[lane].open;
    ++group->writes;
    const uint32_t target = sharedAddress(c, c.operand(i, 0), lane);
    const AsyncToken token = announceIssue(c, i, lane, AsyncKind::CopyAsync);
    auto act = [to, from, size, valid, group, target, source, token,
                cta = &c.cta] {
      if (Checker *checker = cta->cluster->checker.get()) {
        if (valid)
          checker->asyncGlobal(token, AccessMode::Read, source, valid);
        checker->asyncShared(token, AccessMode::Write, target, size);
        checker->finish(token);
      }
      if (valid)
        std::memcpy(to, from, valid);
      std::memset(to + valid, 0, size - valid);
      --group->writes;
    };
    machine.async.issue({&i, &c.cta, std::move(act)});
  });
  return Outcome::Next;
}

Outcome commitGroup(Context &c, const Instruction &i) {
  auto &groups = i.with.mode ? c.warp.bulkGroups : c.warp.copyGroups;
  forEachLane(c.mask, [&](uint32_t lane) { groups[lane].commit(); });
  if (Checker *checker = checkerOf(c))
    checker->commitGroup(whoOf(c, i, c.mask), i.with.mode
                                                  ? AsyncKind::BulkStore
                                                  : AsyncKind::CopyAsync);
  return Outcome::Next;
}

/// `count`: groups that may stay pending.
Outcome waitGroup(Context &c, const Instruction &i) {
  auto &groups = i.with.mode ? c.warp.bulkGroups : c.warp.copyGroups;
  bool done = true;
  forEachLane(c.mask, [&](uint32_t lane) {
    auto own = groups.find(lane);
    if (own != groups.end())
      done &= own->second.done(i.with.count, i.with.inParity);
  });
  if (done) {
    if (Checker *checker = checkerOf(c)) {
      checker->waitGroup(whoOf(c, i, c.mask),
                         i.with.mode ? AsyncKind::BulkStore
                                     : AsyncKind::CopyAsync,
                         i.with.count, i.with.inParity);
    }
    return Outcome::Next;
  }
  Wait &wait = c.fragment.wait;
  wait = {};
  wait.kind = i.with.mode ? WaitKind::BulkGroup : WaitKind::CopyGroup;
  wait.resume = true;
  wait.id = i.with.count;
  wait.parity = i.with.inParity;
  wait.mask = c.mask;
  return Outcome::Block;
}

/// cp.async.wait_all also waits for what isn't committed.
Outcome waitAll(Context &c, const Instruction &i) {
  forEachLane(c.mask, [&](uint32_t lane) { c.warp.copyGroups[lane].commit(); });
  if (Checker *checker = checkerOf(c))
    checker->commitGroup(whoOf(c, i, c.mask), AsyncKind::CopyAsync);
  return waitGroup(c, i);
}

using Groups = std::vector<std::shared_ptr<CopyGroup>>;

/// Arrives when no copy of the groups is pending, else tries again later.
void arriveWhenDone(Machine &machine, const Instruction &i, Cta &cta,
                    uint32_t address, AsyncToken token, const Groups &groups) {
  for (const auto &group : groups) {
    if (group->writes) {
      machine.async.issue(
          {&i, &cta, [&machine, &i, &cta, address, token, groups] {
             arriveWhenDone(machine, i, cta, address, token, groups);
           }});
      return;
    }
  }
  if (Checker *checker = cta.cluster->checker.get()) {
    checker->asyncArrive(token, address);
    checker->finish(token);
  }
  arriveMbarrier(machine, cta, address, 1);
}

/// cp.async.mbarrier.arrive: an arrival when the thread's copies are done.
/// Without .noinc the pending count grows by one first.
Outcome arriveAfterCopies(Context &c, const Instruction &i) {
  Machine &machine = c.machine;
  forEachLane(c.mask, [&](uint32_t lane) {
    const uint32_t address = sharedAddress(c, c.operand(i, 0), lane);
    if (!i.with.mode)
      addPendingArrival(machine, c.cta, address);
    CopyGroups &own = c.warp.copyGroups[lane];
    Groups groups(own.committed.begin(), own.committed.end());
    groups.push_back(own.open);
    const AsyncToken token = announceIssue(c, i, lane, AsyncKind::CopyAsync);
    machine.async.issue(
        {&i, &c.cta, [&machine, &i, cta = &c.cta, address, token, groups] {
           arriveWhenDone(machine, i, *cta, address, token, groups);
         }});
  });
  return Outcome::Next;
}

struct BulkCopy {
  MemorySpace from, to;
  uint64_t source, target;
  uint32_t bytes;
  uint32_t barrier = 0;
  Cta *cta;
  AsyncToken token = 0;
};

void announceBulkSide(const BulkCopy &copy, bool source, AccessMode mode) {
  Checker *checker = copy.cta->cluster->checker.get();
  if (!checker)
    return;
  const MemorySpace space = source ? copy.from : copy.to;
  const uint64_t address = source ? copy.source : copy.target;
  if (space == MemorySpace::Global)
    checker->asyncGlobal(copy.token, mode, address, copy.bytes, copy.barrier);
  else
    checker->asyncShared(copy.token, mode, static_cast<uint32_t>(address),
                         copy.bytes, copy.barrier);
}

const std::byte *bulkBytes(Machine &machine, const BulkCopy &copy,
                           bool source) {
  const MemorySpace space = source ? copy.from : copy.to;
  const uint64_t address = source ? copy.source : copy.target;
  if (address % 16 || copy.bytes % 16)
    fault("bounds", fmt::format("bulk copy of {} bytes at 0x{:x}: size and "
                                "addresses must be multiples of 16",
                                copy.bytes, address));
  return space == MemorySpace::Global
             ? globalBytes(machine, address, copy.bytes)
             : sharedBytes(machine, *copy.cta, static_cast<uint32_t>(address),
                           copy.bytes, 16);
}

uint64_t bulkAddress(Context &c, const Operand &o, MemorySpace space,
                     uint32_t lane) {
  return space == MemorySpace::Global ? laneValue(c, o, lane)
                                      : sharedAddress(c, o, lane);
}

void moveBulk(Machine &machine, const Instruction &i, const BulkCopy &copy) {
  const std::byte *from = bulkBytes(machine, copy, true);
  auto *to = const_cast<std::byte *>(bulkBytes(machine, copy, false));
  announceBulkSide(copy, true, AccessMode::Read);
  announceBulkSide(copy, false,
                   i.with.mode ? AccessMode::Atomic : AccessMode::Write);
  if (i.with.mode)
    reduceBulk(static_cast<Type>(i.with.type), i.with.operation, to, from,
               copy.bytes);
  else
    std::memmove(to, from, copy.bytes);
  machine.statistics.bulkBytes += copy.bytes;
}

/// Operands: destination, source, size, mbarrier (or none), CTA mask.
Outcome bulkCopy(Context &c, const Instruction &i) {
  Machine &machine = c.machine;
  const bool signals = i.with.inParity;
  forEachLane(c.mask, [&](uint32_t lane) {
    BulkCopy copy{i.with.source,
                  i.with.space,
                  bulkAddress(c, c.operand(i, 1), i.with.source, lane),
                  bulkAddress(c, c.operand(i, 0), i.with.space, lane),
                  static_cast<uint32_t>(laneValue(c, c.operand(i, 2), lane)),
                  0,
                  &c.cta};
    std::shared_ptr<CopyGroup> group;
    uint32_t mask = 0;
    if (signals)
      copy.barrier = sharedAddress(c, c.operand(i, 3), lane);
    else
      group = c.warp.bulkGroups[lane].open;
    if (group) {
      ++group->reads;
      ++group->writes;
    }
    if (i.with.multicast)
      mask = laneValue(c, c.operand(i, 4), lane) & 0xffff;
    else if (signals)
      checkSignal(copy.barrier, static_cast<uint32_t>(copy.target), 1);
    copy.token = announceIssue(
        c, i, lane, signals ? AsyncKind::Transaction : AsyncKind::BulkStore);
    auto act = [&machine, &i, copy, group, mask] {
      auto deliver = [&](BulkCopy one) {
        moveBulk(machine, i, one);
        Checker *checker = one.cta->cluster->checker.get();
        if (!group && checker)
          checker->asyncArrive(one.token, one.barrier);
        if (!group)
          completeTx(machine, *one.cta, one.barrier, one.bytes);
      };
      if (!i.with.multicast)
        deliver(copy);
      forEachLane(mask, [&](uint32_t rank) {
        BulkCopy one = copy;
        one.target = (copy.target & 0xffffff) | uint64_t(rank) << 24;
        one.barrier = (copy.barrier & 0xffffff) | rank << 24;
        deliver(one);
      });
      if (Checker *checker = copy.cta->cluster->checker.get())
        checker->finish(copy.token);
      if (group) {
        --group->reads;
        --group->writes;
      }
    };
    machine.async.issue({&i, &c.cta, std::move(act)});
  });
  return Outcome::Next;
}

/// st.bulk: zeros.
Outcome bulkStore(Context &c, const Instruction &i) {
  forEachLane(c.mask, [&](uint32_t lane) {
    auto bytes = static_cast<uint32_t>(laneValue(c, c.operand(i, 1), lane));
    std::byte *to = sharedBytes(
        c.machine, c.cta, sharedAddress(c, c.operand(i, 0), lane), bytes, 8);
    if (Checker *checker = checkerOf(c)) {
      std::array<uint64_t, 32> addresses;
      addresses[lane] = sharedAddress(c, c.operand(i, 0), lane);
      checker->access(whoOf(c, i, 1u << lane),
                      {MemoryKind::Shared, AccessMode::Write, bytes},
                      addresses.data());
    }
    std::memset(to, 0, bytes);
  });
  ++c.machine.progress;
  return Outcome::Next;
}

void appendSingles(Decoding &d, size_t count) {
  for (size_t n = 0; n < count; ++n) {
    if (d.width(n) != 1)
      d.fail(fmt::format("operand {} of '{}' must be a single value", n + 1,
                         d.statement.opcode));
    d.append(n);
  }
}

void decodeGroup(Decoding &d, bool bulk) {
  auto &with = d.instruction.with;
  with.mode = bulk;
  if (d.has("commit_group")) {
    d.expectOperands(0, 0);
    d.instruction.execute = commitGroup;
    return;
  }
  if (d.has("wait_all")) {
    d.expectOperands(0, 0);
    d.instruction.execute = waitAll;
    return;
  }
  d.expectOperands(1, 1);
  with.count = static_cast<uint16_t>(std::min<uint64_t>(d.constant(0), 65535));
  with.inParity = d.has("read");
  d.instruction.execute = waitGroup;
}

void decodeCopyAsync(Decoding &d) {
  if (d.has("mbarrier")) {
    appendSingles(d, 1);
    d.instruction.with.mode = d.has("noinc");
    d.instruction.execute = arriveAfterCopies;
    d.instruction.startsAsync = true;
    return;
  }
  d.expectOperands(3, 5);
  const bool hint = d.has("L2::cache_hint");
  const bool hasSource = d.operandCount() - hint > 3;
  const uint64_t size = d.constant(2);
  if (size != 4 && size != 8 && size != 16)
    d.fail(fmt::format("cp.async of {} bytes", size));
  appendSingles(d, hasSource ? 4 : 3);
  d.instruction.with.mode = hasSource;
  d.instruction.startsAsync = true;
  d.instruction.execute = copyAsync;
}

} // namespace

void decodeBulkCopy(Decoding &d) {
  auto &with = d.instruction.with;
  if (d.has("prefetch")) {
    d.expectOperands(2, 3);
    return decodeNothing(d);
  }
  MemorySpace spaces[2] = {};
  size_t found = 0;
  for (std::string_view part : d.parts) {
    MemorySpace space = part == "global"            ? MemorySpace::Global
                        : part == "shared::cta"     ? MemorySpace::Shared
                        : part == "shared::cluster" ? MemorySpace::SharedCluster
                                                    : MemorySpace::Generic;
    if (space != MemorySpace::Generic && found < 2)
      spaces[found++] = space;
  }
  if (found != 2 || d.has("cp_mask"))
    d.unsupported();
  with.space = spaces[0];
  with.source = spaces[1];
  with.inParity = d.has("mbarrier::complete_tx::bytes");
  with.multicast = d.has("multicast::cluster");
  with.mode = d.parts[1] == "reduce";
  if (with.mode)
    decodeBulkReduction(d);
  const size_t operands = 3 + with.inParity + with.multicast;
  const size_t hint = d.has("L2::cache_hint");
  d.expectOperands(operands + hint, operands + hint);
  appendSingles(d, operands);
  d.instruction.startsAsync = true;
  d.instruction.execute = bulkCopy;
}

void decodeCopy(Decoding &d) {
  if (!d.has("async"))
    d.unsupported();
  if (!d.has("bulk")) {
    if (d.has("commit_group") || d.has("wait_group") || d.has("wait_all"))
      return decodeGroup(d, false);
    return decodeCopyAsync(d);
  }
  if (d.has("commit_group") || d.has("wait_group"))
    return decodeGroup(d, true);
  if (d.has("tensor"))
    return decodeTensorCopy(d);
  decodeBulkCopy(d);
}

void decodeBulkStore(Decoding &d) {
  d.expectOperands(3, 3);
  appendSingles(d, 3);
  d.instruction.execute = bulkStore;
}

} // namespace fa4::emulator
