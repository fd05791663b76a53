#include "runtime/tools/fa4-run/AttentionCheck.h"

#include "runtime/tools/fa4-run/ElapsedTicker.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace fa4 {
namespace {

struct Both {
  AttentionResults exact, low;
};

Both referenceOf(const RunOptions &options, const HostInputs &inputs,
                 bool backward) {
  ElapsedTicker ticker("reference");
  auto compute = backward ? attentionBackward : attentionForward;
  AttentionInputs views = inputs.views();
  if (!options.dLse)
    views.dLse = {};
  return {compute(options.shape, views, ElementType::F64, options.threads),
          compute(options.shape, views, options.type, options.threads)};
}

/// LSE is in f32 whatever the kernel's type, so its noise is f32's; and the
/// plain formula knows neither of its two sources of error: the polynomial's
/// share of the sum, of relative error 8.77e-5 (Exp2Test), and the change to
/// log2 units and back, an f32 rounding each of values as large as the scores.
void admitExponentials(ErrorReport &lse, const std::vector<double> &exact) {
  constexpr double polynomial = 8.77e-5, rounding = 0x1p-23;
  double largest = 0;
  for (double value : exact)
    if (std::isfinite(value))
      largest = std::max(largest, std::abs(value));
  double admitted = polynomial + 2 * rounding * largest;
  lse.maxBound += admitted;
  lse.meanBound += admitted;
}

/// How many elements of dead rows are not exactly what they must be.
int64_t wrongDeadElements(const AttentionShape &shape,
                          const ComputedTensors &computed) {
  int64_t wrong = 0;
  auto checkRow = [&](const char *name, int64_t row, int64_t size) {
    auto found = computed.find(name);
    for (int64_t d = 0; found != computed.end() && d < size; ++d)
      wrong += found->second[static_cast<std::size_t>(row * size + d)] != 0;
  };
  int64_t rows = shape.batch * shape.seqlenQ * shape.headsQ;
  for (int64_t row = 0; row < rows; ++row) {
    int64_t h = row % shape.headsQ, r = row / shape.headsQ % shape.seqlenQ;
    int64_t b = row / shape.headsQ / shape.seqlenQ;
    if (shape.liveKeys(r) > 0)
      continue;
    checkRow("o", row, shape.headDimV);
    checkRow("dq", row, shape.headDim);
    wrong += computed.at("lse")[static_cast<std::size_t>(
                 (b * shape.headsQ + h) * shape.seqlenQ + r)] !=
             -std::numeric_limits<float>::infinity();
  }
  return wrong;
}

} // namespace

CheckedAttention checkAttention(const RunOptions &options,
                                const HostInputs &inputs,
                                const ComputedTensors &computed) {
  bool backward = computed.contains("dq");
  Both both = referenceOf(options, inputs, backward);
  CheckedAttention checked;
  auto check = [&](const char *name,
                   std::vector<double> AttentionResults::*of) {
    auto found = computed.find(name);
    if (found == computed.end())
      return;
    const bool isLse = of == &AttentionResults::lse;
    ErrorReport report =
        compare(name, found->second, both.exact.*of, both.low.*of,
                isLse ? ElementType::F32 : options.type);
    if (isLse)
      admitExponentials(report, both.exact.lse);
    checked.text += report.text() + "\n";
    checked.within = checked.within && report.within();
  };
  check("o", &AttentionResults::o);
  check("lse", &AttentionResults::lse);
  check("dq", &AttentionResults::dQ);
  check("dk", &AttentionResults::dK);
  check("dv", &AttentionResults::dV);
  if (int64_t wrong = wrongDeadElements(options.shape, computed)) {
    checked.text += fmt::format("{} elements of rows without a key are not "
                                "exactly 0 (LSE: -inf)\n",
                                wrong);
    checked.within = false;
  }
  return checked;
}

} // namespace fa4
