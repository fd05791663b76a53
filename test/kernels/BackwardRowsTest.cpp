// attn_bwd_preprocess and attn_bwd_postprocess against their formulas.
#include "runtime/tools/fa4-run/AttentionInputs.h"
#include "runtime/tools/fa4-run/AttentionSession.h"
#include "runtime/tools/fa4-run/AttentionTensors.h"
#include "test/kernels/ForwardRunner.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace fa4::test {
namespace {

struct RowsCase {
  std::string arch;
  int64_t seqlen, headDim;
  ElementType type;
};

class BackwardRows : public testing::TestWithParam<RowsCase> {
protected:
  BackwardRows() {
    AttentionShape shape;
    shape.batch = 2;
    shape.headsQ = 3;
    shape.seqlenQ = GetParam().seqlen;
    shape.headDim = shape.headDimV = GetParam().headDim;
    options = optionsFor(shape, GetParam().type);
    options.arch = GetParam().arch;
    options.kernels = FA4_BUNDLE;
    options.emulator.options = everyCheck();
    options.canaries = true;
    options.layout = Layout::Padded;
    session = std::make_unique<AttentionSession>(options);
    shapes = shapesOf(options.shape);
  }

  std::vector<float> add(const std::string &name, ElementType type) {
    std::vector<float> values(elements(name));
    for (std::size_t i = 0; i < values.size(); ++i)
      values[i] = roundTo(type, normalAt(7, name.size() + name[0], i));
    session->addInput(name, type, shapes[name], values);
    return values;
  }
  std::size_t elements(const std::string &name) {
    std::size_t count = 1;
    for (int64_t dim : shapes[name])
      count *= static_cast<std::size_t>(dim);
    return count;
  }

  RunOptions options;
  std::unique_ptr<AttentionSession> session;
  std::map<std::string, std::vector<int64_t>> shapes;
};

/// Rows that are there have the formula's value, those up to the next 128 have
/// 0; a row without a key too.
TEST_P(BackwardRows, PreprocessComputesStatisticsAndClears) {
  const AttentionShape &s = options.shape;
  std::vector<float> o = add("o", options.type), g = add("do", options.type);
  options.layout = Layout::Bshd; // LSE is contiguous
  std::vector<float> dLse = add("dlse", ElementType::F32);
  std::vector<float> lse(elements("lse"), 0.75f);
  lse[1] = -std::numeric_limits<float>::infinity();
  session->addInput("lse", ElementType::F32, shapes["lse"], lse);
  session->run("attention_backward_preprocess");
  session->checkDamage();
  std::vector<float> delta = session->load("delta"),
                     negLse = session->load("neg_lse_log2");
  int64_t padded = (s.seqlenQ + 127) / 128 * 128;
  ASSERT_EQ(delta.size(), std::size_t(s.batch * s.headsQ * padded));
  for (std::size_t at = 0; at < delta.size(); ++at) {
    int64_t row = int64_t(at) % padded, bh = int64_t(at) / padded;
    double sum = 0, magnitude = 0;
    float shift = 0;
    if (row < s.seqlenQ) {
      std::size_t lseAt = std::size_t(bh * s.seqlenQ + row);
      int64_t first =
          ((bh / s.headsQ * s.seqlenQ + row) * s.headsQ + bh % s.headsQ) *
          s.headDimV;
      for (int64_t c = first; c < first + s.headDimV; ++c) {
        sum += double(o[std::size_t(c)]) * g[std::size_t(c)];
        magnitude += std::abs(double(o[std::size_t(c)]) * g[std::size_t(c)]);
      }
      sum -= dLse[lseAt];
      magnitude += std::abs(dLse[lseAt]);
      if (std::isfinite(lse[lseAt]))
        shift = lse[lseAt] * -1.4426950408889634f;
    }
    // A sum in f32: one rounding for each of its terms at most.
    double bound = double(s.headDimV + 1) * 0x1p-24 * magnitude;
    EXPECT_NEAR(delta[at], sum, bound) << "row " << row << " of " << bh;
    EXPECT_EQ(negLse[at], shift) << "row " << row << " of " << bh;
  }
  for (float value : session->load("dq_accum"))
    ASSERT_EQ(value, 0);
}

TEST_P(BackwardRows, PostprocessScalesAndRounds) {
  shapes["dq_accum"] = shapes["q"];
  std::vector<float> sums = add("dq_accum", ElementType::F32);
  session->addOutput("dq", options.type, shapes["dq"]);
  session->run("attention_backward_postprocess");
  session->checkDamage();
  std::vector<float> dq = session->load("dq");
  ASSERT_EQ(dq.size(), sums.size());
  float scale = float(options.shape.scale);
  for (std::size_t i = 0; i < dq.size(); ++i)
    ASSERT_EQ(dq[i], roundTo(options.type, sums[i] * scale)) << i;
}

std::vector<RowsCase> rowsCases() {
  std::vector<RowsCase> cases;
  int turn = 0;
  for (const char *arch : {"sm_100a", "sm_90a"}) {
    for (int64_t seqlen : {1, 64, 65, 128, 200})
      for (int64_t headDim : {64, 96, 128})
        cases.push_back({arch, seqlen, headDim,
                         turn++ % 2 ? ElementType::F16 : ElementType::BF16});
  }
  return cases;
}

INSTANTIATE_TEST_SUITE_P(Tiles, BackwardRows, testing::ValuesIn(rowsCases()),
                         [](const testing::TestParamInfo<RowsCase> &info) {
                           return fmt::format("{}_q{}_d{}_{}", info.param.arch,
                                              info.param.seqlen,
                                              info.param.headDim,
                                              elementName(info.param.type));
                         });

} // namespace
} // namespace fa4::test
