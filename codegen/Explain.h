// A kernel's plan in tables: memory maps, roles, barriers, predicted work.
#pragma once
#include "llvm/Support/JSON.h"
#include <string>

namespace tile {

/// The text of `fa4-gen explain` from a manifest entry: launch geometry, then
/// every field of `resources`, lists of objects as aligned tables.
std::string explain(const llvm::json::Object &entry);

} // namespace tile
