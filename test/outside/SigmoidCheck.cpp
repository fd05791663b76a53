// usage: sigmoid-check BUNDLE: runs sigmoid_fwd on the emulator and compares it
// with fp64. The bound is that of the same formula with P and O rounded to
// bf16.
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fa4.h>
#include <random>
#include <string>
#include <vector>

namespace {

struct Shape {
  int64_t seqlenQ, seqlenK, heads, headDim;
  bool causal;
};

uint16_t toBf16(double x) {
  uint32_t bits = std::bit_cast<uint32_t>(float(x));
  return uint16_t((bits + 0x7FFF + (bits >> 16 & 1)) >> 16);
}
double fromBf16(uint16_t x) { return std::bit_cast<float>(uint32_t(x) << 16); }
double rounded(double x) { return fromBf16(toBf16(x)); }

void check(fa4_status status) {
  if (status == FA4_OK)
    return;
  std::fprintf(stderr, "sigmoid-check: %s\n", fa4_last_error());
  std::exit(1);
}

/// [1, seqlen, heads, headDim] in the device's memory and here.
struct Tensor {
  Tensor(fa4_context *context, std::string name, int64_t seqlen, const Shape &s)
      : context(context), name(std::move(name)),
        view{this->name.c_str(),
             0,
             FA4_BF16,
             4,
             {1, seqlen, s.heads, s.headDim},
             {seqlen * s.heads * s.headDim, s.heads * s.headDim, s.headDim, 1}},
        values(seqlen * s.heads * s.headDim) {
    check(fa4_allocate(context, values.size() * 2, &view.address));
  }
  void fill(std::mt19937 &random) {
    std::normal_distribution<double> normal;
    for (uint16_t &value : values)
      value = toBf16(normal(random));
    check(fa4_upload(context, view.address, values.data(), values.size() * 2));
  }
  void fetch() {
    check(
        fa4_download(context, values.data(), view.address, values.size() * 2));
  }
  double at(int64_t row, int64_t head, int64_t column) const {
    return fromBf16(
        values[row * view.strides[1] + head * view.strides[2] + column]);
  }

  fa4_context *context;
  std::string name;
  fa4_tensor view;
  std::vector<uint16_t> values;
};

struct Errors {
  double ours = 0, low = 0, noise = 0;
};

/// Adds one row of one head to the errors.
void compareRow(const Shape &s, int64_t row, int64_t head, const Tensor &q,
                const Tensor &k, const Tensor &v, const Tensor &o,
                Errors &errors) {
  double scale = 1 / std::sqrt(double(s.headDim));
  std::vector<double> exact(s.headDim), low(s.headDim);
  int64_t live = s.causal ? std::clamp<int64_t>(row + 1 + s.seqlenK - s.seqlenQ,
                                                0, s.seqlenK)
                          : s.seqlenK;
  for (int64_t key = 0; key < live; ++key) {
    double score = 0;
    for (int64_t c = 0; c < s.headDim; ++c)
      score += q.at(row, head, c) * k.at(key, head, c);
    double p = 1 / (1 + std::exp(-score * scale));
    for (int64_t c = 0; c < s.headDim; ++c) {
      exact[c] += p * v.at(key, head, c);
      low[c] += rounded(p) * v.at(key, head, c);
    }
  }
  for (int64_t c = 0; c < s.headDim; ++c) {
    double r = rounded(exact[c]);
    double noise = rounded(rounded(r + 0.3) - 0.3) - r;
    errors.ours =
        std::max(errors.ours, std::abs(o.at(row, head, c) - exact[c]));
    errors.low = std::max(errors.low, std::abs(rounded(low[c]) - exact[c]));
    errors.noise = std::max(errors.noise, std::abs(noise));
  }
}

bool runShape(fa4_context *context, const Shape &s) {
  Tensor q(context, "q", s.seqlenQ, s), k(context, "k", s.seqlenK, s),
      v(context, "v", s.seqlenK, s), o(context, "o", s.seqlenQ, s);
  std::mt19937 random(1);
  for (Tensor *input : {&q, &k, &v})
    input->fill(random);
  std::string headDim = std::to_string(s.headDim);
  fa4_key keys[] = {{"head_dim", headDim.c_str()},
                    {"causal", s.causal ? "true" : "false"}};
  fa4_tensor tensors[] = {q.view, k.view, v.view, o.view};
  fa4_scalar scalars[] = {{"scale", 1 / std::sqrt(double(s.headDim))}};
  fa4_request request = {"sigmoid_attention", keys, 2, tensors, 4, scalars, 1};
  fa4_plan *plan = nullptr;
  check(fa4_prepare(context, &request, &plan));
  check(fa4_launch(plan));
  fa4_destroy_plan(plan);
  o.fetch();
  Errors errors;
  for (int64_t row = 0; row < s.seqlenQ; ++row)
    for (int64_t head = 0; head < s.heads; ++head)
      compareRow(s, row, head, q, k, v, o, errors);
  double bound = 2 * errors.low + 2 * errors.noise;
  bool good = errors.ours <= bound;
  std::printf(
      "%lld x %lld, %lld heads, d %lld%s: max error %.3e (bound %.3e)%s\n",
      (long long)s.seqlenQ, (long long)s.seqlenK, (long long)s.heads,
      (long long)s.headDim, s.causal ? ", causal" : "", errors.ours, bound,
      good ? "" : ": WRONG");
  return good;
}

} // namespace

int main(int argc, char **argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: sigmoid-check BUNDLE\n");
    return 1;
  }
  fa4_context *context = nullptr;
  check(fa4_open_emulator(argv[1], &context));
  bool good = true;
  for (const Shape &shape :
       {Shape{128, 256, 1, 64, false}, Shape{200, 300, 2, 64, true},
        Shape{257, 127, 1, 128, false}})
    good &= runShape(context, shape);
  fa4_close(context);
  return good ? 0 : 1;
}
