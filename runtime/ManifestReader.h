// Reads and validates a manifest.json.
#ifndef FA4_RUNTIME_MANIFESTREADER_H
#define FA4_RUNTIME_MANIFESTREADER_H

#include "runtime/Manifest.h"

#include <string>
#include <vector>

namespace fa4 {

/// Every name in an expression is a dim, a scalar or sm_count; every tensor
/// that is named exists; every dim is bound by a tensor that the caller gives;
/// boxes and orders fit their tensors. Throws fa4::Error otherwise.
std::vector<KernelEntry> readManifest(const std::string &path);

} // namespace fa4

#endif // FA4_RUNTIME_MANIFESTREADER_H
