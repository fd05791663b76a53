// Prints what every kernel records, for a comparison between host compilers.
#include "dsl/record/Recorded.h"
#include "kernels/Kernels.h"
#include "llvm/Support/raw_ostream.h"

int main() {
  for (const tile::KernelDefinition &definition : tile::attentionKernels())
    for (bool causal : {false, true}) {
      tile::Request request;
      request.arch = definition.archs.front();
      request.causal = causal;
      tile::Kernel kernel = definition.build(request);
      llvm::outs() << **kernel.impl().module << "\n";
    }
}
