// Reads and validates a manifest.json.
#pragma once

#include "runtime/Manifest.h"

#include <string>
#include <vector>

namespace fa4 {

/// Every name in an expression is a dim, a scalar or sm_count; every tensor
/// that is named exists; every dim is bound by a tensor that the caller gives;
/// boxes and orders fit their tensors. Throws fa4::Error otherwise.
std::vector<KernelEntry> readManifest(const std::string &path);

} // namespace fa4
