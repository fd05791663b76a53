#include "runtime/emulator/Waiting.h"

#include "runtime/emulator/Announce.h"
#include "runtime/emulator/Machine.h"
#include "runtime/emulator/Mbarrier.h"
#include "runtime/emulator/TmemAllocation.h"

#include <fmt/format.h>

namespace fa4::emulator {

namespace {

CopyGroups *groupsOf(std::map<uint32_t, CopyGroups> &groups, uint32_t lane) {
  auto found = groups.find(lane);
  return found == groups.end() ? nullptr : &found->second;
}

bool groupsDone(std::map<uint32_t, CopyGroups> &groups,
                const Fragment &fragment) {
  bool done = true;
  forEachLane(fragment.wait.mask, [&](uint32_t lane) {
    if (CopyGroups *own = groupsOf(groups, lane))
      done &= own->done(fragment.wait.id, fragment.wait.parity);
  });
  return done;
}

} // namespace

bool ready(Machine &machine, Warp &warp, const Fragment &fragment) {
  const Wait &wait = fragment.wait;
  Cta &cta = *warp.cta;
  switch (wait.kind) {
  case WaitKind::None:
    return true;
  case WaitKind::Converge:
  case WaitKind::WarpSync:
    return false;
  case WaitKind::Mbarrier:
    return wait.expired ||
           testMbarrier(machine, cta, wait.address, wait.parity);
  case WaitKind::NamedBarrier:
    return cta.barriers[wait.id].generation != wait.generation;
  case WaitKind::ClusterBarrier:
    return cta.cluster->generation != wait.generation;
  case WaitKind::BulkGroup:
    return groupsDone(warp.bulkGroups, fragment);
  case WaitKind::CopyGroup:
    return groupsDone(warp.copyGroups, fragment);
  case WaitKind::WgmmaGroup:
    return warp.wgmmaGroups.done(wait.id, false);
  case WaitKind::Poll:
    return wait.expired || machine.progress != wait.generation;
  case WaitKind::TmemColumns:
    return freeTmemColumns(cta, wait.id).has_value();
  case WaitKind::Registers:
    return cta.registerPool >= wait.id - warp.registers;
  }
  return false;
}

namespace {

std::string describeMbarrier(Machine &machine, Warp &warp, const Wait &wait) {
  Mbarrier barrier;
  try {
    barrier = readMbarrier(machine, *warp.cta, wait.address);
  } catch (const Fault &) {
    return fmt::format("mbarrier 0x{:x}, which is no longer valid",
                       wait.address);
  }
  std::string text = fmt::format(
      "mbarrier 0x{:x}: the phase of parity {} is not complete, {} of {} "
      "arrivals and {} bytes pending",
      wait.address, int(wait.parity), barrier.pending, barrier.expected,
      barrier.tx);
  auto last =
      machine.lastArrivals.find({warp.cta->cluster->linear, wait.address});
  if (last != machine.lastArrivals.end() && last->second)
    text += fmt::format("; last changed by {} at line {}",
                        machine.program.opcodes[last->second->opcode],
                        last->second->line);
  return text;
}

} // namespace

std::string describeWait(Machine &machine, Warp &warp,
                         const Fragment &fragment) {
  const Wait &wait = fragment.wait;
  switch (wait.kind) {
  case WaitKind::None:
    return "nothing";
  case WaitKind::Converge:
    return fmt::format("the other lanes of its warp (lanes 0x{:x} are here)",
                       fragment.mask);
  case WaitKind::WarpSync:
    return fmt::format("bar.warp.sync of lanes 0x{:x}", wait.mask);
  case WaitKind::Mbarrier:
    return describeMbarrier(machine, warp, wait);
  case WaitKind::NamedBarrier: {
    const NamedBarrier &barrier = warp.cta->barriers[wait.id];
    return fmt::format("barrier {}: {} of {} threads arrived", wait.id,
                       barrier.arrived, barrier.expected);
  }
  case WaitKind::ClusterBarrier:
    return fmt::format("the cluster barrier: {} of {} threads arrived",
                       warp.cta->cluster->arrived,
                       warp.cta->cluster->liveLanes);
  case WaitKind::BulkGroup:
    return fmt::format("bulk copies, at most {} groups pending", wait.id);
  case WaitKind::CopyGroup:
    return fmt::format("cp.async copies, at most {} groups pending", wait.id);
  case WaitKind::WgmmaGroup:
    return fmt::format("wgmma, at most {} groups pending", wait.id);
  case WaitKind::Poll:
    return fmt::format("a change of 0x{:x}, {}", wait.polled,
                       machine.memory.describe(wait.polled));
  case WaitKind::TmemColumns:
    return fmt::format("{} free TMEM columns", wait.id);
  case WaitKind::Registers:
    return fmt::format("{} registers for each thread; the warp has {}, the "
                       "pool {}",
                       wait.id, warp.registers, warp.cta->registerPool);
  }
  return "";
}

void completeBarrier(Cta &cta, NamedBarrier &barrier) {
  uint32_t expected = barrier.expected;
  if (barrier.wholeCta)
    expected = cta.liveWarps * 32;
  if (barrier.arrived == 0 || barrier.arrived < expected)
    return;
  barrier.arrived = 0;
  ++barrier.generation;
  if (Checker *checker = cta.cluster->checker.get())
    checker->barrierComplete(
        cta.rank, static_cast<uint32_t>(&barrier - cta.barriers.data()));
}

void completeClusterBarrier(Cluster &cluster) {
  if (cluster.arrived == 0 || cluster.arrived < cluster.liveLanes)
    return;
  cluster.arrived = 0;
  ++cluster.generation;
  if (cluster.checker)
    cluster.checker->clusterComplete();
}

} // namespace fa4::emulator
