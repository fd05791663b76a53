// D (+)= A x B^T in f32: the arithmetic of every emulated MMA.
#pragma once
#include <cstddef>
#include <cstdint>

namespace fa4::emulator {

// D[m][n] = (accumulate ? D[m][n] : 0) + sum over k ascending of
// A[m][k] * B[n][k], each step one fused multiply-add, so the result does not
// depend on blocking or on the machine. Layouts, in floats:
//   A element (m, k) at a[k * aStride + m]
//   B element (n, k) at b[n * bRowStride + k * bDepthStride]
//   D element (m, n) at d[n * dStride + m]
// m is the vector direction; any m, n, k work, m a multiple of 16 is fast.
struct MultiplyArguments {
  uint32_t m = 0, n = 0, k = 0;
  const float *a = nullptr;
  size_t aStride = 0;
  const float *b = nullptr;
  size_t bRowStride = 0;
  size_t bDepthStride = 1;
  float *d = nullptr;
  size_t dStride = 0;
  bool accumulate = false;
};
void multiplyAccumulate(const MultiplyArguments &arguments);

} // namespace fa4::emulator
