// Softmax attention and its gradients by the plain formula, on the host.
//
//   S = scale * Q K^T, masked; P = softmax(S); O = P V; LSE = ln(sum(exp(S)))
//   dV = P^T dO; dP = dO V^T; dS = P * (dP - rowsum(P * dP) + dLSE)
//   dQ = scale * dS K; dK = scale * dS^T Q
//
// The causal mask is aligned to the bottom right: row i sees the first
// i + 1 + seqlenK - seqlenQ keys. A row without a live key has O = 0,
// LSE = -inf and adds 0 to every gradient. Query head h reads key head
// h / (headsQ / headsKv).
#pragma once
#include "runtime/ElementType.h"

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

namespace fa4 {

struct AttentionShape {
  int64_t batch = 1, headsQ = 1, headsKv = 1, seqlenQ = 1, seqlenK = 1;
  int64_t headDim = 128, headDimV = 128;
  bool causal = false;
  double scale = 1;

  int64_t liveKeys(int64_t row) const {
    int64_t last = causal ? row + 1 + seqlenK - seqlenQ : seqlenK;
    return std::clamp<int64_t>(last, 0, seqlenK);
  }
};

/// Contiguous [batch, seqlen, heads, dim]. The last two are for gradients;
/// dLse [batch, headsQ, seqlenQ] may be empty (0).
struct AttentionInputs {
  std::span<const float> q, k, v, dO, dLse;
};

/// Laid out as the inputs; lse is [batch, headsQ, seqlenQ], natural logarithm.
struct AttentionResults {
  std::vector<double> o, lse, dQ, dK, dV;
};

/// `precision` F64: all in double, the reference. BF16 or F16: accumulates in
/// float and rounds S, P, O, dP, dS, dQ, dK and dV to it, the `low` of the
/// tolerance.
AttentionResults attentionForward(const AttentionShape &shape,
                                  const AttentionInputs &inputs,
                                  ElementType precision, unsigned threads = 2);
AttentionResults attentionBackward(const AttentionShape &shape,
                                   const AttentionInputs &inputs,
                                   ElementType precision, unsigned threads = 2);

} // namespace fa4
