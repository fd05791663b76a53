// Synchronization that a kernel has on purpose although others imply it.
#pragma once

#include "runtime/emulator/Mutation.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace fa4 {

/// "remove bar.warp.sync @ sp.far(h).own(part);": the change, and the source
/// line's text, which survives edits elsewhere in the file. Without a source:
/// the PTX line.
class SiteNames {
public:
  std::string name(const emulator::MutationSite &site);

private:
  const std::vector<std::string> &linesOf(const std::string &file);
  std::map<std::string, std::vector<std::string>> files;
};

/// The list of a file. Each line is "COUNT NAME # REASON": at most COUNT sites
/// of that name may survive. Lines that start with # are comments.
class RedundantSites {
public:
  /// Throws fa4::Error "file:line: what".
  static RedundantSites load(const std::string &path);
  /// True if the list has room for one more site of that name.
  bool take(const std::string &name);

private:
  std::map<std::string, uint64_t> left;
};

} // namespace fa4
