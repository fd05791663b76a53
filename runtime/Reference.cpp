#include "runtime/Reference.h"

#include "runtime/ParallelFor.h"

#include <cmath>
#include <limits>

namespace fa4 {
namespace {

constexpr int64_t rowsOfTask = 32;

/// y[0..n) += a * x[0..n)
template <typename Real>
void addScaled(Real *__restrict y, Real a, const Real *__restrict x,
               int64_t n) {
  for (int64_t i = 0; i < n; ++i)
    y[i] += a * x[i];
}

/// A tensor [batch, seqlen, heads, dim] as one matrix [rows, dim] for each
/// (batch, head), or as its transpose.
template <typename Real> struct Heads {
  int64_t rows, dim, heads;
  std::vector<Real> values;

  Heads(std::span<const float> tensor, int64_t batch, int64_t rows,
        int64_t heads, int64_t dim)
      : rows(rows), dim(dim), heads(heads), values(tensor.size()) {
    for (int64_t i = 0; i < batch * rows * heads; ++i) {
      int64_t h = i % heads, r = i / heads % rows, b = i / heads / rows;
      std::copy_n(tensor.begin() + i * dim, dim, row(b, h, r));
    }
  }
  Real *matrix(int64_t b, int64_t h) {
    return values.data() + (b * heads + h) * rows * dim;
  }
  Real *row(int64_t b, int64_t h, int64_t r) { return matrix(b, h) + r * dim; }

  Heads transposed() const {
    Heads other(*this);
    std::swap(other.rows, other.dim);
    int64_t size = rows * dim;
    for (int64_t i = 0; i < int64_t(values.size()); ++i) {
      int64_t d = i % dim, r = i / dim % rows, matrix = i / size;
      other.values[size_t(matrix * size + d * rows + r)] = values[size_t(i)];
    }
    return other;
  }
};

/// The formula of the header in one arithmetic: `Real` accumulates, `rounded`
/// stores.
template <typename Real> class Attention {
public:
  Attention(const AttentionShape &shape, const AttentionInputs &inputs,
            ElementType precision, bool gradients)
      : shape(shape), inputs(inputs), precision(precision),
        group(shape.headsQ / std::max<int64_t>(shape.headsKv, 1)),
        q(inputs.q, shape.batch, shape.seqlenQ, shape.headsQ, shape.headDim),
        k(inputs.k, shape.batch, shape.seqlenK, shape.headsKv, shape.headDim),
        v(inputs.v, shape.batch, shape.seqlenK, shape.headsKv, shape.headDimV),
        dO(inputs.dO, shape.batch, gradients ? shape.seqlenQ : 0, shape.headsQ,
           shape.headDimV),
        kT(k.transposed()), vT(v.transposed()) {
    results.o.resize(size_t(rowCount() * shape.headDimV));
    results.lse.resize(size_t(rowCount()));
    if (!gradients)
      return;
    results.dQ.resize(inputs.q.size());
    results.dK.resize(inputs.k.size());
    results.dV.resize(inputs.v.size());
  }

  AttentionResults forward(unsigned threads) {
    int64_t pieces = (shape.seqlenQ + rowsOfTask - 1) / rowsOfTask;
    parallelFor(shape.batch * shape.headsQ * pieces, threads, [&](int64_t i) {
      int64_t head = i / pieces, first = i % pieces * rowsOfTask;
      int64_t end = std::min(first + rowsOfTask, shape.seqlenQ);
      Row row(*this, head / shape.headsQ, head % shape.headsQ);
      for (int64_t r = first; r < end; ++r)
        row.forward(r);
    });
    return std::move(results);
  }

  AttentionResults backward(unsigned threads) {
    parallelFor(shape.batch * shape.headsKv, threads, [&](int64_t i) {
      backwardOfHead(i / shape.headsKv, i % shape.headsKv);
    });
    return std::move(results);
  }

private:
  /// One query row at a time of one head.
  struct Row {
    Attention &a;
    int64_t b, h, hk, live = 0;
    std::vector<Real> s, dS, out, dQ;

    Row(Attention &attention, int64_t b, int64_t h)
        : a(attention), b(b), h(h), hk(h / attention.group),
          s(size_t(attention.shape.seqlenK)), dS(s.size()),
          out(size_t(attention.shape.headDimV)),
          dQ(size_t(attention.shape.headDim)) {}

    /// x K^T or x V^T into `to`.
    void products(std::vector<Real> &to, const Real *x, Heads<Real> &transposed,
                  Real factor) {
      std::fill_n(to.begin(), live, Real(0));
      const Real *matrix = transposed.matrix(b, hk);
      for (int64_t d = 0; d < transposed.rows; ++d)
        addScaled(to.data(), x[d], matrix + d * transposed.dim, live);
      for (int64_t j = 0; j < live; ++j)
        to[size_t(j)] = a.rounded(factor * to[size_t(j)]);
    }

    /// S, then P in `s`; LSE and O in the results.
    void forward(int64_t r) {
      live = a.shape.liveKeys(r);
      double &lse =
          a.results.lse[size_t((b * a.shape.headsQ + h) * a.shape.seqlenQ + r)];
      lse = -std::numeric_limits<double>::infinity();
      if (live == 0)
        return;
      products(s, a.q.row(b, h, r), a.kT, Real(a.shape.scale));
      Real highest = *std::max_element(s.begin(), s.begin() + live), sum = 0;
      for (int64_t j = 0; j < live; ++j)
        sum += s[size_t(j)] = std::exp(s[size_t(j)] - highest);
      lse = highest + std::log(sum);
      std::fill(out.begin(), out.end(), Real(0));
      for (int64_t j = 0; j < live; ++j) {
        s[size_t(j)] = a.rounded(s[size_t(j)] / sum);
        addScaled(out.data(), s[size_t(j)], a.v.row(b, hk, j),
                  a.shape.headDimV);
      }
      double *o = a.results.o.data() + a.offset(r, h, b) * a.shape.headDimV;
      for (int64_t d = 0; d < a.shape.headDimV; ++d)
        o[d] = a.rounded(out[size_t(d)]);
    }

    /// After forward(r): dQ of the row; adds to dK and dV [seqlenK, dim].
    void backward(int64_t r, Real *dK, Real *dV) {
      const Real *dO = a.dO.row(b, h, r);
      products(dS, dO, a.vT, Real(1));
      Real delta = 0;
      for (int64_t j = 0; j < live; ++j)
        delta += s[size_t(j)] * dS[size_t(j)];
      if (!a.inputs.dLse.empty())
        delta -=
            a.inputs
                .dLse[size_t((b * a.shape.headsQ + h) * a.shape.seqlenQ + r)];
      const Real *q = a.q.row(b, h, r);
      std::fill(dQ.begin(), dQ.end(), Real(0));
      for (int64_t j = 0; j < live; ++j) {
        Real ds = a.rounded(s[size_t(j)] * (dS[size_t(j)] - delta));
        addScaled(dQ.data(), ds, a.k.row(b, hk, j), a.shape.headDim);
        addScaled(dK + j * a.shape.headDim, ds, q, a.shape.headDim);
        addScaled(dV + j * a.shape.headDimV, s[size_t(j)], dO,
                  a.shape.headDimV);
      }
      double *to = a.results.dQ.data() + a.offset(r, h, b) * a.shape.headDim;
      for (int64_t d = 0; d < a.shape.headDim; ++d)
        to[d] = a.rounded(Real(a.shape.scale) * dQ[size_t(d)]);
    }
  };

  void backwardOfHead(int64_t b, int64_t hk) {
    int64_t d = shape.headDim, dv = shape.headDimV;
    std::vector<Real> dK(size_t(shape.seqlenK * d));
    std::vector<Real> dV(size_t(shape.seqlenK * dv));
    for (int64_t h = hk * group; h < (hk + 1) * group; ++h) {
      Row row(*this, b, h);
      for (int64_t r = 0; r < shape.seqlenQ; ++r) {
        row.forward(r);
        row.backward(r, dK.data(), dV.data());
      }
    }
    for (int64_t j = 0; j < shape.seqlenK; ++j) {
      int64_t key = (b * shape.seqlenK + j) * shape.headsKv + hk;
      for (int64_t c = 0; c < d; ++c)
        results.dK[size_t(key * d + c)] =
            rounded(Real(shape.scale) * dK[size_t(j * d + c)]);
      for (int64_t c = 0; c < dv; ++c)
        results.dV[size_t(key * dv + c)] = rounded(dV[size_t(j * dv + c)]);
    }
  }

  Real rounded(Real value) const { return roundTo(precision, value); }
  int64_t rowCount() const {
    return shape.batch * shape.seqlenQ * shape.headsQ;
  }
  int64_t offset(int64_t r, int64_t h, int64_t b) const {
    return (b * shape.seqlenQ + r) * shape.headsQ + h;
  }

  const AttentionShape &shape;
  const AttentionInputs &inputs;
  ElementType precision;
  int64_t group;
  Heads<Real> q, k, v, dO, kT, vT;
  AttentionResults results;
};

} // namespace

AttentionResults attentionForward(const AttentionShape &shape,
                                  const AttentionInputs &inputs,
                                  ElementType precision, unsigned threads) {
  if (precision == ElementType::F64)
    return Attention<double>(shape, inputs, precision, false).forward(threads);
  return Attention<float>(shape, inputs, precision, false).forward(threads);
}

AttentionResults attentionBackward(const AttentionShape &shape,
                                   const AttentionInputs &inputs,
                                   ElementType precision, unsigned threads) {
  if (precision == ElementType::F64)
    return Attention<double>(shape, inputs, precision, true).backward(threads);
  return Attention<float>(shape, inputs, precision, true).backward(threads);
}

} // namespace fa4
