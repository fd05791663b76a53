// The two-CTA form of fa4_bwd.
#pragma once
#include "dsl/lang/Kernel.h"

namespace tile {

/// Records fa4_bwd for pairs of CTAs.
Kernel fa4BackwardPair(const Request &r);
/// Why a request can't be built.
std::optional<std::string> rejectFa4BackwardPair(const Request &r);

} // namespace tile
