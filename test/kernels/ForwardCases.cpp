#include "test/kernels/ForwardCases.h"

#include "test/kernels/ForwardRunner.h"
#include "test/kernels/Pairwise.h"

#include <fmt/format.h>

#include <array>
#include <span>
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
using HeadDims = std::pair<int64_t, int64_t>;
constexpr std::array<HeadDims, 4> headDims = {
    {{64, 64}, {96, 96}, {128, 128}, {192, 128}}};
// fa3_fwd: blocks of 48, 96 and 128 keys, tiles of 128 and 192 rows.
constexpr std::array<int64_t, 7> hopperLengths = {0, 1, 63, 96, 129, 193, 257};
constexpr std::array<HeadDims, 5> hopperHeadDims = {
    {{64, 64}, {96, 96}, {128, 128}, {192, 128}, {256, 256}}};
constexpr std::array<ElementType, 2> types = {ElementType::BF16,
                                              ElementType::F16};
constexpr std::array<int64_t, 2> batches = {1, 2};
constexpr std::array<Layout, 3> layouts = {Layout::Bshd, Layout::Bhsd,
                                           Layout::Padded};

/// The factors in which the targets differ.
struct Factors {
  std::span<const int64_t> lengths;
  std::span<const HeadDims> headDims;
};

/// Functions: test suites ask for cases before main.
Factors blackwell() { return {lengths, headDims}; }
Factors hopper() { return {hopperLengths, hopperHeadDims}; }

std::vector<std::size_t> productSizes(const Factors &factors) {
  return {factors.lengths.size(), factors.lengths.size(),  masks.size(),
          headRatios.size(),      factors.headDims.size(), types.size()};
}

RunOptions caseAt(const Factors &factors, const std::vector<std::size_t> &at,
                  uint64_t seed) {
  AttentionShape shape;
  shape.seqlenQ = factors.lengths[at[0]];
  shape.seqlenK = factors.lengths[at[1]];
  shape.causal = masks[at[2]];
  std::tie(shape.headsQ, shape.headsKv) = headRatios[at[3]];
  std::tie(shape.headDim, shape.headDimV) = factors.headDims[at[4]];
  shape.batch = at.size() > 6 ? batches[at[6]] : 1;
  RunOptions options = optionsFor(shape, types[at[5]]);
  if (at.size() > 7)
    options.layout = layouts[at[7]];
  if (at.size() > 8)
    options.deterministic = at[8];
  options.seed = seed;
  return options;
}

std::vector<RunOptions>
casesAt(const Factors &factors,
        const std::vector<std::vector<std::size_t>> &indices) {
  std::vector<RunOptions> cases;
  for (const std::vector<std::size_t> &at : indices)
    cases.push_back(caseAt(factors, at, cases.size()));
  return cases;
}

/// `forms`: 2 where a deterministic one is a factor, too.
std::vector<RunOptions> pairsOf(const Factors &factors, std::size_t forms = 1) {
  std::vector<std::size_t> sizes = productSizes(factors);
  sizes.push_back(batches.size());
  sizes.push_back(layouts.size());
  if (forms > 1)
    sizes.push_back(forms);
  return casesAt(factors, pairwiseCases(sizes));
}

constexpr std::pair<int64_t, int64_t> reported[] = {
    {3, 3},      {64, 32},   {64, 128},    {64, 1},      {128, 192},
    {255, 256},  {239, 1},   {799, 3},     {113, 203},   {113, 128},
    {128, 217},  {113, 211}, {108, 256},   {256, 512},   {384, 256},
    {640, 128},  {512, 256}, {1024, 1024}, {1023, 1024}, {1024, 1023},
    {1, 339},    {3, 1024},  {64, 800},    {3, 799},     {64, 2048},
    {2048, 2048}};

} // namespace

std::vector<RunOptions> forwardPairs() { return pairsOf(blackwell()); }

std::vector<RunOptions> hopperForwardPairs() {
  std::vector<RunOptions> cases = pairsOf(hopper());
  for (RunOptions &options : cases)
    options.kernel = "fa3_fwd", options.arch = "sm_90a";
  return cases;
}

std::vector<RunOptions> backwardPairs() {
  std::vector<RunOptions> cases =
      pairsOf({lengths, std::span(headDims).first(3)}, 2);
  for (std::size_t i = 1; i < cases.size(); i += 2)
    cases[i].dLse = true;
  return cases;
}

std::vector<RunOptions> forwardProduct() {
  return casesAt(blackwell(), allCases(productSizes(blackwell())));
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
  return fmt::format("q{}_k{}_{}_h{}_kv{}_d{}x{}_{}_b{}_{}{}", s.seqlenQ,
                     s.seqlenK, s.causal ? "causal" : "full", s.headsQ,
                     s.headsKv, s.headDim, s.headDimV,
                     elementName(options.type), s.batch, layout,
                     options.deterministic ? "_deterministic" : "");
}

} // namespace fa4::test
