#include "test/kernels/ScorePattern.h"

namespace fa4::test {

HostInputs inputsWithScores(const RunOptions &options,
                            const std::function<double(int64_t)> &score) {
  const AttentionShape &shape = options.shape;
  HostInputs inputs = makeInputs(options, false);
  std::fill(inputs.q.begin(), inputs.q.end(), 0.0f);
  std::fill(inputs.k.begin(), inputs.k.end(), 0.0f);
  for (std::size_t i = 0; i < inputs.q.size();
       i += static_cast<std::size_t>(shape.headDim))
    inputs.q[i] = 1;
  std::size_t at = 0;
  for (int64_t b = 0; b < shape.batch; ++b)
    for (int64_t key = 0; key < shape.seqlenK; ++key)
      for (int64_t h = 0; h < shape.headsKv; ++h) {
        double unscaled = score(key) / shape.scale;
        inputs.k[at] = roundTo(options.type, static_cast<float>(unscaled));
        at += static_cast<std::size_t>(shape.headDim);
      }
  return inputs;
}

} // namespace fa4::test
