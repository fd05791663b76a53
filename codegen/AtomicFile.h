// Output files that exist whole or not at all.
#pragma once
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

namespace tile {

/// Writes `content` beside `path` under a unique name, then renames. On error
/// `path` is as it was and the message names it. "-" is standard output.
llvm::Error writeFileAtomically(llvm::StringRef path, llvm::StringRef content);

} // namespace tile
