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
  CLI::App *forward = app.add_subcommand("fwd", "O and LSE");
  CLI::App *backward =
      app.add_subcommand("bwd", "the forward, then dQ, dK, dV");
  fa4::addOptions(*forward, options);
  fa4::addOptions(*backward, options);
  fa4::addBackwardOptions(*backward, options);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError &error) {
    return app.exit(error) == 0 ? 0 : badInput;
  }
  fa4::resolve(options);
  return backward->parsed() ? fa4::runBackward(options)
                            : fa4::runForward(options);
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
