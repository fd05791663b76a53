// The subcommands of fa4-emu.
#pragma once

namespace CLI {
class App;
}

namespace fa4 {

/// Each sets `status` to the exit status: 0, or 1 for a finding. Wrong input
/// is an fa4::Error.
void addRunCommand(CLI::App &app, int &status);
void addExploreCommand(CLI::App &app, int &status);
void addMutateCommand(CLI::App &app, int &status);

} // namespace fa4
