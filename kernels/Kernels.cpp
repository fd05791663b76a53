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
          lessonAttentionDefinition()};
}

} // namespace tile
