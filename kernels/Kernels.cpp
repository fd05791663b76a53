#include "kernels/Kernels.h"

namespace tile {

KernelRegistry attentionKernels() {
  return {fa4ForwardDefinition(), fa3ForwardDefinition(), copyDefinition(),
          gemmDefinition(), lessonAttentionDefinition()};
}

} // namespace tile
