// Runs PTX kernels on the CPU: load a module, allocate memory, launch, read
// the reports.
#pragma once

#include "runtime/emulator/GlobalMemory.h"
#include "runtime/emulator/Mutation.h"
#include "runtime/emulator/Statistics.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace fa4::emulator {

struct Program;

struct Dim3 {
  uint32_t x = 1, y = 1, z = 1;
  uint64_t count() const { return uint64_t(x) * y * z; }
};

/// Fifo: round robin. Random: a seeded interleaving. Eager: async units act as
/// early as possible and warps run slowly. Late: every async operation acts at
/// the last legal moment. Each is deterministic for a given seed.
enum class Schedule { Fifo, Random, Eager, Late };

struct Checks {
  bool race = false, init = false, bounds = true, proxy = false, tmem = true,
       barrier = true;
  /// Adds the rules that only our own kernels must follow.
  bool strict = false;
  /// Additions by CTAs to one sum must be ordered, as in a kernel whose sums
  /// have the same bits in every run. Part of race.
  bool order = false;
};

struct Options {
  Schedule schedule = Schedule::Fifo;
  uint64_t seed = 0;
  Checks checks;
  unsigned resident = 2;                  // clusters that run at the same time
  uint64_t stepLimit = uint64_t(1) << 40; // warp instructions of one launch
  /// Warp instructions without a store, arrival or other change that somebody
  /// could wait for, until it is a livelock.
  uint64_t livelockLimit = uint64_t(1) << 26;
  /// Async operations, by issue order, that act only when nothing else can.
  /// Under the Fifo schedule.
  std::set<uint64_t> delayed;
  std::optional<Mutation> mutation; // a kernel broken on purpose
};

struct ParameterInfo {
  std::string name;
  uint32_t size;      // bytes
  uint32_t alignment; // bytes
};

struct EntryInfo {
  std::string name;
  std::vector<ParameterInfo> parameters;
  Dim3 block;                // .reqntid, or 0,0,0
  Dim3 cluster;              // .reqnctapercluster, or 0,0,0
  uint32_t staticShared = 0; // bytes
};

/// A parsed and decoded PTX module; immutable, shared by launches.
class Module {
public:
  /// Throw fa4::Error "file:line: what" for malformed or unsupported PTX.
  static Module parse(std::string_view text, std::string_view fileName);
  static Module load(const std::string &path);

  const std::vector<EntryInfo> &entries() const;
  const EntryInfo &entry(std::string_view name) const; // throws if absent
  /// Every way to weaken one synchronizing instruction of an entry.
  std::vector<Mutation> mutations(std::string_view entry) const;
  MutationSite site(std::string_view entry, const Mutation &mutation) const;
  const Program &program() const { return *decoded; }

private:
  std::shared_ptr<const Program> decoded;
};

struct LaunchConfig {
  std::string entry;
  Dim3 grid, block;
  Dim3 cluster{0, 0, 0};      // zeros: what the entry states, else 1,1,1
  uint32_t dynamicShared = 0; // bytes
  /// The bytes of each parameter in order; a tensor map is its 128 bytes.
  std::vector<std::vector<std::byte>> parameters;
  /// What reports call each warp of a CTA; may be empty or too short.
  std::vector<std::string> warpNames;
};

/// Something wrong that the kernel did. `check` is one of race, init, bounds,
/// proxy, tmem, barrier, divergence, deadlock, livelock, limit, invalid.
struct Report {
  std::string check;
  std::string message; // several lines for a deadlock
  uint32_t ptxLine = 0;
  std::string source; // "file:line" from .loc, or empty
  std::string text() const;
};

struct LaunchResult {
  std::vector<Report> reports; // empty: the kernel ran without a finding
  Statistics statistics;
  bool completed = false; // every CTA ran to its end
};

/// Throws fa4::Error when the launch itself is wrong (unknown entry, parameter
/// count or size, block larger than 1024, grid no multiple of the cluster, too
/// much shared memory); what the kernel does wrong is reported in the result.
/// The first report of a fatal kind ends the launch.
LaunchResult launch(const Module &module, GlobalMemory &memory,
                    const LaunchConfig &config, const Options &options = {});

} // namespace fa4::emulator
