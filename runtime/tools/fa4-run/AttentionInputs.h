// Host inputs of an attention run: made from a seed or read from files.
#pragma once
#include "runtime/Reference.h"
#include "runtime/tools/fa4-run/RunOptions.h"

#include <cstdint>
#include <string_view>
#include <vector>

namespace fa4 {

/// Contiguous, rounded to the kernel's dtype (dLse stays f32, zeros unless
/// wanted). dO and dLse are empty for a forward run.
struct HostInputs {
  std::vector<float> q, k, v, dO, dLse;
  AttentionInputs views() const { return {q, k, v, dO, dLse}; }
};

/// The same on every machine for the same options. From options.inputs, if
/// given: q.npy, k.npy, v.npy (and do.npy, dlse.npy), whose shapes must fit.
HostInputs makeInputs(const RunOptions &options, bool backward);

/// Approximately standard normal: the sum of four uniform values, by a counter
/// based generator of integers.
float normalAt(uint64_t seed, uint64_t stream, uint64_t index);

} // namespace fa4
