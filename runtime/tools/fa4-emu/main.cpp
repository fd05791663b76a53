// fa4-emu: runs any PTX on the CPU.
#include "runtime/Error.h"
#include "runtime/tools/fa4-emu/Commands.h"

#include <CLI/CLI.hpp>

#include <new>

namespace {

constexpr int badInput = 2; // exit status

} // namespace

int main(int argc, char **argv) {
  CLI::App app("Runs PTX kernels for sm_90a and sm_100a on the CPU.");
  app.require_subcommand(1);
  int status = 0;
  fa4::addRunCommand(app, status);
  fa4::addExploreCommand(app, status);
  fa4::addMutateCommand(app, status);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError &error) {
    return app.exit(error) == 0 ? 0 : badInput;
  } catch (const fa4::Error &error) {
    fmt::print(stderr, "fa4-emu: {}\n", error.what());
    return badInput;
  } catch (const std::bad_alloc &) {
    fmt::print(stderr, "fa4-emu: out of memory\n");
    return badInput;
  }
  return status;
}
