// tcgen05.mma, cp, commit: one in-order queue for each issuing thread.
#include "runtime/emulator/Addresses.h"
#include "runtime/emulator/Announce.h"
#include "runtime/emulator/Families.h"
#include "runtime/emulator/Lanes.h"
#include "runtime/emulator/Machine.h"
#include "runtime/emulator/Mbarrier.h"
#include "runtime/emulator/Tcgen05Mma.h"
#include "runtime/emulator/TmemAllocation.h"

#include <fmt/format.h>

namespace fa4::emulator {

namespace {

uint64_t queueOf(const Warp &warp, uint32_t lane) {
  return (warp.cta->linear * 32 + warp.index) * 32 + lane;
}

/// The CTAs that a cta_group works on, the even one first.
std::vector<Cta *> groupOf(Cta &cta, uint32_t group) {
  if (group == 1)
    return {&cta};
  auto &ctas = cta.cluster->ctas;
  const uint32_t even = cta.rank & ~1u;
  if (even + 1 >= ctas.size())
    fault("tmem", "cta_group::2 outside of a pair of CTAs");
  return {ctas[even].get(), ctas[even + 1].get()};
}

CtaMemories memoriesOf(Cta &cta) { return {cta.shared, tmemOf(cta)}; }

/// Operands: D, A, B, idesc, enable-input-d, lane masks, scale.
MmaRequest readRequest(Context &c, const Instruction &i, uint32_t lane) {
  MmaRequest request;
  request.form = {static_cast<MmaKind>(i.with.type), i.with.ctaGroup,
                  i.with.isSigned, i.with.mode};
  auto value = [&](uint32_t n) { return laneValue(c, c.operand(i, n), lane); };
  request.d = static_cast<uint32_t>(value(0));
  request.a = value(1);
  request.b = value(2);
  request.idesc = static_cast<uint32_t>(value(3));
  request.accumulate = (predicateMask(c, c.operand(i, 4)) >> lane) & 1;
  if (i.with.vector) {
    request.disabledLanes.emplace();
    for (uint32_t n = 0; n < i.with.vector; ++n)
      (*request.disabledLanes)[n] = static_cast<uint32_t>(value(5 + n));
  }
  if (i.with.count)
    request.scaleInputD = static_cast<uint32_t>(value(5 + i.with.vector));
  return request;
}

void announceFootprint(Checker &checker, AsyncToken token, uint32_t cta,
                       const TensorFootprint &footprint) {
  checker.asyncSharedChunks(token, cta, footprint.sharedChunks);
  for (const TmemRect &rect : footprint.tmemReads)
    checker.asyncTmem(token, AccessMode::Read, cta, rect);
  for (const TmemRect &rect : footprint.tmemWrites)
    checker.asyncTmem(token, AccessMode::Write, cta, rect);
  for (const TmemRect &rect : footprint.tmemUpdates)
    checker.asyncTmem(token, AccessMode::Update, cta, rect);
}

void checkTmem(const MmaRequest &request, Cta &cta, uint32_t n) {
  checkTmemColumns(cta, tmemColumn(request.d), n);
  if (request.form.aInTmem)
    checkTmemColumns(cta, tmemColumn(static_cast<uint32_t>(request.a)), 8);
}

void announceMma(Cta &cta, const MmaRequest &request, AsyncToken token) {
  Checker *checker = cta.cluster->checker.get();
  if (!checker)
    return;
  TensorFootprint footprints[2];
  mmaFootprint(request, footprints);
  uint32_t n = 0;
  for (Cta *member : groupOf(cta, request.form.ctaGroup))
    announceFootprint(*checker, token, member->rank, footprints[n++]);
  checker->finish(token);
}

void runMma(Machine &machine, Cta &cta, const MmaRequest &request,
            AsyncToken token) {
  const auto idesc = decodeInstructionDescriptor(request.idesc, request.form);
  const uint32_t depth = instructionDepth(request.form.kind);
  std::vector<CtaMemories> memories;
  // With M=128 over two CTAs each holds all of its rows in half the columns.
  const bool halves = request.form.ctaGroup == 2 && idesc.m == 128;
  for (Cta *member : groupOf(cta, request.form.ctaGroup)) {
    checkTmem(request, *member, halves ? idesc.n / 2 : idesc.n);
    memories.push_back(memoriesOf(*member));
  }
  announceMma(cta, request, token);
  executeMma(request, memories);
  Statistics &s = machine.statistics;
  s.mmaFlops += uint64_t(2) * idesc.m * idesc.n * depth;
  s.mmaSharedBytes +=
      32 * (uint64_t(request.form.aInTmem ? 0 : idesc.m) + idesc.n);
}

Outcome mma(Context &c, const Instruction &i) {
  Machine &machine = c.machine;
  if (__builtin_popcount(c.mask) != 1)
    fault("divergence",
          fmt::format("tcgen05.mma is issued by {} lanes at once; one thread "
                      "issues it",
                      __builtin_popcount(c.mask)));
  forEachLane(c.mask, [&](uint32_t lane) {
    MmaRequest request = readRequest(c, i, lane);
    const AsyncToken token = announceIssue(c, i, lane, AsyncKind::Tensor);
    machine.async.issue(queueOf(c.warp, lane),
                        {&i, &c.cta, [&machine, cta = &c.cta, request, token] {
                           runMma(machine, *cta, request, token);
                         }});
  });
  return Outcome::Next;
}

/// Operands: TMEM address, descriptor.
Outcome copy(Context &c, const Instruction &i) {
  Machine &machine = c.machine;
  forEachLane(c.mask, [&](uint32_t lane) {
    CopyRequest request{
        static_cast<TmemCopyShape>(i.with.shape), i.with.ctaGroup,
        static_cast<uint32_t>(laneValue(c, c.operand(i, 0), lane)),
        laneValue(c, c.operand(i, 1), lane)};
    const AsyncToken token = announceIssue(c, i, lane, AsyncKind::Tensor);
    auto act = [request, cta = &c.cta, token] {
      for (Cta *member : groupOf(*cta, request.ctaGroup)) {
        if (Checker *checker = cta->cluster->checker.get()) {
          TensorFootprint footprint;
          copyFootprint(request, footprint);
          announceFootprint(*checker, token, member->rank, footprint);
        }
        checkTmemColumns(*member, tmemColumn(request.tmem),
                         copyRowBytes(request.shape) / 4);
        executeCopy(request, memoriesOf(*member));
      }
      if (Checker *checker = cta->cluster->checker.get())
        checker->finish(token);
    };
    machine.async.issue(queueOf(c.warp, lane), {&i, &c.cta, std::move(act)});
  });
  return Outcome::Next;
}

/// Operands: mbarrier, CTA mask.
Outcome commit(Context &c, const Instruction &i) {
  Machine &machine = c.machine;
  forEachLane(c.mask, [&](uint32_t lane) {
    const uint32_t address = sharedAddress(c, c.operand(i, 0), lane);
    uint32_t mask = 0;
    if (i.with.multicast)
      mask = laneValue(c, c.operand(i, 1), lane) & 0xffff;
    const AsyncToken token = announceIssue(c, i, lane, AsyncKind::Tensor);
    auto act = [&machine, cta = &c.cta, address, mask, token,
                multicast = i.with.multicast] {
      auto arrive = [&](uint32_t barrier) {
        if (Checker *checker = cta->cluster->checker.get())
          checker->asyncArrive(token, barrier);
        arriveMbarrier(machine, *cta, barrier, 1);
      };
      if (!multicast)
        arrive(address);
      forEachLane(mask, [&](uint32_t rank) {
        arrive((address & 0xffffff) | rank << 24);
      });
      if (Checker *checker = cta->cluster->checker.get())
        checker->finish(token);
    };
    machine.async.issue(queueOf(c.warp, lane), {&i, &c.cta, std::move(act)});
  });
  return Outcome::Next;
}

void decodeMma(Decoding &d) {
  auto &with = d.instruction.with;
  static constexpr std::pair<std::string_view, MmaKind> kinds[] = {
      {"kind::f16", MmaKind::F16},
      {"kind::tf32", MmaKind::Tf32},
      {"kind::f8f6f4", MmaKind::F8f6f4},
      {"kind::i8", MmaKind::I8}};
  bool known = false;
  for (auto [name, kind] : kinds)
    if (d.has(name)) {
      with.type = static_cast<uint8_t>(kind);
      known = true;
    }
  if (!known || d.has("block_scale") || d.has("sp") || d.has("ashift") ||
      with.ctaGroup == 0)
    d.unsupported();
  with.isSigned = d.has("ws");
  d.expectOperands(5, 7);
  with.mode = d.ast(1).kind == ast::OperandKind::Address;
  size_t next = 4;
  const bool masked = d.ast(next).kind == ast::OperandKind::Vector;
  if (masked) {
    const uint32_t words = with.ctaGroup == 2 ? 8 : 4;
    if (d.width(next) != words)
      d.fail(fmt::format("the lane mask has {} words, not {}", words,
                         d.width(next)));
    with.vector = static_cast<uint8_t>(words);
    ++next;
  } else {
    with.vector = 0;
  }
  if (d.operandCount() > next + 2 || d.operandCount() <= next)
    d.unsupported();
  with.count = d.operandCount() == next + 2;
  if (with.count && with.isSigned)
    d.unsupported(); // a zero-column mask
  for (size_t n : {size_t(0), size_t(1), size_t(2), size_t(3), next}) {
    if (d.width(n) != 1)
      d.fail(fmt::format("operand {} of '{}' must be a single value", n + 1,
                         d.statement.opcode));
    d.append(n);
  }
  if (masked)
    d.append(4);
  if (with.count)
    d.append(next + 1);
  d.instruction.execute = mma;
}

void decodeCopyShape(Decoding &d) {
  static constexpr std::pair<std::string_view, TmemCopyShape> shapes[] = {
      {"128x256b", TmemCopyShape::S128x256b},
      {"128x128b", TmemCopyShape::S128x128b},
      {"32x128b", TmemCopyShape::S32x128bWarpx4}};
  if (d.has("b8x16"))
    d.unsupported();
  d.appendScalars(2);
  d.instruction.execute = copy;
  auto set = [&](TmemCopyShape shape) {
    d.instruction.with.shape = static_cast<uint16_t>(shape);
  };
  if (d.has("64x128b") && d.has("warpx2::02_13"))
    return set(TmemCopyShape::S64x128bWarpx2_02_13);
  if (d.has("64x128b") && d.has("warpx2::01_23"))
    return set(TmemCopyShape::S64x128bWarpx2_01_23);
  for (auto [name, shape] : shapes)
    if (d.has(name))
      return set(shape);
  d.unsupported();
}

} // namespace

void decodeTensorCore(Decoding &d) {
  std::string_view name = d.parts.size() > 1 ? d.parts[1] : "";
  auto &with = d.instruction.with;
  with.ctaGroup = d.has("cta_group::2") ? 2 : 1;
  d.instruction.startsAsync = true;
  if (name == "mma")
    return decodeMma(d);
  if (name == "cp")
    return decodeCopyShape(d);
  if (name != "commit")
    d.unsupported();
  with.multicast = d.has("multicast::cluster");
  d.appendScalars(with.multicast ? 2 : 1);
  d.instruction.execute = commit;
}

} // namespace fa4::emulator
