#include "kernels/Kernels.h"

namespace tile {

KernelRegistry attentionKernels() {
  return {fa4ForwardDefinition(),
          fa3ForwardDefinition(),
          backwardPreprocessDefinition(),
          backwardPostprocessDefinition(),
          copyDefinition(),
          gemmDefinition(),
          lessonAttentionDefinition()};
}

} // namespace tile
