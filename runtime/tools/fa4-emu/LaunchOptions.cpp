#include "runtime/tools/fa4-emu/LaunchOptions.h"

#include "runtime/Error.h"
#include "runtime/tools/fa4-run/Validators.h"

#include <charconv>

namespace fa4 {
namespace {

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

} // namespace

void LaunchOptions::addTo(CLI::App &app) {
  app.add_option("file", file, "PTX file")->required();
  app.add_option("--entry", entry, "entry to launch")->required();
  app.add_option("--grid", grid, "X,Y,Z");
  app.add_option("--block", block, "X,Y,Z (default: .reqntid)");
  app.add_option("--cluster", cluster, "X,Y,Z (default: .reqnctapercluster)");
  addInteger(app, "--shared", shared, "dynamic shared memory, bytes");
  app.add_option("--arg", arguments,
                 "one for each parameter: in:FILE.npy:TYPE, "
                 "out:TYPE[DIMS]:FILE.npy, inout:FILE.npy:TYPE:OUT.npy, "
                 "zeros:BYTES, f32:V, i32:V, u32:V, u64:V, null, tmap:{JSON}")
      ->allow_extra_args(false);
  app.add_option("--schedule", schedule, "fifo, random, eager, late");
  addInteger(app, "--seed", how.seed, "of the schedule");
  app.add_option_function<std::vector<uint64_t>>(
         "--delay",
         [this](const std::vector<uint64_t> &ordinals) {
           how.delayed = {ordinals.begin(), ordinals.end()};
         },
         "async operations, by issue order, that act only when nothing else "
         "can (fifo)")
      ->delimiter(',');
  addInteger(app, "--resident", how.resident,
             "clusters that run at the same time");
  addInteger(app, "--step-limit", how.stepLimit, "warp instructions");
  app.add_option("--check", checks,
                 "race,init,bounds,proxy,tmem,barrier, all or none");
  app.add_flag("--strict", how.checks.strict,
               "rules that only our own kernels must follow");
}

emulator::Options LaunchOptions::emulatorOptions() const {
  emulator::Options result = how;
  result.schedule = parseSchedule(schedule);
  result.checks = parseChecks(checks, how.checks.strict);
  return result;
}

emulator::LaunchConfig
LaunchOptions::config(const emulator::EntryInfo &info) const {
  emulator::LaunchConfig config;
  config.entry = entry;
  config.grid = parseDim("--grid", grid);
  if (!block.empty())
    config.block = parseDim("--block", block);
  else if (info.block.count())
    config.block = info.block;
  else
    fail("entry '{}' states no block size: --block is needed", info.name);
  if (!cluster.empty())
    config.cluster = parseDim("--cluster", cluster);
  if (config.grid.y > 65535 || config.grid.z > 65535)
    fail("--grid {}: y and z are at most 65535", grid);
  if (config.block.z > 64)
    fail("--block {}: z is at most 64", block);
  config.dynamicShared = shared;
  return config;
}

} // namespace fa4
