// One binary that uses AVX where the machine has it.
#pragma once

// Compiles the function once for each level of x86-64 and picks at load time.
#define FA4_VECTOR_CLONES                                                      \
  __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
