// Many specializations into one folder with one manifest.
#pragma once
#include "codegen/Specialization.h"

namespace tile {

struct BundleOptions {
  std::string folder;
  int jobs = 1;
  /// Empty: PTX only.
  std::string ptxas;
  /// A line for each finished kernel on stderr.
  bool progress = false;
};

/// Compiles all, then writes: NAME.ptx, NAME.cubin, and manifest.json last, by
/// renames, so that a reader sees the old bundle or the new one. Files that
/// only the old manifest names are removed. On error (the first in list order)
/// nothing is written, and a folder that wasn't there isn't made.
llvm::Error writeBundle(llvm::ArrayRef<Specialization> specializations,
                        const BundleOptions &options);

} // namespace tile
