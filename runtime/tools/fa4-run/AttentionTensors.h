// The tensors of attention by the names that manifests give them.
#pragma once
#include "runtime/tools/fa4-run/AttentionInputs.h"
#include "runtime/tools/fa4-run/AttentionSession.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace fa4 {

/// After the forward, in this order.
inline constexpr const char *backwardOps[] = {"attention_backward_preprocess",
                                              "attention_backward",
                                              "attention_backward_postprocess"};

/// q k v o do dq dk dv: [batch, seqlen, heads, dim]; lse dlse: [batch, heads,
/// seqlen].
std::map<std::string, std::vector<int64_t>> shapesOf(const AttentionShape &s);

void addForwardTensors(AttentionSession &session, const RunOptions &options,
                       const HostInputs &inputs);
/// do, dlse, dq, dk and dv.
void addBackwardTensors(AttentionSession &session, const RunOptions &options,
                        const HostInputs &inputs);

} // namespace fa4
