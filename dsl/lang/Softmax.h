// Online softmax: a running row maximum and sum, over DSL values.
#pragma once
#include "dsl/lang/Carried.h"
#include <limits>

namespace tile {

/// Softmax of scores x * scale over blocks of columns. With slack > 0 the
/// maximum moves only when a block exceeds it by more than `slack` in log2
/// units, so that the accumulator is rarely rescaled (FlashAttention-4,
/// "conditional rescaling"): exponentials then reach 2^slack. A row without a
/// live score has sum 0.
class OnlineSoftmax {
public:
  /// `empty` is a row of -inf, `zero` a row of 0.
  OnlineSoftmax(Row empty, Row zero, Scalar scaleLog2, double slack)
      : max(empty), sum(zero), alpha(zero), scale(scaleLog2), slack(slack) {}

  /// Takes a block of raw scores into the maximum. Returns the factor by
  /// which everything accumulated so far is to be multiplied: 1, or less.
  Row update(Frag x) {
    Row old = max, fresh = rowMax(x, old);
    Row step = (old - finite(fresh)) * scale;
    Row factor = exp2(step);
    if (slack > 0) {
      RowOf<bool> keep = step >= -slack;
      fresh = select(keep, old, fresh);
      factor = select(keep, 1.0, factor);
    }
    max = fresh;
    alpha = factor;
    return factor;
  }
  /// 2^((x - maximum) * scale), the unnormalized probabilities.
  Frag exp(Frag x, Exp2Split split) {
    Row m = max;
    Row offset = finite(m) * scale * -1.0;
    return exp2(fma(x, scale, offset), split);
  }
  /// Adds a block of probabilities to the sum.
  void add(Frag p) {
    Row scaled = sum.get() * alpha.get();
    sum = rowSumPartial(p, scaled);
  }
  Row total() const { return combined(sum); }
  /// By which the accumulator is multiplied in the end: 1 / total; 1 for a dead
  /// row, whose accumulator is 0.
  static Row normalizer(Row total) {
    return reciprocal(select(total == 0.0, 1.0, total));
  }
  /// Natural logarithm of the sum of exponentials; -inf for a dead row.
  Row logSumExp() const {
    constexpr double ln2 = 0.6931471805599453;
    return (max.get() * scale + log2(total())) * ln2;
  }

private:
  /// -inf would make 0 * inf; a row of -inf has no finite score to subtract.
  static Row finite(Row m) {
    return select(m == -std::numeric_limits<double>::infinity(), 0.0, m);
  }
  Carried<Row> max, sum, alpha;
  Scalar scale;
  double slack;
};

} // namespace tile
