// cp.async.bulk.tensor: TMA loads, stores, reductions, prefetches.
#include "runtime/emulator/Addresses.h"
#include "runtime/emulator/Announce.h"
#include "runtime/emulator/Families.h"
#include "runtime/emulator/Lanes.h"
#include "runtime/emulator/Machine.h"
#include "runtime/emulator/Mbarrier.h"
#include "runtime/emulator/TensorMap.h"

#include <fmt/format.h>

#include <cstring>

namespace fa4::emulator {

namespace {

struct TensorCopy {
  TensorMapArguments map;
  std::vector<int32_t> coordinates;
  bool gather = false; // tile::gather4 or tile::scatter4
  uint32_t shared = 0;
  Cta *cta = nullptr;
  AsyncToken token = 0;

  std::vector<BoxRun> runs(uint32_t target) const {
    std::vector<BoxRun> result;
    const uint32_t offset = target & 0xffffff;
    if (!gather) {
      boxRuns(map, coordinates, offset, result);
      return result;
    }
    std::array<int32_t, 4> rows;
    std::copy_n(coordinates.begin() + 1, 4, rows.begin());
    gather4Runs(map, coordinates[0], rows, offset, result);
    return result;
  }
  uint32_t bytes() const { return boxBytes(map) * (gather ? 4 : 1); }
};

TensorMapArguments readMap(Context &c, uint64_t address) {
  const std::byte *bytes =
      translate(c, 0, {MemorySpace::Generic, address, 1, AccessKind::Read});
  if (address % 64)
    fault("bounds", fmt::format("the tensor map at 0x{:x} is not 64-byte "
                                "aligned",
                                address));
  translate(c, 0, {MemorySpace::Generic, address + 127, 1, AccessKind::Read});
  TensorMap map;
  std::memcpy(&map, bytes, sizeof(map));
  return decodeTensorMap(map);
}

/// Operands from `first`: map, coordinates.
TensorCopy readCopy(Context &c, const Instruction &i, uint32_t first,
                    uint32_t lane) {
  TensorCopy copy;
  copy.cta = &c.cta;
  copy.map = readMap(c, laneValue(c, c.operand(i, first), lane));
  copy.gather = i.with.shape != 0;
  const uint32_t coordinates = copy.gather ? 5 : i.with.dimensions;
  if (copy.map.rank != i.with.dimensions)
    fault("invalid", fmt::format("a {}d copy with a tensor map of rank {}",
                                 i.with.dimensions, copy.map.rank));
  for (uint32_t n = 0; n < coordinates; ++n)
    copy.coordinates.push_back(
        static_cast<int32_t>(laneValue(c, c.operand(i, first + 1 + n), lane)));
  return copy;
}

/// Neighbouring pieces of global memory are announced as one.
void announceGlobal(Checker &checker, AsyncToken token,
                    const std::vector<BoxRun> &runs, AccessMode mode,
                    uint32_t barrier) {
  uint64_t begin = 0, bytes = 0;
  for (const BoxRun &run : runs) {
    if (!run.inBounds)
      continue;
    if (bytes && run.global != begin + bytes) {
      checker.asyncGlobal(token, mode, begin, bytes, barrier);
      bytes = 0;
    }
    if (!bytes)
      begin = run.global;
    bytes += run.bytes;
  }
  if (bytes)
    checker.asyncGlobal(token, mode, begin, bytes, barrier);
}

/// Both sides of a copy. A store leaves alone what is out of bounds; a box of
/// whole swizzle patterns covers its range of shared memory.
void announceBox(const TensorCopy &copy, const Cta &cta,
                 const std::vector<BoxRun> &runs, AccessMode shared,
                 AccessMode global, uint32_t barrier) {
  Checker *checker = cta.cluster->checker.get();
  if (!checker)
    return;
  announceGlobal(*checker, copy.token, runs, global, barrier);
  const uint32_t offset = copy.shared & 0xffffff;
  const uint32_t period = swizzlePeriod(copy.map.swizzle);
  const bool load = shared == AccessMode::Write;
  if (load && offset % period == 0 && copy.bytes() % period == 0)
    return checker->asyncShared(copy.token, shared, cta.sharedBase() | offset,
                                copy.bytes(), barrier);
  for (const BoxRun &run : runs)
    if (load || run.inBounds)
      checker->asyncShared(copy.token, shared, cta.sharedBase() | run.shared,
                           run.bytes, barrier);
}

void loadInto(Machine &machine, const TensorCopy &copy, Cta &target,
              uint32_t offset, uint32_t barrier) {
  const std::vector<BoxRun> runs = copy.runs(offset);
  announceBox(copy, target, runs, AccessMode::Write, AccessMode::Read, barrier);
  for (const BoxRun &run : runs) {
    std::byte *to = sharedBytes(machine, target,
                                target.sharedBase() | run.shared, run.bytes, 1);
    if (run.inBounds)
      std::memcpy(to, globalBytes(machine, run.global, run.bytes), run.bytes);
    else
      fillOutOfBounds(copy.map, to, run.bytes);
  }
  machine.statistics.tmaLoadBytes += copy.bytes();
}

/// The mbarrier that a destination CTA's bytes are counted on: its own, or
/// with cta_group::2 the one of the pair whose rank parity `barrier` has.
uint32_t signalAddress(uint32_t barrier, uint32_t rank, uint32_t group) {
  const uint32_t own = barrier >> 24;
  const uint32_t target = group == 2 ? (rank & ~1u) | (own & 1) : rank;
  return (barrier & 0xffffff) | target << 24;
}

/// Operands: destination, map, coordinates, mbarrier, CTA mask.
Outcome tensorLoad(Context &c, const Instruction &i) {
  Machine &machine = c.machine;
  const uint32_t coordinates = i.with.shape ? 5 : i.with.dimensions;
  forEachLane(c.mask, [&](uint32_t lane) {
    TensorCopy copy = readCopy(c, i, 1, lane);
    copy.shared = sharedAddress(c, c.operand(i, 0), lane);
    copy.token = announceIssue(c, i, lane, AsyncKind::Transaction);
    uint32_t barrier = sharedAddress(c, c.operand(i, 2 + coordinates), lane);
    uint32_t mask = 0;
    if (i.with.multicast)
      mask = static_cast<uint32_t>(
                 laneValue(c, c.operand(i, 3 + coordinates), lane)) &
             0xffff;
    const uint32_t group = i.with.ctaGroup;
    if (!i.with.multicast)
      checkSignal(barrier, copy.shared, group);
    auto act = [&machine, copy = std::move(copy), barrier, mask, group,
                multicast = i.with.multicast] {
      auto deliver = [&](Cta &target, uint32_t signal) {
        loadInto(machine, copy, target, copy.shared & 0xffffff, signal);
        if (Checker *checker = target.cluster->checker.get())
          checker->asyncArrive(copy.token, signal);
        completeTx(machine, *copy.cta, signal, copy.bytes());
      };
      if (!multicast)
        deliver(machine.ctaOf(*copy.cta, copy.shared), barrier);
      forEachLane(mask, [&](uint32_t rank) {
        deliver(machine.ctaOf(*copy.cta, rank << 24),
                signalAddress(barrier, rank, group));
      });
      if (Checker *checker = copy.cta->cluster->checker.get())
        checker->finish(copy.token);
    };
    machine.async.issue({&i, &c.cta, std::move(act)});
  });
  return Outcome::Next;
}

/// Operands: map, coordinates, source.
Outcome tensorStore(Context &c, const Instruction &i) {
  Machine &machine = c.machine;
  const uint32_t coordinates = i.with.shape ? 5 : i.with.dimensions;
  forEachLane(c.mask, [&](uint32_t lane) {
    TensorCopy copy = readCopy(c, i, 0, lane);
    copy.shared = sharedAddress(c, c.operand(i, 1 + coordinates), lane);
    copy.token = announceIssue(c, i, lane, AsyncKind::BulkStore);
    if (copy.coordinates[0] < 0) {
      fault("invalid",
            fmt::format("a tensor store at innermost coordinate {}, must not "
                        "be negative",
                        copy.coordinates[0]));
    }
    auto group = c.warp.bulkGroups[lane].open;
    ++group->reads;
    ++group->writes;
    auto act = [&machine, copy = std::move(copy), group, &i] {
      const std::vector<BoxRun> runs = copy.runs(copy.shared);
      announceBox(copy, *copy.cta, runs, AccessMode::Read,
                  i.with.mode ? AccessMode::Atomic : AccessMode::Write, 0);
      for (const BoxRun &run : runs) {
        if (!run.inBounds)
          continue;
        const std::byte *from =
            sharedBytes(machine, *copy.cta, copy.cta->sharedBase() | run.shared,
                        run.bytes, 1);
        std::byte *to = globalBytes(machine, run.global, run.bytes);
        if (i.with.mode) {
          reduceElements(copy.map.type,
                         static_cast<Reduction>(i.with.operation), to, from,
                         run.bytes);
        } else {
          std::memcpy(to, from, run.bytes);
        }
      }
      if (Checker *checker = copy.cta->cluster->checker.get())
        checker->finish(copy.token);
      machine.statistics.tmaStoreBytes += copy.bytes();
      --group->reads;
      --group->writes;
    };
    machine.async.issue({&i, &c.cta, std::move(act)});
  });
  return Outcome::Next;
}

/// A prefetch only needs a valid map.
Outcome tensorPrefetch(Context &c, const Instruction &i) {
  forEachLane(c.mask, [&](uint32_t lane) { readCopy(c, i, 0, lane); });
  return Outcome::Next;
}

uint8_t dimensionsOf(const Decoding &d) {
  static constexpr std::string_view names[] = {"1d", "2d", "3d", "4d", "5d"};
  for (uint8_t n = 0; n < 5; ++n)
    if (d.has(names[n]))
      return static_cast<uint8_t>(n + 1);
  d.unsupported();
}

/// Appends "[map, {coordinates}]".
void appendMap(Decoding &d, size_t n, uint32_t coordinates) {
  const ast::Operand &address = d.ast(n);
  if (address.kind != ast::OperandKind::Address ||
      address.elements.size() != 2 ||
      address.elements[1].kind != ast::OperandKind::Vector ||
      address.elements[1].elements.size() != coordinates)
    d.fail(fmt::format("expected [map, {{{} coordinates}}]", coordinates));
  d.append(n);
}

void appendSingle(Decoding &d, size_t n) {
  if (d.width(n) != 1)
    d.fail(fmt::format("operand {} of '{}' must be a single value", n + 1,
                       d.statement.opcode));
  d.append(n);
}

void decodeLoad(Decoding &d, uint32_t coordinates) {
  auto &with = d.instruction.with;
  with.multicast = d.has("multicast::cluster");
  with.ctaGroup = d.has("cta_group::2") ? 2 : 1;
  const size_t hint = d.has("L2::cache_hint");
  d.expectOperands(3 + with.multicast + hint, 3 + with.multicast + hint);
  appendSingle(d, 0);
  appendMap(d, 1, coordinates);
  appendSingle(d, 2);
  if (with.multicast)
    appendSingle(d, 3);
  d.instruction.execute = tensorLoad;
}

} // namespace

void decodeTensorCopy(Decoding &d) {
  auto &with = d.instruction.with;
  with.dimensions = dimensionsOf(d);
  with.shape = d.has("tile::gather4") || d.has("tile::scatter4");
  if (d.has("im2col") || d.has("im2col_no_offs"))
    d.unsupported();
  const uint32_t coordinates = with.shape ? 5 : with.dimensions;
  if (d.has("prefetch")) {
    d.expectOperands(1, 2);
    appendMap(d, 0, coordinates);
    d.instruction.execute = tensorPrefetch;
    return;
  }
  d.instruction.startsAsync = true;
  if (d.has("mbarrier::complete_tx::bytes"))
    return decodeLoad(d, coordinates);
  d.expectOperands(2, 3);
  appendMap(d, 0, coordinates);
  appendSingle(d, 1);
  with.mode = d.parts[1] == "reduce";
  static constexpr std::string_view reductions[] = {"add", "min", "max", "inc",
                                                    "dec", "and", "or",  "xor"};
  for (uint8_t n = 0; with.mode && n < std::size(reductions); ++n)
    if (d.has(reductions[n]))
      with.operation = n;
  d.instruction.execute = tensorStore;
}

} // namespace fa4::emulator
