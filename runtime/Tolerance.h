// When a computed tensor is close enough to the reference.
#pragma once
#include "runtime/ElementType.h"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace fa4 {

/// Of one tensor. An element that is NaN, or that isn't the reference's
/// infinity where that has one, counts as an infinite error.
struct ErrorReport {
  std::string name;
  double maxError = 0, maxBound = 0;
  double meanError = 0, meanBound = 0;
  int64_t elements = 0;
  int64_t worst = -1; // index of the largest error

  bool within() const { return maxError <= maxBound && meanError <= meanBound; }
  /// "o: max error 1.2e-03 (bound 3.4e-03), mean error ... ok"
  std::string text() const;
};

/// maxBound = 2 max|low - ref| + 2 max|noise|, meanBound = 1.5 mean|low - ref|
/// + mean|noise|, over the elements where low and ref are finite; noise =
/// fl(fl(r + 0.3) - 0.3) - r with r = fl(ref), fl rounding to `type`.
ErrorReport compare(std::string_view name, std::span<const float> computed,
                    std::span<const double> reference,
                    std::span<const double> low, ElementType type);

} // namespace fa4
