// Compares what a run computed with the fp64 reference.
#pragma once
#include "runtime/Tolerance.h"
#include "runtime/tools/fa4-run/AttentionInputs.h"
#include "runtime/tools/fa4-run/RunOptions.h"

#include <map>
#include <string>
#include <vector>

namespace fa4 {

/// What the kernels computed: "o", "lse", and for a backward run "dq", "dk",
/// "dv".
using ComputedTensors = std::map<std::string, std::vector<float>>;

/// `text` has a line for each tensor, and one for dead rows that are not
/// exactly 0 (O, dQ) and -inf (LSE). `within`: all are within their bounds.
struct CheckedAttention {
  bool within = true;
  std::string text;
};

CheckedAttention checkAttention(const RunOptions &options,
                                const HostInputs &inputs,
                                const ComputedTensors &computed);

} // namespace fa4
