#include "runtime/tools/fa4-run/CommandLine.h"

#include "runtime/Error.h"
#include "runtime/tools/fa4-run/Validators.h"

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

/// "128" or "192,128"; throws CLI::ValidationError.
void setHeadDims(AttentionShape &shape, const std::string &text) {
  std::vector<std::string> dims = CLI::detail::split(text, ',');
  CLI::Validator valid = integerOf<int64_t>();
  for (const std::string &dim : dims)
    if (dims.size() > 2 || !valid(dim).empty())
      throw CLI::ValidationError(
          "--head-dim", fmt::format("'{}' is neither D nor D,DV", text));
  shape.headDim = std::stoll(dims.front());
  shape.headDimV = std::stoll(dims.back());
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
  addInteger(app, "--batch", shape.batch, "batch size");
  addInteger(app, "--heads", shape.headsQ, "query heads");
  addInteger(app, "--kv-heads", shape.headsKv,
             "key heads, a divisor of --heads (the same)");
  addInteger(app, "--seqlen-q", shape.seqlenQ, "query rows (256)");
  addInteger(app, "--seqlen-k", shape.seqlenK, "keys (256)");
  app.add_option_function<std::string>(
      "--head-dim", [&](const std::string &text) { setHeadDims(shape, text); },
      "D or D,DV (128)");
  addChoice<ElementType>(
      app, "--dtype", options.type,
      {{"bf16", ElementType::BF16}, {"f16", ElementType::F16}}, "(bf16)");
  app.add_flag("--causal", shape.causal, "bottom-right aligned causal mask");
  app.add_option("--scale", options.scale, "of the scores (1/sqrt(D))");
}

void addDataOptions(CLI::App &app, RunOptions &options) {
  addInteger(app, "--seed", options.seed, "of the inputs");
  addChoice<InputPattern>(app, "--input-pattern", options.pattern,
                          {{"random", InputPattern::Random},
                           {"large-negative", InputPattern::LargeNegative},
                           {"large-positive", InputPattern::LargePositive},
                           {"one-key", InputPattern::OneKey},
                           {"powers-of-two", InputPattern::PowersOfTwo}},
                          "scores");
  addChoice<Layout>(app, "--layout", options.layout,
                    {{"bshd", Layout::Bshd},
                     {"bhsd", Layout::Bhsd},
                     {"padded", Layout::Padded}},
                    "storage order; padded: gaps between rows");
  app.add_flag("--canaries", options.canaries,
               "NaN around the inputs, canaries around the outputs");
  addText(app, "--inputs", options.inputs, "folder with q.npy, k.npy, v.npy");
  addText(app, "--out", options.out, "folder for o.npy, lse.npy");
  app.add_flag("--check", options.check, "compare with fp64");
  addInteger(app, "--repeat", options.repeat,
             "runs that must be bitwise equal; the emulator's seed counts "
             "up");
  addInteger(app, "--threads", options.threads, "of the reference");
}

void addDeviceOptions(CLI::App &app, RunOptions &options) {
  addText(app, "--device", options.device, "emulator (default) or cuda");
  addText(app, "--kernels", options.kernels,
          "bundle (the build's own, ../kernels)");
  addText(app, "--kernel", options.kernel, "kernel family, e.g. fa4_fwd");
  addText(app, "--arch", options.arch, "sm_100a or sm_90a");
  app.add_option(
      "--key", options.keys,
      "NAME=VALUE of the manifest's key, for the kernels that have NAME");
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
  addInteger(app, "--emulator-seed", emulated.seed, "of the schedule");
  app.add_option_function<std::vector<std::string>>(
         "--checks",
         [&](const std::vector<std::string> &names) {
           setChecks(emulated.checks, names);
         },
         "race,init,bounds,proxy,tmem,barrier, all or none")
      ->delimiter(',');
  app.add_flag("--strict", emulated.checks.strict,
               "also the rules for our own kernels");
  addInteger(app, "--resident", emulated.resident,
             "clusters that run at the same time");
  addInteger(app, "--sms", options.emulator.smCount,
             "sm_count of the emulator");
  app.add_option_function<std::vector<uint64_t>>(
         "--delay",
         [&](const std::vector<uint64_t> &ordinals) {
           emulated.delayed = {ordinals.begin(), ordinals.end()};
         },
         "async operations, by issue order, that act last (fifo)")
      ->delimiter(',');
  addInteger(app, "--ctas", options.emulator.ctaLimit,
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
  addInteger(app, "--tokens", options.tokens, "batch x seqlen (16384)");
  addInteger(app, "--launches", options.launches, "timed ones (50)");
}

void addBackwardOptions(CLI::App &app, RunOptions &options) {
  app.add_flag("--deterministic", options.deterministic,
               "ordered accumulation");
  app.add_flag("--two-cta", options.twoCta, "the kernel for a pair of CTAs");
  app.add_flag("--dlse", options.dLse, "an upstream gradient of LSE, too");
}

} // namespace fa4
