#include "runtime/tools/fa4-emu/Subject.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>

namespace fa4 {
namespace {

constexpr float reorderingError = 0x1p-16f;

std::string differenceOfSums(const std::vector<float> &values,
                             const std::vector<float> &expected) {
  float largest = 0;
  for (float value : expected)
    largest = std::max(largest, std::abs(value));
  for (size_t n = 0; n < values.size(); ++n) {
    const float a = values[n], b = expected[n];
    const bool same = std::bit_cast<uint32_t>(a) == std::bit_cast<uint32_t>(b);
    if (!same && !(std::abs(a - b) <= reorderingError * largest))
      return fmt::format("the sums differ, first number {} of {}: {} and {}", n,
                         values.size(), a, b);
  }
  return "";
}

} // namespace

std::string difference(const Trial &trial, const Trial &baseline) {
  if (trial.outputs.size() != baseline.outputs.size() ||
      trial.sums.size() != baseline.sums.size())
    return "the outputs have another size";
  if (trial.outputs == baseline.outputs)
    return differenceOfSums(trial.sums, baseline.sums);
  auto first = std::mismatch(trial.outputs.begin(), trial.outputs.end(),
                             baseline.outputs.begin());
  return fmt::format("the outputs differ, first at byte {} of {}",
                     first.first - trial.outputs.begin(), trial.outputs.size());
}

} // namespace fa4
