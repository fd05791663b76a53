#include "runtime/tools/fa4-run/CommandLine.h"

#include "runtime/Error.h"

#include <CLI/CLI.hpp>

#include <map>

namespace fa4 {
namespace {

using NamedSchedules = std::map<std::string, emulator::Schedule>;

/// "128" or "192,128".
void setHeadDims(RunOptions &options, const std::vector<int64_t> &dims) {
  options.shape.headDim = dims[0];
  options.shape.headDimV = dims.back();
}

/// "all", "none" or names joined by commas; throws CLI::ValidationError.
void setChecks(emulator::Checks &checks,
               const std::vector<std::string> &names) {
  bool strict = checks.strict;
  checks = {false, false, false, false, false, false, strict};
  std::map<std::string, bool *> flags = {
      {"race", &checks.race},     {"init", &checks.init},
      {"bounds", &checks.bounds}, {"proxy", &checks.proxy},
      {"tmem", &checks.tmem},     {"barrier", &checks.barrier}};
  for (const std::string &name : names) {
    if (name == "none")
      continue;
    if (name != "all" && !flags.contains(name))
      throw CLI::ValidationError(
          "--checks", fmt::format("unknown check '{}', expected race init "
                                  "bounds proxy tmem barrier all none",
                                  name));
    for (auto &[flag, value] : flags)
      *value = *value || name == "all" || name == flag;
  }
}

void addShapeOptions(CLI::App &app, RunOptions &options) {
  AttentionShape &shape = options.shape;
  shape.scale = 0;
  shape.headsKv = 0;
  app.add_option("--batch", shape.batch, "batch size");
  app.add_option("--heads", shape.headsQ, "query heads");
  app.add_option("--kv-heads", shape.headsKv,
                 "key heads, a divisor of --heads (the same)");
  app.add_option("--seqlen-q", shape.seqlenQ, "query rows");
  app.add_option("--seqlen-k", shape.seqlenK, "keys");
  app.add_option_function<std::vector<int64_t>>(
         "--head-dim",
         [&](const std::vector<int64_t> &dims) { setHeadDims(options, dims); },
         "D or D,DV (128)")
      ->delimiter(',')
      ->expected(1, 2);
  std::map<std::string, ElementType> types = {{"bf16", ElementType::BF16},
                                              {"f16", ElementType::F16}};
  app.add_option("--dtype", options.type, "bf16 (default) or f16")
      ->transform(CLI::CheckedTransformer(types));
  app.add_flag("--causal", shape.causal, "bottom-right aligned causal mask");
  app.add_option("--scale", shape.scale, "of the scores (1/sqrt(D))");
}

void addDataOptions(CLI::App &app, RunOptions &options) {
  app.add_option("--seed", options.seed, "of the inputs");
  std::map<std::string, InputPattern> patterns = {
      {"random", InputPattern::Random},
      {"large-negative", InputPattern::LargeNegative},
      {"large-positive", InputPattern::LargePositive},
      {"one-key", InputPattern::OneKey}};
  app.add_option("--input-pattern", options.pattern,
                 "random, large-negative, large-positive, one-key")
      ->transform(CLI::CheckedTransformer(patterns));
  std::map<std::string, Layout> layouts = {{"bshd", Layout::Bshd},
                                           {"bhsd", Layout::Bhsd},
                                           {"padded", Layout::Padded}};
  app.add_option("--layout", options.layout,
                 "storage: bshd, bhsd, padded (gaps between rows)")
      ->transform(CLI::CheckedTransformer(layouts));
  app.add_flag("--canaries", options.canaries,
               "NaN around the inputs, canaries around the outputs");
  app.add_option("--inputs", options.inputs, "folder with q.npy, k.npy, v.npy");
  app.add_option("--out", options.out, "folder for o.npy, lse.npy");
  app.add_flag("--check", options.check, "compare with fp64");
  app.add_option("--threads", options.threads, "of the reference");
}

void addDeviceOptions(CLI::App &app, RunOptions &options) {
  app.add_option("--device", options.device, "emulator (default) or cuda");
  app.add_option("--kernels", options.kernels,
                 "bundle (the build's own, ../kernels)");
  app.add_option("--kernel", options.kernel, "kernel family, e.g. fa4_fwd");
  app.add_option("--arch", options.arch, "sm_100a or sm_90a");
  app.add_option("--key", options.keys, "NAME=VALUE of the manifest's key");
  app.add_flag("--allow-ptx", options.allowPtx,
               "cuda: let the driver compile PTX where there is no cubin");
}

void addEmulatorOptions(CLI::App &app, RunOptions &options) {
  emulator::Options &emulated = options.emulator.options;
  NamedSchedules schedules = {{"fifo", emulator::Schedule::Fifo},
                              {"random", emulator::Schedule::Random},
                              {"eager", emulator::Schedule::Eager},
                              {"late", emulator::Schedule::Late}};
  app.add_option("--schedule", emulated.schedule, "fifo, random, eager, late")
      ->transform(CLI::CheckedTransformer(schedules));
  app.add_option("--emulator-seed", emulated.seed, "of the schedule");
  app.add_option_function<std::vector<std::string>>(
         "--checks",
         [&](const std::vector<std::string> &names) {
           setChecks(emulated.checks, names);
         },
         "race,init,bounds,proxy,tmem,barrier, all or none")
      ->delimiter(',');
  app.add_flag("--strict", emulated.checks.strict,
               "also the rules for our own kernels");
  app.add_option("--resident", emulated.resident,
                 "clusters that run at the same time");
  app.add_option("--sms", options.emulator.smCount, "sm_count of the emulator");
  app.add_flag("--stats", options.stats, "print what the kernel did");
}

} // namespace

void addOptions(CLI::App &app, RunOptions &options) {
  addShapeOptions(app, options);
  addDataOptions(app, options);
  addDeviceOptions(app, options);
  addEmulatorOptions(app, options);
}

void addBackwardOptions(CLI::App &app, RunOptions &options) {
  app.add_flag("--deterministic", options.deterministic,
               "ordered accumulation");
  app.add_flag("--two-cta", options.twoCta, "the kernel for a pair of CTAs");
  app.add_flag("--dlse", options.dLse, "an upstream gradient of LSE, too");
}

} // namespace fa4
