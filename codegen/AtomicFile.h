// Output files that exist whole or not at all.
#pragma once
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <string>

namespace tile {

/// A file to be written; its content lives elsewhere.
struct OutputFile {
  std::string path;
  llvm::StringRef content;
};

/// Writes each content beside its path under a unique name, then renames all in
/// order. On error every path is as it was and the message names the one that
/// can't be written. "-" is standard output.
llvm::Error writeFilesAtomically(llvm::ArrayRef<OutputFile> files);
llvm::Error writeFileAtomically(llvm::StringRef path, llvm::StringRef content);

} // namespace tile
