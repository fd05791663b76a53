// bar, barrier, barrier.cluster, bar.warp.sync, fences.
#include "runtime/emulator/Announce.h"
#include "runtime/emulator/Families.h"
#include "runtime/emulator/Lanes.h"
#include "runtime/emulator/Machine.h"
#include "runtime/emulator/Waiting.h"

#include <fmt/format.h>

namespace fa4::emulator {

namespace {

enum BarrierForm : uint8_t { Sync, Arrive, ReducePopc, ReduceAnd, ReduceOr };

/// Operands: id, thread count (0: the whole CTA).
Outcome ctaBarrier(Context &c, const Instruction &i) {
  const uint64_t id = uniformValue(c, c.operand(i, 0));
  const uint64_t threads = uniformValue(c, c.operand(i, 1));
  if (id >= c.cta.barriers.size())
    fault("barrier", fmt::format("barrier {} does not exist", id));
  if (threads % 32 != 0 || threads > 1024)
    fault("barrier", fmt::format("barrier {} with {} threads", id, threads));
  NamedBarrier &barrier = c.cta.barriers[id];
  const bool whole = i.with.count == 0;
  const auto expected =
      static_cast<uint32_t>(whole ? c.cta.warps.size() * 32 : threads);
  if (barrier.arrived > 0 && barrier.expected != expected)
    fault("barrier",
          fmt::format("barrier {} is used with {} and with {} threads", id,
                      barrier.expected, expected));
  barrier.expected = expected;
  barrier.wholeCta = whole;
  // An aligned barrier counts whole warps.
  barrier.arrived += i.convergence == Convergence::Aligned
                         ? 32
                         : static_cast<uint32_t>(__builtin_popcount(c.mask));
  if (barrier.arrived > barrier.expected)
    fault("barrier", fmt::format("{} threads arrived at barrier {}, which "
                                 "expects {}",
                                 barrier.arrived, id, barrier.expected));
  ++c.machine.progress;
  const uint64_t generation = barrier.generation;
  Checker *checker = checkerOf(c);
  const Who who = whoOf(c, i, c.mask);
  if (checker)
    checker->barrierArrive(who, static_cast<uint32_t>(id));
  completeBarrier(c.cta, barrier);
  if (i.with.operation == Arrive)
    return Outcome::Next;
  if (barrier.generation != generation) {
    if (checker)
      checker->barrierPass(who, static_cast<uint32_t>(id));
    return Outcome::Next;
  }
  c.fragment.wait = {};
  c.fragment.wait.kind = WaitKind::NamedBarrier;
  c.fragment.wait.resume = true;
  c.fragment.wait.id = static_cast<uint32_t>(id);
  c.fragment.wait.generation = generation;
  return Outcome::Block;
}

Outcome warpBarrier(Context &c, const Instruction &i) {
  const auto mask =
      static_cast<uint32_t>(uniformValue(c, c.operand(i, 0))) & c.warp.live;
  if ((c.mask & ~mask) != 0)
    fault("divergence",
          fmt::format("bar.warp.sync with mask 0x{:x} by lanes 0x{:x}", mask,
                      c.mask));
  if (c.mask == mask) {
    if (Checker *checker = checkerOf(c))
      checker->warpSync(whoOf(c, i, c.mask));
    return Outcome::Next;
  }
  c.fragment.wait = {};
  c.fragment.wait.kind = WaitKind::WarpSync;
  c.fragment.wait.resume = true;
  c.fragment.wait.mask = mask;
  return Outcome::Block;
}

Outcome clusterArrive(Context &c, const Instruction &i) {
  Cluster &cluster = *c.cta.cluster;
  c.warp.clusterGeneration = cluster.generation;
  if (cluster.checker)
    cluster.checker->clusterArrive(whoOf(c, i, c.mask), i.with.mode);
  cluster.arrived += static_cast<uint32_t>(__builtin_popcount(c.mask));
  completeClusterBarrier(cluster);
  ++c.machine.progress;
  return Outcome::Next;
}

Outcome clusterWait(Context &c, const Instruction &i) {
  if (c.cta.cluster->generation != c.warp.clusterGeneration) {
    if (Checker *checker = checkerOf(c))
      checker->clusterWait(whoOf(c, i, c.mask));
    return Outcome::Next;
  }
  c.fragment.wait = {};
  c.fragment.wait.kind = WaitKind::ClusterBarrier;
  c.fragment.wait.resume = true;
  c.fragment.wait.generation = c.warp.clusterGeneration;
  return Outcome::Block;
}

void decodeClusterBarrier(Decoding &d) {
  d.expectOperands(0, 0);
  if (!d.has("arrive") && !d.has("wait"))
    d.unsupported();
  d.instruction.with.mode = d.has("relaxed");
  d.instruction.execute = d.has("arrive") ? clusterArrive : clusterWait;
  if (d.has("aligned"))
    d.instruction.convergence = Convergence::Aligned;
}

} // namespace

void decodeBarrier(Decoding &d) {
  if (d.has("cluster"))
    return decodeClusterBarrier(d);
  if (d.has("warp")) {
    d.appendScalars(1);
    d.instruction.execute = warpBarrier;
    return;
  }
  if (d.has("red"))
    d.unsupported();
  d.expectOperands(1, 2);
  const bool arrives = d.has("arrive");
  if (arrives && d.operandCount() == 1)
    d.fail("an arrive needs a thread count");
  d.append(0);
  if (d.operandCount() == 2)
    d.append(1);
  else
    d.appendValue(0);
  d.instruction.with.operation = arrives ? Arrive : Sync;
  d.instruction.with.count = d.operandCount() == 2;
  d.instruction.execute = ctaBarrier;
  // `bar` is `barrier.aligned`.
  if (d.parts[0] == "bar" || d.has("aligned"))
    d.instruction.convergence = Convergence::Aligned;
}

namespace {

/// Memory is sequentially consistent here; only a checker looks at fences.
Outcome fence(Context &c, const Instruction &i) {
  if (Checker *checker = checkerOf(c))
    checker->fence(whoOf(c, i, c.mask),
                   static_cast<FenceKind>(i.with.operation));
  return Outcome::Next;
}

FenceKind fenceKind(const Decoding &d) {
  if (d.has("mbarrier_init"))
    return FenceKind::MbarrierInit;
  if (d.has("fence::before_thread_sync"))
    return FenceKind::TcgenBefore;
  if (d.has("fence::after_thread_sync"))
    return FenceKind::TcgenAfter;
  if (!d.has("proxy"))
    return FenceKind::Memory;
  if (d.has("async")) {
    return d.has("global") ? FenceKind::ProxyAsyncGlobal
           : d.has("shared::cta") || d.has("shared::cluster")
               ? FenceKind::ProxyAsyncShared
               : FenceKind::ProxyAsync;
  }
  return FenceKind::TensormapAcquire;
}

} // namespace

void decodeFence(Decoding &d) {
  decodeNothing(d);
  d.instruction.with.operation = static_cast<uint8_t>(fenceKind(d));
  d.instruction.execute = fence;
}

void decodeGridDependency(Decoding &d) {
  decodeNothing(d);
  if (d.has("wait"))
    d.instruction.execute = gridDependency;
}

} // namespace fa4::emulator
