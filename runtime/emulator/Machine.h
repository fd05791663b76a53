// One launch: the resident clusters, the async units and everything that a
// handler may touch.
#pragma once

#include "runtime/emulator/AsyncUnits.h"
#include "runtime/emulator/State.h"

#include <map>
#include <random>
#include <string>

namespace fa4::emulator {

/// Thrown by handlers and async operations: becomes a report at the current
/// instruction and ends the launch.
struct Fault {
  std::string check;
  std::string message;
};

class GlobalShadow;

struct Machine {
  const Program &program;
  const Function &function;
  GlobalMemory &memory;
  const LaunchConfig &config;
  const Options &options;
  Dim3 cluster; // CTAs of one cluster
  std::vector<std::byte> parameters;
  std::vector<uint64_t> globals; // address of each module variable
  uint64_t nextCluster = 0;
  std::vector<uint64_t> dispatch; // order of clusters; empty: ascending
  std::vector<std::unique_ptr<Cluster>> resident;
  AsyncUnits async;
  std::shared_ptr<GlobalShadow> globalShadow; // null: nothing to check
  Statistics statistics;
  std::vector<uint64_t> executed; // by instruction
  std::vector<Report> reports;
  bool watchesFragments = false; // of wgmma, for a check
  uint64_t progress = 0;         // changes that may wake a waiter
  uint64_t steps = 0;
  std::mt19937_64 random;
  const Instruction *current = nullptr; // for faults
  /// Who changed an mbarrier last, by CTA and address, for deadlock reports.
  std::map<std::pair<uint64_t, uint32_t>, const Instruction *> lastArrivals;

  Machine(const Program &program, const Function &function,
          GlobalMemory &memory, const LaunchConfig &config,
          const Options &options);

  /// A report without the end of the launch; one for each place and check.
  void report(const std::string &check, const std::string &message);

  /// The CTA that owns a shared::cluster address; faults if there is none.
  Cta &ctaOf(Cta &cta, uint32_t address);
};

[[noreturn]] inline void fault(const char *check, std::string message) {
  throw Fault{check, std::move(message)};
}

/// "cta (1,0,0) warp 3 lane 5"
std::string describe(const Warp &warp, uint32_t lane);

} // namespace fa4::emulator
