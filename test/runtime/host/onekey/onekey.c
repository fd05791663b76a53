/* Attention over a single key, where P = 1: the simplest kernels with which
 * fa4-run's forward and backward can be tested. One thread for each row.
 * onekey.ptx is made from this by
 *   clang-22 --target=nvptx64-nvidia-cuda -march=sm_80 -O1 -S onekey.c */
typedef unsigned short bf16;
#define KERNEL __attribute__((nvptx_kernel)) void

static float wide(bf16 bits) {
  return __builtin_bit_cast(float, (unsigned)bits << 16);
}

static bf16 narrow(float value) {
  unsigned bits = __builtin_bit_cast(unsigned, value);
  return (bf16)((bits + 0x7fff + ((bits >> 16) & 1)) >> 16);
}

static float dot(const bf16 *a, const bf16 *b, int d) {
  float sum = 0;
  for (int i = 0; i < d; ++i)
    sum += wide(a[i]) * wide(b[i]);
  return sum;
}

/* A block is a row (b, s, h) of Q; LSE is [b, h, s], a key is (b, h / group).
 */
struct Row {
  int row, statistic, key;
};

static struct Row thisRow(int sq, int heads, int group) {
  int row = __nvvm_read_ptx_sreg_ctaid_x();
  int h = row % heads, s = row / heads % sq, b = row / heads / sq;
  struct Row r = {row, (b * heads + h) * sq + s,
                  b * (heads / group) + h / group};
  return r;
}

KERNEL forward(const bf16 *q, const bf16 *k, const bf16 *v, bf16 *o, float *lse,
               int sq, int heads, int group, int d, float scale) {
  struct Row r = thisRow(sq, heads, group);
  lse[r.statistic] = scale * dot(q + r.row * d, k + r.key * d, d);
  for (int i = 0; i < d; ++i)
    o[r.row * d + i] = v[r.key * d + i];
}

KERNEL preprocess(const bf16 *o, const bf16 *dO, const float *dLse,
                  float *delta, int sq, int heads, int group, int d) {
  struct Row r = thisRow(sq, heads, group);
  delta[r.statistic] =
      dot(o + r.row * d, dO + r.row * d, d) - dLse[r.statistic];
}

/* A block is a key (b, hk). */
KERNEL backward(const bf16 *q, const bf16 *k, const bf16 *v, const bf16 *dO,
                const float *delta, float *dqSum, bf16 *dK, bf16 *dV, int sq,
                int heads, int group, int d, float scale) {
  int key = __nvvm_read_ptx_sreg_ctaid_x();
  int b = key / (heads / group), first = key % (heads / group) * group;
  for (int i = 0; i < d; ++i) {
    float dk = 0, dv = 0;
    for (int s = 0; s < sq; ++s)
      for (int h = first; h < first + group; ++h) {
        int row = (b * sq + s) * heads + h;
        float ds =
            dot(dO + row * d, v + key * d, d) - delta[(b * heads + h) * sq + s];
        dqSum[row * d + i] = ds * wide(k[key * d + i]);
        dk += ds * wide(q[row * d + i]);
        dv += wide(dO[row * d + i]);
      }
    dK[key * d + i] = narrow(scale * dk);
    dV[key * d + i] = narrow(dv);
  }
}

KERNEL postprocess(const float *dqSum, bf16 *dQ, int d, float scale) {
  int row = __nvvm_read_ptx_sreg_ctaid_x();
  for (int i = 0; i < d; ++i)
    dQ[row * d + i] = narrow(scale * dqSum[row * d + i]);
}
