#include "runtime/tools/fa4-emu/RunCommand.h"

#include "runtime/Error.h"
#include "runtime/emulator/Emulator.h"
#include "runtime/tools/fa4-emu/Arguments.h"

#include <charconv>
#include <memory>

namespace fa4 {
namespace {

struct RunOptions {
  std::string file, entry, grid = "1,1,1", block, cluster, schedule = "fifo",
                           checks = "all";
  std::vector<std::string> arguments;
  uint32_t shared = 0;
  uint64_t seed = 0, steps = emulator::Options().stepLimit;
  unsigned resident = emulator::Options().resident;
  bool stats = false, strict = false;
};

/// "X", "X,Y" or "X,Y,Z".
emulator::Dim3 parseDim(const char *option, const std::string &text) {
  uint32_t values[3] = {1, 1, 1};
  const char *at = text.data(), *end = at + text.size();
  for (int n = 0; n < 3; ++n) {
    auto [next, error] = std::from_chars(at, end, values[n]);
    if (error != std::errc() || values[n] == 0)
      break;
    if (next == end)
      return {values[0], values[1], values[2]};
    if (*next != ',')
      break;
    at = next + 1;
  }
  fail("{} {}: expected X,Y,Z, each at least 1", option, text);
}

emulator::Schedule parseSchedule(const std::string &text) {
  static constexpr std::string_view names[] = {"fifo", "random", "eager",
                                               "late"};
  for (size_t n = 0; n < std::size(names); ++n)
    if (text == names[n])
      return static_cast<emulator::Schedule>(n);
  fail("--schedule {}: expected fifo, random, eager or late", text);
}

emulator::Checks parseChecks(const std::string &text, bool strict) {
  emulator::Checks checks{false, false, false, false, false, false, strict};
  const std::pair<std::string_view, bool *> families[] = {
      {"race", &checks.race},     {"init", &checks.init},
      {"bounds", &checks.bounds}, {"proxy", &checks.proxy},
      {"tmem", &checks.tmem},     {"barrier", &checks.barrier}};
  for (std::string_view rest = text; !rest.empty();) {
    const std::string_view word = rest.substr(0, rest.find(','));
    rest.remove_prefix(std::min(rest.size(), word.size() + 1));
    bool known = word == "none";
    for (auto [name, flag] : families)
      if (word == name || word == "all")
        known = *flag = true;
    if (!known)
      fail("--check {}: expected a list of race, init, bounds, proxy, tmem, "
           "barrier, or all, or none",
           text);
  }
  return checks;
}

int runKernel(const RunOptions &options) {
  emulator::Options how;
  how.schedule = parseSchedule(options.schedule);
  how.seed = options.seed;
  how.checks = parseChecks(options.checks, options.strict);
  how.resident = options.resident;
  how.stepLimit = options.steps;
  const auto module = emulator::Module::load(options.file);
  const emulator::EntryInfo &info = module.entry(options.entry);
  emulator::LaunchConfig config;
  config.entry = options.entry;
  config.grid = parseDim("--grid", options.grid);
  if (!options.block.empty())
    config.block = parseDim("--block", options.block);
  else if (info.block.count())
    config.block = info.block;
  else
    fail("entry '{}' states no block size: --block is needed", info.name);
  if (!options.cluster.empty())
    config.cluster = parseDim("--cluster", options.cluster);
  config.dynamicShared = options.shared;
  emulator::GlobalMemory memory;
  BoundArguments arguments(options.arguments, info, memory);
  config.parameters = arguments.parameters();
  const auto result = emulator::launch(module, memory, config, how);
  for (const emulator::Report &report : result.reports)
    fmt::print(stderr, "{}: {}\n", options.file, report.text());
  if (result.completed)
    arguments.writeOutputs();
  if (options.stats)
    fmt::print("{}", result.statistics.text());
  return result.completed && result.reports.empty() ? 0 : 1;
}

} // namespace

void addRunCommand(CLI::App &app, int &status) {
  auto options = std::make_shared<RunOptions>();
  CLI::App *run = app.add_subcommand("run", "run an entry of a PTX file");
  run->add_option("file", options->file, "PTX file")->required();
  run->add_option("--entry", options->entry, "entry to launch")->required();
  run->add_option("--grid", options->grid, "X,Y,Z");
  run->add_option("--block", options->block, "X,Y,Z (default: .reqntid)");
  run->add_option("--cluster", options->cluster,
                  "X,Y,Z (default: .reqnctapercluster)");
  run->add_option("--shared", options->shared, "dynamic shared memory, bytes");
  run->add_option("--arg", options->arguments,
                  "one for each parameter: in:FILE.npy:TYPE, "
                  "out:TYPE[DIMS]:FILE.npy, inout:FILE.npy:TYPE:OUT.npy, "
                  "zeros:BYTES, f32:V, i32:V, u32:V, u64:V, null, tmap:{JSON}")
      ->allow_extra_args(false);
  run->add_option("--schedule", options->schedule, "fifo, random, eager, late");
  run->add_option("--seed", options->seed, "of the schedule");
  run->add_option("--resident", options->resident,
                  "clusters that run at the same time");
  run->add_option("--step-limit", options->steps, "warp instructions");
  run->add_option("--check", options->checks,
                  "race,init,bounds,proxy,tmem,barrier, all or none");
  run->add_flag("--strict", options->strict,
                "rules that only our own kernels must follow");
  run->add_flag("--stats", options->stats, "print what the kernel did");
  run->callback([options, &status] { status = runKernel(*options); });
}

} // namespace fa4
