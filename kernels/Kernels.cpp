#include "kernels/Kernels.h"

namespace tile {

KernelRegistry attentionKernels() {
  return {fa4ForwardDefinition(), gemmDefinition()};
}

} // namespace tile
