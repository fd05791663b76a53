#include "runtime/Tolerance.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace fa4 {
namespace {

double noiseOf(double reference, ElementType type) {
  double r = roundTo(type, reference);
  return roundTo(type, roundTo(type, r + 0.3) - 0.3) - r;
}

double errorOf(float computed, double reference) {
  if (std::isinf(reference) && static_cast<double>(computed) == reference)
    return 0;
  double error = std::abs(static_cast<double>(computed) - reference);
  return std::isnan(error) ? std::numeric_limits<double>::infinity() : error;
}

} // namespace

ErrorReport compare(std::string_view name, std::span<const float> computed,
                    std::span<const double> reference,
                    std::span<const double> low, ElementType type) {
  ErrorReport report;
  report.name = name;
  report.elements = static_cast<int64_t>(reference.size());
  double lowSum = 0, noiseSum = 0, lowMax = 0, noiseMax = 0, errorSum = 0;
  int64_t counted = 0;
  for (std::size_t i = 0; i < reference.size(); ++i) {
    double error = errorOf(computed[i], reference[i]);
    errorSum += error;
    if (error > report.maxError || report.worst < 0) {
      report.maxError = error;
      report.worst = static_cast<int64_t>(i);
    }
    if (!std::isfinite(low[i]) || !std::isfinite(reference[i]))
      continue;
    double off = std::abs(low[i] - reference[i]);
    double noise = std::abs(noiseOf(reference[i], type));
    lowMax = std::max(lowMax, off);
    noiseMax = std::max(noiseMax, noise);
    lowSum += off;
    noiseSum += noise;
    ++counted;
  }
  double divisor = static_cast<double>(std::max<int64_t>(counted, 1));
  report.maxBound = 2 * lowMax + 2 * noiseMax;
  report.meanBound = (1.5 * lowSum + noiseSum) / divisor;
  report.meanError =
      errorSum / static_cast<double>(std::max<int64_t>(report.elements, 1));
  return report;
}

std::string ErrorReport::text() const {
  return fmt::format("{}: max error {:.3e} (bound {:.3e}), mean error {:.3e} "
                     "(bound {:.3e}), {} elements: {}",
                     name, maxError, maxBound, meanError, meanBound, elements,
                     within() ? "ok" : fmt::format("TOO LARGE at {}", worst));
}

} // namespace fa4
