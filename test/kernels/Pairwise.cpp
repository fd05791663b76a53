#include "test/kernels/Pairwise.h"

namespace fa4::test {
namespace {

using Case = std::vector<std::size_t>;
constexpr std::size_t open = ~std::size_t{0}; // a factor without a value yet

class Cover {
public:
  explicit Cover(const std::vector<std::size_t> &sizes) : sizes(sizes) {
    for (std::size_t f = 0; f < sizes.size(); ++f) {
      first.push_back(count);
      count += sizes[f];
    }
    met.assign(count * count, false);
    uses.assign(count, 0);
  }

  std::vector<Case> all() {
    std::vector<Case> cases;
    for (std::size_t a = 0; a + 1 < sizes.size(); ++a)
      for (std::size_t b = a + 1; b < sizes.size(); ++b)
        for (std::size_t x = 0; x < sizes[a]; ++x)
          for (std::size_t y = 0; y < sizes[b]; ++y)
            if (!met[index(a, x, b, y)])
              cases.push_back(caseWith(a, x, b, y));
    return cases;
  }

private:
  std::size_t index(std::size_t a, std::size_t x, std::size_t b,
                    std::size_t y) const {
    return (first[a] + x) * count + first[b] + y;
  }

  /// A case that has these two and, factor by factor, what adds most pairs.
  Case caseWith(std::size_t a, std::size_t x, std::size_t b, std::size_t y) {
    Case chosen(sizes.size(), open);
    chosen[a] = x;
    chosen[b] = y;
    for (std::size_t f = 0; f < sizes.size(); ++f)
      if (chosen[f] == open)
        chosen[f] = best(chosen, f);
    for (std::size_t f = 0; f < sizes.size(); ++f) {
      ++uses[first[f] + chosen[f]];
      for (std::size_t g = 0; g < sizes.size(); ++g)
        met[index(f, chosen[f], g, chosen[g])] = true;
    }
    return chosen;
  }

  std::size_t best(const Case &chosen, std::size_t f) const {
    std::size_t winner = 0, most = 0;
    for (std::size_t v = 0; v < sizes[f]; ++v) {
      std::size_t fresh = 0;
      for (std::size_t g = 0; g < sizes.size(); ++g)
        fresh += chosen[g] != open && !met[index(f, v, g, chosen[g])];
      bool rarer = uses[first[f] + v] < uses[first[f] + winner];
      if (fresh > most || (fresh == most && rarer)) {
        winner = v;
        most = fresh;
      }
    }
    return winner;
  }

  const std::vector<std::size_t> &sizes;
  std::size_t count = 0;
  std::vector<std::size_t> first; // number of each factor's value 0
  std::vector<bool> met;
  std::vector<int> uses;
};

} // namespace

std::vector<Case> pairwiseCases(const std::vector<std::size_t> &sizes) {
  return Cover(sizes).all();
}

std::vector<Case> allCases(const std::vector<std::size_t> &sizes) {
  std::vector<Case> cases{{}};
  for (std::size_t size : sizes) {
    std::vector<Case> longer;
    for (const Case &start : cases)
      for (std::size_t v = 0; v < size; ++v) {
        longer.push_back(start);
        longer.back().push_back(v);
      }
    cases = std::move(longer);
  }
  return cases;
}

} // namespace fa4::test
