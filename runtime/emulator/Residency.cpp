#include "runtime/emulator/Residency.h"

#include "runtime/emulator/Announce.h"

#include <algorithm>
#include <numeric>

namespace fa4::emulator {

namespace {

/// Registers of a thread at launch: the cap that the entry states, or the
/// largest number that lets the CTA fit.
uint32_t launchRegisters(const Machine &machine) {
  if (machine.function.registerCap)
    return machine.function.registerCap;
  const auto threads =
      static_cast<uint32_t>((machine.config.block.count() + 31) / 32 * 32);
  return std::min(65536 / threads / 8 * 8, 255u / 8 * 8);
}

std::unique_ptr<Warp> makeWarp(Machine &machine, Cta &cta, uint32_t index,
                               uint32_t lanes) {
  auto warp = std::make_unique<Warp>();
  warp->cta = &cta;
  warp->index = index;
  if (index < machine.config.warpNames.size())
    warp->name = machine.config.warpNames[index];
  warp->live = lanes;
  warp->registers = launchRegisters(machine);
  warp->fragments.reserve(33);
  warp->fragments.emplace_back();
  warp->fragments[0].mask = lanes;
  const Function &f = machine.function;
  // Poison: an uninitialized register shows as NaN.
  constexpr size_t slack = 16;
  warp->storage32.assign(size_t(f.rows32) * 32 + slack, ~0u);
  warp->storage64.assign(size_t(f.rows64) * 32 + slack, ~uint64_t(0));
  auto align = [](auto *pointer) {
    auto address = reinterpret_cast<uintptr_t>(pointer);
    return reinterpret_cast<decltype(pointer)>((address + 63) / 64 * 64);
  };
  warp->rows32 = align(warp->storage32.data());
  warp->rows64 = align(warp->storage64.data());
  warp->predicates.assign(f.predicates, 0);
  return warp;
}

std::unique_ptr<Cta> makeCta(Machine &machine, Cluster &cluster,
                             uint32_t rank) {
  auto cta = std::make_unique<Cta>();
  const Dim3 &size = machine.cluster, &grid = machine.config.grid;
  cta->cluster = &cluster;
  cta->rank = rank;
  cta->index = {cluster.index.x * size.x + rank % size.x,
                cluster.index.y * size.y + rank / size.x % size.y,
                cluster.index.z * size.z + rank / size.x / size.y};
  cta->linear =
      (uint64_t(cta->index.z) * grid.y + cta->index.y) * grid.x + cta->index.x;
  cta->shared.assign(machine.function.dynamicSharedOffset +
                         machine.config.dynamicShared,
                     std::byte(0xff));
  const auto threads = static_cast<uint32_t>(machine.config.block.count());
  for (uint32_t first = 0; first < threads; first += 32) {
    uint32_t lanes = std::min(threads - first, 32u);
    cta->warps.push_back(makeWarp(machine, *cta, first / 32,
                                  lanes == 32 ? ~0u : (1u << lanes) - 1));
  }
  cta->liveWarps = static_cast<uint32_t>(cta->warps.size());
  cluster.liveLanes += threads;
  return cta;
}

std::unique_ptr<Cluster> makeCluster(Machine &machine, uint64_t linear) {
  auto cluster = std::make_unique<Cluster>();
  const Dim3 &size = machine.cluster, &grid = machine.config.grid;
  const uint64_t x = grid.x / size.x, y = grid.y / size.y;
  cluster->linear = linear;
  cluster->index = {static_cast<uint32_t>(linear % x),
                    static_cast<uint32_t>(linear / x % y),
                    static_cast<uint32_t>(linear / x / y)};
  for (uint32_t rank = 0; rank < size.count(); ++rank)
    cluster->ctas.push_back(makeCta(machine, *cluster, rank));
  cluster->checker = makeChecker(machine, *cluster);
  return cluster;
}

void finishAsync(Machine &machine) {
  while (!machine.async.empty()) {
    AsyncOperation operation = machine.async.take(0);
    machine.current = operation.instruction;
    operation.act();
    ++machine.progress;
  }
}

void checkExit(Machine &machine, const Cta &cta) {
  auto leaked = std::find_if(cta.tmemOwner.begin(), cta.tmemOwner.end(),
                             [](int32_t owner) { return owner >= 0; });
  if (leaked != cta.tmemOwner.end())
    machine.report("tmem", "a CTA exits with TMEM columns allocated");
}

} // namespace

namespace {

uint64_t clusterCount(const Machine &machine) {
  return machine.config.grid.count() / machine.cluster.count();
}

uint64_t clusterAt(const Machine &machine, uint64_t place) {
  return machine.dispatch.empty() ? place : machine.dispatch[place];
}

} // namespace

void chooseDispatch(Machine &machine) {
  const Schedule schedule = machine.options.schedule;
  if (schedule != Schedule::Random && schedule != Schedule::Late)
    return;
  machine.dispatch.resize(clusterCount(machine));
  std::iota(machine.dispatch.rbegin(), machine.dispatch.rend(), uint64_t(0));
  // A source of its own: interleavings don't depend on the grid's size.
  std::mt19937_64 random(machine.options.seed);
  if (schedule == Schedule::Random)
    std::shuffle(machine.dispatch.begin(), machine.dispatch.end(), random);
}

bool admitClusters(Machine &machine) {
  const uint64_t total = clusterCount(machine);
  const size_t places = std::max(1u, machine.options.resident);
  while (machine.nextCluster < total && machine.resident.size() < places)
    machine.resident.push_back(
        makeCluster(machine, clusterAt(machine, machine.nextCluster++)));
  return !machine.resident.empty();
}

void retireClusters(Machine &machine) {
  auto &resident = machine.resident;
  auto finished = [](const std::unique_ptr<Cluster> &cluster) {
    return cluster->finished();
  };
  auto first = std::find_if(resident.begin(), resident.end(), finished);
  if (first == resident.end())
    return;
  // Operations may refer to the CTAs that go away.
  finishAsync(machine);
  for (const auto &cluster : resident) {
    if (finished(cluster)) {
      if (cluster->checker)
        cluster->checker->finishCluster();
      for (const auto &cta : cluster->ctas)
        checkExit(machine, *cta);
    }
  }
  resident.erase(std::remove_if(resident.begin(), resident.end(), finished),
                 resident.end());
}

} // namespace fa4::emulator
