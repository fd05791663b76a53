// The cases of the forward matrix (lengths around the tile sizes, as users
// report them).
#pragma once
#include "runtime/tools/fa4-run/RunOptions.h"

#include <string>
#include <vector>

namespace fa4::test {

/// Covers every pair of (query length, key length, mask, head ratio, head
/// dims, dtype, batch, storage order).
std::vector<RunOptions> forwardPairs();
/// The same for fa3_fwd: fewer lengths, one pair of head dims more.
std::vector<RunOptions> hopperForwardPairs();
/// The same for the head dims of the backward pass, with deterministic or not
/// as a factor; every second case with an upstream gradient of LSE.
std::vector<RunOptions> backwardPairs();
/// The whole product of the first six; batch 1, contiguous.
std::vector<RunOptions> forwardProduct();
/// Lengths that users reported, with masks, dims and dtypes in turn.
std::vector<RunOptions> reportedLengths();

/// "q65_k128_causal_h4_kv1_d128_bf16_b1_bshd"
std::string caseName(const RunOptions &options);

} // namespace fa4::test
