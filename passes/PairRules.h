// Hand-overs between the two CTAs of a pair.
#pragma once
#include "passes/Passes.h"

namespace tile {

/// Whose barriers an edge's arrivals go to.
enum class Destination { own, leader, both, peer };

/// The attribute `at` of an arrival there; empty: none.
llvm::StringRef name(Destination destination);

/// From who takes what the edge hands over, and how: a leading role waits in
/// its CTA for both; what it hands to others, both wait for.
Destination destinationOf(ir::PipeOp pipe, int64_t edge);

/// P1 to P3: what a leading role may be handed, and how it hands over. Errors
/// at the author's line.
mlir::LogicalResult checkPairRules(ir::KernelOp kernel);

} // namespace tile
