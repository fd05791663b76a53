#include "runtime/emulator/MatrixMultiply.h"
#include "runtime/emulator/VectorClones.h"
#include <cmath>
#include <cstring>

namespace fa4::emulator {
namespace {

typedef float Vector __attribute__((vector_size(64), aligned(4)));
constexpr uint32_t width = 16;

// One tile of Vectors * 16 rows by Columns columns, accumulated in registers.
template <int Vectors, int Columns>
__attribute__((always_inline)) inline void
multiplyTile(const MultiplyArguments &arg, uint32_t m, uint32_t n) {
  Vector sum[Columns][Vectors] = {};
  float *d = arg.d + n * arg.dStride + m;
  if (arg.accumulate)
    for (int c = 0; c < Columns; ++c)
      for (int v = 0; v < Vectors; ++v)
        std::memcpy(&sum[c][v], d + c * arg.dStride + v * width,
                    sizeof(Vector));
  const float *a = arg.a + m;
  const float *b = arg.b + n * arg.bRowStride;
  for (uint32_t k = 0; k < arg.k;
       ++k, a += arg.aStride, b += arg.bDepthStride) {
    Vector left[Vectors];
    std::memcpy(left, a, sizeof left);
    for (int c = 0; c < Columns; ++c) {
      const Vector right = b[c * arg.bRowStride] - Vector{};
      for (int v = 0; v < Vectors; ++v)
        sum[c][v] = __builtin_elementwise_fma(left[v], right, sum[c][v]);
    }
  }
  for (int c = 0; c < Columns; ++c)
    for (int v = 0; v < Vectors; ++v)
      std::memcpy(d + c * arg.dStride + v * width, &sum[c][v], sizeof(Vector));
}

template <int Vectors>
__attribute__((always_inline)) inline void
multiplyRows(const MultiplyArguments &arg, uint32_t m) {
  uint32_t n = 0;
  for (; n + 8 <= arg.n; n += 8)
    multiplyTile<Vectors, 8>(arg, m, n);
  for (; n < arg.n; ++n)
    multiplyTile<Vectors, 1>(arg, m, n);
}

// The rows that do not fill a vector.
void multiplyScalar(const MultiplyArguments &arg, uint32_t mBegin) {
  for (uint32_t n = 0; n < arg.n; ++n)
    for (uint32_t m = mBegin; m < arg.m; ++m) {
      float *d = arg.d + n * arg.dStride + m;
      float sum = arg.accumulate ? *d : 0.0f;
      for (uint32_t k = 0; k < arg.k; ++k)
        sum = std::fma(arg.a[k * arg.aStride + m],
                       arg.b[n * arg.bRowStride + k * arg.bDepthStride], sum);
      *d = sum;
    }
}

} // namespace

FA4_VECTOR_CLONES
void multiplyAccumulate(const MultiplyArguments &arg) {
  uint32_t m = 0;
  for (; m + 2 * width <= arg.m; m += 2 * width)
    multiplyRows<2>(arg, m);
  for (; m + width <= arg.m; m += width)
    multiplyRows<1>(arg, m);
  multiplyScalar(arg, m);
}

} // namespace fa4::emulator
