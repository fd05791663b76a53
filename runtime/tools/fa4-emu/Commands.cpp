#include "runtime/tools/fa4-emu/Commands.h"

#include "runtime/tools/fa4-emu/Arguments.h"
#include "runtime/tools/fa4-emu/Explore.h"
#include "runtime/tools/fa4-emu/MutationScore.h"
#include "runtime/tools/fa4-run/AttentionTensors.h"
#include "runtime/tools/fa4-run/CommandLine.h"
#include "runtime/tools/fa4-run/Validators.h"

#include <fmt/format.h>

#include <functional>
#include <memory>

namespace fa4 {
namespace {

int runKernel(const LaunchOptions &options, bool stats) {
  const auto module = emulator::Module::load(options.file);
  const emulator::EntryInfo &info = module.entry(options.entry);
  emulator::LaunchConfig config = options.config(info);
  const emulator::Options how = options.emulatorOptions();
  emulator::GlobalMemory memory;
  BoundArguments arguments(options.arguments, info, memory);
  config.parameters = arguments.parameters();
  const auto result = emulator::launch(module, memory, config, how);
  for (const emulator::Report &report : result.reports)
    fmt::print(stderr, "{}: {}\n", options.file, report.text());
  if (result.completed)
    arguments.writeOutputs();
  if (stats)
    fmt::print("{}", result.statistics.text());
  return result.completed && result.reports.empty() ? 0 : 1;
}

/// The kernel of the backward pass that is under test; all of them for an empty
/// name.
AttentionOps backwardOpsOf(const std::string &stage) {
  const std::vector<std::string> stages = {"preprocess", "main", "postprocess"};
  AttentionOps ops{{"attention_forward"}, {}};
  if (stage.empty()) {
    ops.tested.assign(std::begin(backwardOps), std::end(backwardOps));
    return ops;
  }
  for (size_t n = 0; n < stages.size() && ops.tested.empty(); ++n)
    (stages[n] == stage ? ops.tested : ops.before).push_back(backwardOps[n]);
  return ops;
}

/// Three ways to name what is launched: `ptx FILE ...`, `fwd ...`, `bwd ...`.
/// `stage`: of the backward pass, where none is named.
void addSubjects(CLI::App &app, const std::string &stage,
                 const std::function<void(Subject &)> &use) {
  app.require_subcommand(1);
  auto launch = std::make_shared<LaunchOptions>();
  CLI::App *ptx = app.add_subcommand("ptx", "a PTX file, as in 'fa4-emu run'");
  launch->addTo(*ptx);
  ptx->callback([launch, use] { use(*makePtxSubject(*launch)); });
  auto attention = std::make_shared<RunOptions>();
  // Bundles hold our own kernels.
  attention->emulator.options.checks = {true, true, true, true,
                                        true, true, true};
  CLI::App *forward = app.add_subcommand(
      "fwd", "the attention forward of a bundle, as in 'fa4-run fwd'");
  addOptions(*forward, *attention);
  forward->callback([attention, use] {
    resolve(*attention);
    use(*makeAttentionSubject(*attention, {{}, {"attention_forward"}}));
  });
  CLI::App *backward = app.add_subcommand(
      "bwd", "the attention backward of a bundle, as in 'fa4-run bwd'");
  addOptions(*backward, *attention);
  addBackwardOptions(*backward, *attention);
  auto tested = std::make_shared<std::string>(stage);
  backward
      ->add_option("--stage", *tested,
                   "the kernel under test: preprocess, main or postprocess")
      ->check(CLI::IsMember({"preprocess", "main", "postprocess"}));
  backward->callback([attention, use, tested] {
    resolve(*attention);
    use(*makeAttentionSubject(*attention, backwardOpsOf(*tested)));
  });
}

} // namespace

void addRunCommand(CLI::App &app, int &status) {
  struct Options {
    LaunchOptions launch;
    bool stats = false;
  };
  auto options = std::make_shared<Options>();
  CLI::App *run = app.add_subcommand("run", "run an entry of a PTX file");
  options->launch.addTo(*run);
  run->add_flag("--stats", options->stats, "print what the kernel did");
  run->callback([options, &status] {
    status = runKernel(options->launch, options->stats);
  });
}

void addExploreCommand(CLI::App &app, int &status) {
  auto options = std::make_shared<ExploreOptions>();
  CLI::App *command = app.add_subcommand(
      "explore", "run under many schedules, compare the outputs");
  addInteger(*command, "--seeds", options->seeds, "random schedules");
  addInteger(*command, "--targeted", options->targeted,
             "async operations to delay alone");
  addSubjects(*command, "", [options, &status](Subject &subject) {
    status = explore(subject, *options);
  });
}

void addMutateCommand(CLI::App &app, int &status) {
  auto options = std::make_shared<MutationOptions>();
  CLI::App *command = app.add_subcommand(
      "mutate", "weaken each synchronizing instruction, count what is found");
  addInteger(*command, "--seeds", options->seeds, "random schedules");
  addText(*command, "--justified", options->justified,
          "file with the sites that are redundant");
  command->add_flag("--verbose", options->verbose, "print the killed ones too");
  addSubjects(*command, "main", [options, &status](Subject &subject) {
    status = scoreMutations(subject, *options);
  });
}

} // namespace fa4
