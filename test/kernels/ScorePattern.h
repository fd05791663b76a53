// Inputs whose scores are chosen key by key.
#pragma once
#include "runtime/tools/fa4-run/AttentionInputs.h"

#include <functional>

namespace fa4::test {

/// Q and K such that every row's scaled score of key j is score(j), rounded to
/// the dtype; V is random.
HostInputs inputsWithScores(const RunOptions &options,
                            const std::function<double(int64_t)> &score);

} // namespace fa4::test
