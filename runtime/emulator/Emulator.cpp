#include "runtime/emulator/Emulator.h"

#include "runtime/AtomicFile.h"
#include "runtime/Error.h"
#include "runtime/emulator/Decoder.h"
#include "runtime/emulator/Machine.h"
#include "runtime/emulator/Mutate.h"
#include "runtime/emulator/Parser.h"
#include "runtime/emulator/Scheduler.h"

namespace fa4::emulator {

namespace {

const Function &findFunction(const Program &program, std::string_view name) {
  for (const Function &function : program.functions)
    if (function.info.name == name)
      return function;
  fail("{} has no entry '{}'", program.file, name);
}

} // namespace

Module Module::parse(std::string_view text, std::string_view fileName) {
  const std::string file(fileName);
  Module module;
  module.decoded =
      std::make_shared<const Program>(decodeModule(parsePtx(text, file)));
  return module;
}

Module Module::load(const std::string &path) {
  return parse(readTextFile(path), path);
}

const std::vector<EntryInfo> &Module::entries() const {
  return decoded->entries;
}

const EntryInfo &Module::entry(std::string_view name) const {
  for (const EntryInfo &entry : decoded->entries)
    if (entry.name == name)
      return entry;
  std::string known;
  for (const EntryInfo &entry : decoded->entries)
    known += (known.empty() ? "" : ", ") + entry.name;
  fail("{} has no entry '{}' (it has: {})", decoded->file, name,
       known.empty() ? "none" : known);
}

std::vector<Mutation> Module::mutations(std::string_view name) const {
  entry(name);
  return mutationsOf(*decoded, findFunction(*decoded, name));
}

MutationSite Module::site(std::string_view name,
                          const Mutation &mutation) const {
  entry(name);
  return siteOfMutation(*decoded, findFunction(*decoded, name), mutation);
}

std::string Report::text() const {
  std::string place = ptxLine ? fmt::format("line {}", ptxLine) : "";
  if (!source.empty())
    place += fmt::format("{}{}", place.empty() ? "" : ", ", source);
  return place.empty() ? fmt::format("{}: {}", check, message)
                       : fmt::format("{}: {}: {}", check, place, message);
}

namespace {

void checkParameters(const Function &function, const LaunchConfig &config) {
  const auto &wanted = function.info.parameters;
  if (wanted.size() != config.parameters.size())
    fail("entry '{}' takes {} parameters, not {}", config.entry, wanted.size(),
         config.parameters.size());
  for (size_t n = 0; n < wanted.size(); ++n)
    if (wanted[n].size != config.parameters[n].size())
      fail("parameter {} of entry '{}' has {} bytes, not {}", n, config.entry,
           wanted[n].size, config.parameters[n].size());
}

void checkShape(const Function &function, const LaunchConfig &config,
                const Dim3 &cluster) {
  const Dim3 &block = config.block, &grid = config.grid;
  if (block.count() == 0 || block.count() > 1024)
    fail("a block of {}x{}x{} threads; 1 to 1024 are possible", block.x,
         block.y, block.z);
  if (grid.count() == 0)
    fail("an empty grid of {}x{}x{}", grid.x, grid.y, grid.z);
  if (cluster.count() > 16 || grid.x % cluster.x || grid.y % cluster.y ||
      grid.z % cluster.z)
    fail("a grid of {}x{}x{} can't consist of clusters of {}x{}x{}", grid.x,
         grid.y, grid.z, cluster.x, cluster.y, cluster.z);
  const Dim3 &required = function.info.block;
  if (required.count() &&
      (required.x != block.x || required.y != block.y || required.z != block.z))
    fail("entry '{}' requires blocks of {}x{}x{}, not {}x{}x{}", config.entry,
         required.x, required.y, required.z, block.x, block.y, block.z);
  const uint32_t shared =
      function.dynamicSharedOffset - reservedShared + config.dynamicShared;
  if (config.dynamicShared > sharedLimit || shared > sharedLimit)
    fail("entry '{}' needs {} bytes of shared memory; {} are possible",
         config.entry, shared, sharedLimit);
}

/// Module variables live for one launch.
class GlobalVariables {
public:
  GlobalVariables(Machine &machine) : machine(machine) {
    for (const GlobalVariable &variable : machine.program.globals) {
      uint64_t address = machine.memory.allocate(variable.size, variable.name);
      std::vector<std::byte> bytes = variable.initial;
      bytes.resize(variable.size); // the rest is zero
      machine.memory.write(address, bytes);
      machine.globals.push_back(address);
    }
  }
  ~GlobalVariables() {
    for (uint64_t address : machine.globals)
      machine.memory.release(address);
  }

private:
  Machine &machine;
};

void countClasses(Machine &machine) {
  Statistics &statistics = machine.statistics;
  statistics.warpInstructions = machine.steps;
  statistics.executed = machine.executed;
  for (size_t n = 0; n < machine.executed.size(); ++n) {
    if (machine.executed[n])
      statistics.instructionsByClass
          [machine.program.classes[machine.function.code[n].opcodeClass]] +=
          machine.executed[n];
  }
}

} // namespace

LaunchResult launch(const Module &module, GlobalMemory &memory,
                    const LaunchConfig &config, const Options &options) {
  const Function &original = findFunction(module.program(), config.entry);
  checkParameters(original, config);
  Function mutated;
  if (options.mutation)
    mutated = mutate(original, *options.mutation);
  const Function &function = options.mutation ? mutated : original;
  Machine machine(module.program(), function, memory, config, options);
  checkShape(function, config, machine.cluster);
  GlobalVariables variables(machine);
  LaunchResult result;
  result.completed = runGrid(machine);
  countClasses(machine);
  result.statistics = machine.statistics;
  result.reports = std::move(machine.reports);
  return result;
}

} // namespace fa4::emulator
