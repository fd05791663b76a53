// The kernels that ship with fa4-gen.
#pragma once
#include "dsl/lang/Kernel.h"

namespace tile {

/// FlashAttention kernels and the lessons, as fa4-gen lists them.
KernelRegistry attentionKernels();

/// FlashAttention-4 forward for sm_100a (attention/Fa4Forward.cpp).
KernelDefinition fa4ForwardDefinition();
/// FlashAttention-3 forward for sm_90a (attention/Fa3Forward.cpp).
KernelDefinition fa3ForwardDefinition();
/// FlashAttention-4 backward for sm_100a (attention/Fa4Backward.cpp).
KernelDefinition fa4BackwardDefinition();
/// FlashAttention-3 backward for sm_90a (attention/Fa3Backward.cpp).
KernelDefinition fa3BackwardDefinition();
/// Before and after a backward pass (attention/BackwardPreprocess.cpp,
/// BackwardPostprocess.cpp).
KernelDefinition backwardPreprocessDefinition();
KernelDefinition backwardPostprocessDefinition();
/// A copy through shared memory (lessons/01_tma_copy.cpp).
KernelDefinition copyDefinition();
/// A pipelined GEMM, C = A B^T (lessons/02_pipelined_gemm.cpp).
KernelDefinition gemmDefinition();
/// Attention on one query tile (lessons/03_attention.cpp).
KernelDefinition lessonAttentionDefinition();
/// A GEMM by pairs of CTAs (lessons/04_pair_gemm.cpp).
KernelDefinition pairGemmDefinition();

/// The `reject` of kernels that know no mask.
std::optional<std::string> rejectCausal(const Request &request);

} // namespace tile
