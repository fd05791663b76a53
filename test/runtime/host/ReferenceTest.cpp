#include "runtime/Reference.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

namespace fa4 {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

struct Problem {
  AttentionShape shape;
  std::vector<float> q, k, v, dO, dLse;

  explicit Problem(AttentionShape wanted, unsigned seed = 1) : shape(wanted) {
    std::mt19937 generator(seed);
    auto fill = [&](std::vector<float> &tensor, int64_t count) {
      for (int64_t i = 0; i < count; ++i)
        tensor.push_back(float(int(generator() % 17) - 8) / 8);
    };
    int64_t rowsQ = shape.batch * shape.seqlenQ * shape.headsQ;
    int64_t rowsK = shape.batch * shape.seqlenK * shape.headsKv;
    fill(q, rowsQ * shape.headDim);
    fill(k, rowsK * shape.headDim);
    fill(v, rowsK * shape.headDimV);
    fill(dO, rowsQ * shape.headDimV);
    fill(dLse, rowsQ);
  }
  AttentionInputs inputs() const { return {q, k, v, dO, dLse}; }
  AttentionResults forward() const {
    return attentionForward(shape, inputs(), ElementType::F64);
  }
  AttentionResults backward() const {
    return attentionBackward(shape, inputs(), ElementType::F64);
  }

  /// sum(dO * O) + sum(dLSE * LSE) without dead rows: what the gradients are
  /// the gradients of.
  double loss() const {
    AttentionResults results = forward();
    double sum = 0;
    for (std::size_t i = 0; i < dO.size(); ++i)
      sum += double(dO[i]) * results.o[i];
    for (std::size_t i = 0; i < dLse.size(); ++i)
      if (std::isfinite(results.lse[i]))
        sum += double(dLse[i]) * results.lse[i];
    return sum;
  }
};

/// Moves each element of one input by a step that floats hold exactly and
/// compares the slope of the loss with the gradient.
void checkGradient(Problem &problem, std::vector<float> &input,
                   const std::vector<double> &gradient) {
  constexpr float step = 0x1p-10f;
  for (std::size_t i = 0; i < input.size(); ++i) {
    float value = input[i];
    input[i] = value + step;
    double above = problem.loss();
    input[i] = value - step;
    double below = problem.loss();
    input[i] = value;
    EXPECT_NEAR(gradient[i], (above - below) / (2 * step), 1e-5) << i;
  }
}

// The gradients are the slopes of the forward formula, with every feature on.
TEST(Reference, FiniteDifferences) {
  for (bool causal : {false, true}) {
    Problem problem({1, 4, 2, 5, 4, 6, 3, causal, 0.5});
    AttentionResults results = problem.backward();
    checkGradient(problem, problem.q, results.dQ);
    checkGradient(problem, problem.k, results.dK);
    checkGradient(problem, problem.v, results.dV);
  }
}

// One key: P = 1, so O = V, LSE = S, dV = dO and nothing flows to Q and K.
TEST(Reference, OneKey) {
  Problem problem({1, 1, 1, 1, 1, 8, 8, false, 0.25});
  problem.dLse.clear();
  AttentionResults results = problem.backward();
  double s = 0;
  for (int d = 0; d < 8; ++d)
    s += 0.25 * problem.q[d] * problem.k[d];
  EXPECT_DOUBLE_EQ(results.lse[0], s);
  for (int d = 0; d < 8; ++d) {
    EXPECT_EQ(results.o[d], problem.v[d]);
    EXPECT_EQ(results.dV[d], problem.dO[d]);
    EXPECT_EQ(results.dQ[d], 0);
    EXPECT_EQ(results.dK[d], 0);
  }
}

// Rows above the bottom-right diagonal see nothing and give nothing.
TEST(Reference, DeadRows) {
  Problem problem({1, 1, 1, 4, 2, 4, 4, true, 1});
  AttentionResults results = problem.backward();
  EXPECT_EQ(results.lse[0], -infinity);
  EXPECT_EQ(results.lse[1], -infinity);
  EXPECT_TRUE(std::isfinite(results.lse[2]));
  for (int d = 0; d < 8; ++d) {
    EXPECT_EQ(results.o[d], 0);
    EXPECT_EQ(results.dQ[d], 0);
  }
  for (double value : results.dK)
    EXPECT_TRUE(std::isfinite(value));
  for (int d = 0; d < 4; ++d)
    EXPECT_EQ(results.o[8 + d], problem.v[d]);
}

// Without keys all rows are dead; without rows there is nothing at all.
TEST(Reference, EmptySequences) {
  AttentionResults noKeys = Problem({1, 2, 1, 3, 0, 4, 4, true, 1}).backward();
  EXPECT_EQ(noKeys.lse, std::vector<double>(6, -infinity));
  EXPECT_EQ(noKeys.o, std::vector<double>(24, 0));
  EXPECT_EQ(noKeys.dQ, std::vector<double>(24, 0));
  EXPECT_TRUE(noKeys.dK.empty());
  AttentionResults noRows = Problem({1, 2, 1, 0, 3, 4, 4, true, 1}).backward();
  EXPECT_TRUE(noRows.o.empty());
  EXPECT_EQ(noRows.dV, std::vector<double>(12, 0));
  EXPECT_TRUE(Problem({0, 2, 1, 3, 3, 4, 4, false, 1}).backward().o.empty());
}

// Grouped heads are the same as keys repeated for each query head, with the
// gradients of a group summed.
TEST(Reference, GroupedHeads) {
  Problem grouped({1, 2, 1, 3, 3, 4, 4, false, 1});
  Problem repeated = grouped;
  repeated.shape.headsKv = 2;
  repeated.k.clear();
  repeated.v.clear();
  for (int i = 0; i < 3 * 2 * 4; ++i) { // [row, head, d]
    repeated.k.push_back(grouped.k[i / 8 * 4 + i % 4]);
    repeated.v.push_back(grouped.v[i / 8 * 4 + i % 4]);
  }
  AttentionResults one = grouped.backward(), two = repeated.backward();
  EXPECT_EQ(one.o, two.o);
  EXPECT_EQ(one.dQ, two.dQ);
  for (int row = 0; row < 3; ++row)
    for (int d = 0; d < 4; ++d)
      EXPECT_NEAR(one.dK[row * 4 + d],
                  two.dK[row * 8 + d] + two.dK[row * 8 + 4 + d], 1e-12);
}

// Integer inputs with exact sums: with equal scores O is the mean of V.
TEST(Reference, LowIsExactOnExactData) {
  Problem problem({1, 1, 1, 2, 4, 4, 4, false, 1});
  std::fill(problem.k.begin(), problem.k.end(), 1.0f);
  AttentionResults low =
      attentionForward(problem.shape, problem.inputs(), ElementType::F16);
  EXPECT_EQ(low.o, problem.forward().o);
}

// The low precision result has the error of its type, not that of another.
TEST(Reference, LowHasTheErrorOfItsType) {
  Problem problem({1, 1, 1, 32, 64, 16, 16, false, 0.25});
  AttentionResults exact = problem.forward();
  auto error = [&](ElementType type) {
    AttentionResults low =
        attentionForward(problem.shape, problem.inputs(), type);
    double largest = 0;
    for (std::size_t i = 0; i < low.o.size(); ++i)
      largest = std::max(largest, std::abs(low.o[i] - exact.o[i]));
    return largest;
  };
  EXPECT_GT(error(ElementType::F16), 1e-5);
  EXPECT_GT(error(ElementType::BF16), 4 * error(ElementType::F16));
  EXPECT_LT(error(ElementType::BF16), 2e-2);
}

} // namespace
} // namespace fa4
