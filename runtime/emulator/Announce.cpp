#include "runtime/emulator/Announce.h"

#include "runtime/emulator/Addresses.h"
#include "runtime/emulator/Machine.h"
#include "runtime/emulator/check/GlobalShadow.h"

#include <fmt/format.h>

#include <algorithm>

namespace fa4::emulator {

std::string describeSite(const Machine &machine, uint32_t site) {
  const Instruction &i = machine.function.code[site];
  std::string source;
  if (i.sourceLine && i.sourceFile < machine.program.sourceFiles.size())
    source = fmt::format(" ({}:{})", machine.program.sourceFiles[i.sourceFile],
                         i.sourceLine);
  return fmt::format("line {}{} {}", i.line, source,
                     machine.program.opcodes[i.opcode]);
}

namespace {

CheckFamilies familiesOf(const Checks &checks) {
  return {checks.race,    checks.init,   checks.proxy, checks.tmem,
          checks.barrier, checks.strict, checks.order};
}

bool waitsForGrid(const Function &function) {
  return std::any_of(
      function.code.begin(), function.code.end(),
      [](const Instruction &i) { return i.execute == gridDependency; });
}

/// The addresses of one memory kind among the lanes.
struct LaneSet {
  uint32_t lanes = 0;
  uint64_t addresses[32];
  void add(uint32_t lane, uint64_t address) {
    lanes |= 1u << lane;
    addresses[lane] = address;
  }
};

} // namespace

Outcome gridDependency(Context &c, const Instruction &i) {
  if (Checker *checker = checkerOf(c))
    checker->gridWait(whoOf(c, i, c.mask));
  return Outcome::Next;
}

std::unique_ptr<Checker> makeChecker(Machine &machine, const Cluster &cluster) {
  const Checks &checks = machine.options.checks;
  if (!checks.race && !checks.init && !checks.proxy && !checks.strict)
    return nullptr;
  const Cta &cta = *cluster.ctas[0];
  CheckerSetup setup;
  setup.ctas = static_cast<uint32_t>(cluster.ctas.size());
  setup.warps = static_cast<uint32_t>(cta.warps.size());
  setup.lastWarpLanes =
      static_cast<uint32_t>(__builtin_popcount(cta.warps.back()->live));
  setup.warpNames = machine.config.warpNames;
  setup.sharedBytes = static_cast<uint32_t>(cta.shared.size());
  setup.families = familiesOf(checks);
  setup.cluster = static_cast<uint32_t>(cluster.linear);
  if (machine.config.grid.count() > cluster.ctas.size()) {
    if (!machine.globalShadow)
      machine.globalShadow = std::make_shared<GlobalShadow>();
    setup.global = machine.globalShadow;
  }
  setup.waitsForGrid = waitsForGrid(machine.function);
  setup.describe = [&machine](uint32_t site) {
    return describeSite(machine, site);
  };
  setup.report = [&machine](const Finding &finding) {
    const Instruction *current = machine.current;
    machine.current = &machine.function.code[finding.site];
    machine.report(finding.check, finding.message);
    machine.current = current;
  };
  return std::make_unique<Checker>(std::move(setup));
}

void announceAccess(Context &c, const Instruction &i, MemorySpace space,
                    const uint64_t *addresses, uint32_t bytes, AccessMode mode,
                    Strength strength) {
  Checker *checker = checkerOf(c);
  if (!checker)
    return;
  LaneSet sets[2]; // by MemoryKind
  forEachLane(c.mask, [&](uint32_t lane) {
    uint64_t address = addresses[lane];
    MemorySpace own = space;
    if (own == MemorySpace::Generic)
      own = resolveGeneric(address);
    if (own == MemorySpace::Shared || own == MemorySpace::SharedCluster)
      sets[0].add(lane, address & 0xffffffff);
    else if (own == MemorySpace::Global)
      sets[1].add(lane, address);
  });
  for (MemoryKind kind : {MemoryKind::Shared, MemoryKind::Global}) {
    const LaneSet &set = sets[static_cast<int>(kind)];
    if (!set.lanes)
      continue;
    const Who who = whoOf(c, i, set.lanes);
    MemoryAccess access{kind, mode, bytes};
    if (!strength.strong)
      checker->access(who, access, set.addresses);
    if (strength.strong) {
      // Strong accesses do not race with each other.
      checker->access(who, {kind, AccessMode::Atomic, bytes}, set.addresses);
      checker->synchronize(who, access, set.addresses, strength.order);
    }
  }
}

} // namespace fa4::emulator
