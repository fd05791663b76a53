// What a kernel takes of an SM, against what there is.
#pragma once
#include "llvm/Support/JSON.h"
#include <string>
#include <vector>

namespace tile {

/// Lines for `fa4-gen verify` from a manifest entry: shared memory, tensor
/// memory, registers by role, mbarriers, and whether two pipes overlap. The
/// passes have refused whatever exceeds a limit.
std::vector<std::string> budgetLines(const llvm::json::Object &entry);

} // namespace tile
