#include "kernels/Kernels.h"

namespace tile {

KernelRegistry attentionKernels() {
  return {fa4ForwardDefinition(),
          fa3ForwardDefinition(),
          fa4BackwardDefinition(),
          fa3BackwardDefinition(),
          backwardPreprocessDefinition(),
          backwardPostprocessDefinition(),
          copyDefinition(),
          gemmDefinition(),
          lessonAttentionDefinition(),
          pairGemmDefinition()};
}

std::optional<std::string> rejectCausal(const Request &request) {
  if (request.causal)
    return "it has no causal form";
  return std::nullopt;
}

} // namespace tile
