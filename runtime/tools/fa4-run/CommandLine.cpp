#include "runtime/tools/fa4-run/CommandLine.h"

#include "runtime/Error.h"

#include <CLI/CLI.hpp>

#include <map>

namespace fa4 {
namespace {

/// A flag that takes one of some names.
template <typename Value>
void addChoice(CLI::App &app, const std::string &flag, Value &target,
               std::vector<std::pair<std::string, Value>> choices,
               const std::string &help) {
  std::vector<std::string> names;
  for (const auto &[name, value] : choices)
    names.push_back(name);
  std::string list = fmt::format("{}", fmt::join(names, " "));
  app.add_option_function<std::string>(
         flag,
         [&target, choices = std::move(choices), flag,
          list](const std::string &text) {
           for (const auto &[name, value] : choices) {
             if (name == text) {
               target = value;
               return;
             }
           }
           throw CLI::ValidationError(
               flag, fmt::format("unknown value '{}', expected one of {}", text,
                                 list));
         },
         help + ": " + list)
      ->type_name("NAME");
}

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
    if (name != "all" && !flags.contains(name)) {
      throw CLI::ValidationError(
          "--checks", fmt::format("unknown check '{}', expected race init "
                                  "bounds proxy tmem barrier all none",
                                  name));
    }
    for (auto &[flag, value] : flags)
      *value = *value || name == "all" || name == flag;
  }
}

void addShapeOptions(CLI::App &app, RunOptions &options) {
  AttentionShape &shape = options.shape;
  shape.headsKv = 0;
  shape.seqlenQ = shape.seqlenK = 256;
  app.add_option("--batch", shape.batch, "batch size");
  app.add_option("--heads", shape.headsQ, "query heads");
  app.add_option("--kv-heads", shape.headsKv,
                 "key heads, a divisor of --heads (the same)");
  app.add_option("--seqlen-q", shape.seqlenQ, "query rows (256)");
  app.add_option("--seqlen-k", shape.seqlenK, "keys (256)");
  app.add_option_function<std::vector<int64_t>>(
         "--head-dim",
         [&](const std::vector<int64_t> &dims) { setHeadDims(options, dims); },
         "D or D,DV (128)")
      ->delimiter(',')
      ->expected(1, 2);
  addChoice<ElementType>(
      app, "--dtype", options.type,
      {{"bf16", ElementType::BF16}, {"f16", ElementType::F16}}, "(bf16)");
  app.add_flag("--causal", shape.causal, "bottom-right aligned causal mask");
  app.add_option("--scale", options.scale, "of the scores (1/sqrt(D))");
}

void addDataOptions(CLI::App &app, RunOptions &options) {
  app.add_option("--seed", options.seed, "of the inputs");
  addChoice<InputPattern>(app, "--input-pattern", options.pattern,
                          {{"random", InputPattern::Random},
                           {"large-negative", InputPattern::LargeNegative},
                           {"large-positive", InputPattern::LargePositive},
                           {"one-key", InputPattern::OneKey}},
                          "scores");
  addChoice<Layout>(app, "--layout", options.layout,
                    {{"bshd", Layout::Bshd},
                     {"bhsd", Layout::Bhsd},
                     {"padded", Layout::Padded}},
                    "storage order; padded: gaps between rows");
  app.add_flag("--canaries", options.canaries,
               "NaN around the inputs, canaries around the outputs");
  app.add_option("--inputs", options.inputs, "folder with q.npy, k.npy, v.npy");
  app.add_option("--out", options.out, "folder for o.npy, lse.npy");
  app.add_flag("--check", options.check, "compare with fp64");
  app.add_option("--repeat", options.repeat,
                 "runs that must be bitwise equal; the emulator's seed counts "
                 "up");
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
  addChoice<emulator::Schedule>(app, "--schedule", emulated.schedule,
                                {{"fifo", emulator::Schedule::Fifo},
                                 {"random", emulator::Schedule::Random},
                                 {"eager", emulator::Schedule::Eager},
                                 {"late", emulator::Schedule::Late}},
                                "who goes next");
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
  app.add_option_function<std::vector<uint64_t>>(
         "--delay",
         [&](const std::vector<uint64_t> &ordinals) {
           emulated.delayed = {ordinals.begin(), ordinals.end()};
         },
         "async operations, by issue order, that act last (fifo)")
      ->delimiter(',');
  app.add_option("--ctas", options.emulator.ctaLimit,
                 "CTAs launched at most; they walk all tiles");
  app.add_flag("--stats", options.stats, "print what the kernel did");
}

} // namespace

void addOptions(CLI::App &app, RunOptions &options) {
  addShapeOptions(app, options);
  addDataOptions(app, options);
  addDeviceOptions(app, options);
  addEmulatorOptions(app, options);
}

void addBenchOptions(CLI::App &app, BenchOptions &options) {
  app.add_flag("--backward", options.backward,
               "the three backward kernels instead of the forward");
  app.add_option("--seqlens", options.seqlens, "lengths, q and k alike")
      ->delimiter(',');
  app.add_option("--tokens", options.tokens, "batch x seqlen (16384)");
  app.add_option("--launches", options.launches, "timed ones (50)");
}

void addBackwardOptions(CLI::App &app, RunOptions &options) {
  app.add_flag("--deterministic", options.deterministic,
               "ordered accumulation");
  app.add_flag("--two-cta", options.twoCta, "the kernel for a pair of CTAs");
  app.add_flag("--dlse", options.dLse, "an upstream gradient of LSE, too");
}

} // namespace fa4
