#include "test/kernels/ForwardCases.h"

#include "test/kernels/ForwardRunner.h"
#include "test/kernels/Pairwise.h"

#include <fmt/format.h>

#include <array>
#include <utility>

namespace fa4::test {
namespace {

// Around a half tile, a half, one and a half, and a tile of 128 keys or rows;
// 256 rows are a CTA's.
constexpr std::array<int64_t, 14> lengths = {0,   1,   2,   63,  64,  65,  127,
                                             128, 129, 191, 192, 255, 256, 257};
constexpr std::array<bool, 2> masks = {false, true};
constexpr std::array<std::pair<int64_t, int64_t>, 3> headRatios = {
    {{1, 1}, {4, 1}, {10, 2}}};
constexpr std::array<std::pair<int64_t, int64_t>, 4> headDims = {
    {{64, 64}, {96, 96}, {128, 128}, {192, 128}}};
constexpr std::array<ElementType, 2> types = {ElementType::BF16,
                                              ElementType::F16};
constexpr std::array<int64_t, 2> batches = {1, 2};
constexpr std::array<Layout, 3> layouts = {Layout::Bshd, Layout::Bhsd,
                                           Layout::Padded};

/// A function: test suites ask for cases before main.
std::vector<std::size_t> productSizes() {
  return {lengths.size(),    lengths.size(),  masks.size(),
          headRatios.size(), headDims.size(), types.size()};
}

RunOptions caseAt(const std::vector<std::size_t> &at, uint64_t seed) {
  AttentionShape shape;
  shape.seqlenQ = lengths[at[0]];
  shape.seqlenK = lengths[at[1]];
  shape.causal = masks[at[2]];
  std::tie(shape.headsQ, shape.headsKv) = headRatios[at[3]];
  std::tie(shape.headDim, shape.headDimV) = headDims[at[4]];
  shape.batch = at.size() > 6 ? batches[at[6]] : 1;
  RunOptions options = optionsFor(shape, types[at[5]]);
  if (at.size() > 7)
    options.layout = layouts[at[7]];
  options.seed = seed;
  return options;
}

std::vector<RunOptions>
casesAt(const std::vector<std::vector<std::size_t>> &indices) {
  std::vector<RunOptions> cases;
  for (const std::vector<std::size_t> &at : indices)
    cases.push_back(caseAt(at, cases.size()));
  return cases;
}

constexpr std::pair<int64_t, int64_t> reported[] = {
    {3, 3},      {64, 32},   {64, 128},    {64, 1},      {128, 192},
    {255, 256},  {239, 1},   {799, 3},     {113, 203},   {113, 128},
    {128, 217},  {113, 211}, {108, 256},   {256, 512},   {384, 256},
    {640, 128},  {512, 256}, {1024, 1024}, {1023, 1024}, {1024, 1023},
    {1, 339},    {3, 1024},  {64, 800},    {3, 799},     {64, 2048},
    {2048, 2048}};

} // namespace

std::vector<RunOptions> forwardPairs() {
  std::vector<std::size_t> sizes = productSizes();
  sizes.push_back(batches.size());
  sizes.push_back(layouts.size());
  return casesAt(pairwiseCases(sizes));
}

std::vector<RunOptions> forwardProduct() {
  return casesAt(allCases(productSizes()));
}

std::vector<RunOptions> reportedLengths() {
  std::vector<RunOptions> cases;
  for (auto [q, k] : reported) {
    std::size_t i = cases.size();
    AttentionShape shape;
    shape.seqlenQ = q;
    shape.seqlenK = k;
    shape.causal = i % 2 == 1;
    std::tie(shape.headDim, shape.headDimV) = headDims[i / 2 % headDims.size()];
    cases.push_back(optionsFor(shape, types[i / 3 % types.size()]));
  }
  return cases;
}

std::string caseName(const RunOptions &options) {
  const AttentionShape &s = options.shape;
  const char *layout = options.layout == Layout::Bshd   ? "bshd"
                       : options.layout == Layout::Bhsd ? "bhsd"
                                                        : "padded";
  return fmt::format("q{}_k{}_{}_h{}_kv{}_d{}x{}_{}_b{}_{}", s.seqlenQ,
                     s.seqlenK, s.causal ? "causal" : "full", s.headsQ,
                     s.headsKv, s.headDim, s.headDimV,
                     elementName(options.type), s.batch, layout);
}

} // namespace fa4::test
