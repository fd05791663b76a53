// A small set of cases in which every two values of different factors meet.
#pragma once
#include <cstddef>
#include <vector>

namespace fa4::test {

/// `sizes`: how many values each factor has. A case is an index into each
/// factor. Deterministic: greedy, ties go to the value that was used least.
std::vector<std::vector<std::size_t>>
pairwiseCases(const std::vector<std::size_t> &sizes);

/// Every combination, the first factor slowest.
std::vector<std::vector<std::size_t>>
allCases(const std::vector<std::size_t> &sizes);

} // namespace fa4::test
