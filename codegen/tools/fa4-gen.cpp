// The generator of this project's own kernels.
#include "codegen/Generator.h"
#include "kernels/Kernels.h"

int main(int argc, char **argv) {
  return tile::generatorMain(argc, argv, tile::attentionKernels());
}
