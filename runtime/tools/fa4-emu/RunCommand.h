// `fa4-emu run`: launches an entry of a PTX file.
#pragma once

#include <CLI/CLI.hpp>

namespace fa4 {

/// Adds the subcommand; its callback sets `status` to the process's exit
/// status: 0 if the kernel ran to its end without a report.
void addRunCommand(CLI::App &app, int &status);

} // namespace fa4
