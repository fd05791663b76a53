// fa4-run: runs attention kernels of a bundle and checks them against fp64.
#include "runtime/Error.h"
#include "runtime/tools/fa4-run/CommandLine.h"
#include "runtime/tools/fa4-run/Commands.h"

#include <CLI/CLI.hpp>

#include <cstdio>
#include <exception>

namespace {

constexpr int badInput = 2; // exit status

int runTool(int argc, char **argv) {
  CLI::App app("run attention kernels and check them against fp64");
  app.require_subcommand(1);
  fa4::RunOptions options;
  fa4::BenchOptions benchOptions;
  CLI::App *forward = app.add_subcommand("fwd", "O and LSE");
  CLI::App *backward =
      app.add_subcommand("bwd", "the forward, then dQ, dK, dV");
  CLI::App *bench = app.add_subcommand("bench", "time the kernels on a GPU");
  for (CLI::App *command : {forward, backward, bench})
    fa4::addOptions(*command, options);
  for (CLI::App *command : {backward, bench})
    fa4::addBackwardOptions(*command, options);
  fa4::addBenchOptions(*bench, benchOptions);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError &error) {
    return app.exit(error) == 0 ? 0 : badInput;
  }
  if (bench->parsed())
    return fa4::runBench(options, benchOptions);
  fa4::resolve(options);
  return fa4::runAttention(options, backward->parsed());
}

} // namespace

int main(int argc, char **argv) {
  try {
    return runTool(argc, argv);
  } catch (const std::exception &error) {
    std::fflush(stdout);
    fmt::print(stderr, "fa4-run: {}\n", error.what());
    return badInput;
  }
}
