#include "runtime/tools/fa4-run/AttentionInputs.h"

#include "runtime/Error.h"
#include "runtime/Npy.h"

#include <cmath>
#include <filesystem>

namespace fa4 {
namespace {

constexpr double largeScore = 3e4;
constexpr double oneKeyScore = 60;

uint64_t mixed(uint64_t value) {
  value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9;
  value = (value ^ (value >> 27)) * 0x94d049bb133111eb;
  return value ^ (value >> 31);
}

std::vector<float> normals(uint64_t seed, uint64_t stream, int64_t count,
                           ElementType type) {
  std::vector<float> values(static_cast<std::size_t>(count));
  for (std::size_t i = 0; i < values.size(); ++i)
    values[i] = roundTo(type, normalAt(seed, stream, i));
  return values;
}

/// Q and K whose every score is `score`, nearly: constants of equal size.
void makeConstantScores(HostInputs &host, const RunOptions &options,
                        double score) {
  double dotProduct = score / options.shape.scale;
  double each = dotProduct / static_cast<double>(options.shape.headDim);
  float q =
      roundTo(options.type, static_cast<float>(std::sqrt(std::abs(each))));
  float k = roundTo(options.type, static_cast<float>(each / q));
  std::fill(host.q.begin(), host.q.end(), q);
  std::fill(host.k.begin(), host.k.end(), k);
}

/// All of Q is 1, so that a constant key's score is the same in every row.
void makeOneKey(HostInputs &host, const RunOptions &options) {
  const AttentionShape &shape = options.shape;
  std::fill(host.q.begin(), host.q.end(), 1.0f);
  float each = roundTo(options.type,
                       static_cast<float>(oneKeyScore / shape.scale /
                                          static_cast<double>(shape.headDim)));
  int64_t rowSize = shape.headsKv * shape.headDim;
  for (int64_t b = 0; b < shape.batch && shape.seqlenK > 0; ++b) {
    int64_t row = b * shape.seqlenK + shape.seqlenK / 2;
    std::fill_n(host.k.begin() + row * rowSize, rowSize, each);
  }
}

/// Fills with integers from -most to most.
void fillIntegers(std::vector<float> &values, uint64_t seed, uint64_t most) {
  for (std::size_t i = 0; i < values.size(); ++i)
    values[i] = static_cast<float>(mixed(mixed(seed) + i) % (2 * most + 1)) -
                static_cast<float>(most);
}

/// A query picks one column of K, where an eighth of the keys have 1, two
/// eighths -1 and the others 0. With scale ln 2 and a power of two of keys, all
/// visible, a row's sum of exponentials is a power of two as well.
void makePowersOfTwo(HostInputs &host, const RunOptions &options) {
  const auto dim = static_cast<std::size_t>(options.shape.headDim);
  const auto rowsOfHeads = static_cast<std::size_t>(options.shape.headsKv);
  const auto keys = static_cast<std::size_t>(options.shape.seqlenK);
  for (std::size_t i = 0; i < host.q.size(); ++i)
    host.q[i] = i % dim == i / dim * 7 % dim ? 1 : 0;
  for (std::size_t i = 0; i < host.k.size(); ++i) {
    const std::size_t key = i / dim / rowsOfHeads % keys;
    const std::size_t place = (key * 5 + i % dim * 3) % keys;
    host.k[i] = place < keys / 8 ? 1.0f : place < keys / 8 * 3 ? -1.0f : 0.0f;
  }
  fillIntegers(host.v, options.seed + 1, 3);
}

std::vector<float> fromFile(const RunOptions &options, const char *name,
                            std::vector<int64_t> shape, ElementType type) {
  std::string path = (std::filesystem::path(options.inputs) / name).string();
  NpyArray array = readNpy(path);
  expectShape(path, array, shape);
  std::vector<float> values = array.floats();
  for (std::size_t i = 0; i < values.size(); ++i) {
    const float value = roundTo(type, values[i]);
    if (!std::isfinite(value))
      fail("'{}' has {} at element {}, which isn't finite in {}", path,
           values[i], i, elementName(type));
    values[i] = value;
  }
  return values;
}

HostInputs readInputs(const RunOptions &options, bool backward) {
  const AttentionShape &s = options.shape;
  HostInputs host;
  host.q = fromFile(options, "q.npy", {s.batch, s.seqlenQ, s.headsQ, s.headDim},
                    options.type);
  host.k = fromFile(options, "k.npy",
                    {s.batch, s.seqlenK, s.headsKv, s.headDim}, options.type);
  host.v = fromFile(options, "v.npy",
                    {s.batch, s.seqlenK, s.headsKv, s.headDimV}, options.type);
  if (!backward)
    return host;
  host.dO = fromFile(options, "do.npy",
                     {s.batch, s.seqlenQ, s.headsQ, s.headDimV}, options.type);
  host.dLse.resize(static_cast<std::size_t>(s.batch * s.headsQ * s.seqlenQ));
  if (options.dLse)
    host.dLse = fromFile(options, "dlse.npy", {s.batch, s.headsQ, s.seqlenQ},
                         ElementType::F32);
  return host;
}

} // namespace

float normalAt(uint64_t seed, uint64_t stream, uint64_t index) {
  uint64_t bits = mixed(mixed(seed * 0x9e3779b97f4a7c15 + stream) + index);
  int64_t sum = 0;
  for (int i = 0; i < 4; ++i)
    sum += static_cast<int64_t>((bits >> (16 * i)) & 0xffff);
  // Four uniform values on [0, 65535] have mean 131070 and, together, a
  // standard deviation of 65536/sqrt(3).
  return static_cast<float>(sum - 131070) * (1.7320508f / 65536);
}

HostInputs makeInputs(const RunOptions &options, bool backward) {
  if (!options.inputs.empty())
    return readInputs(options, backward);
  const AttentionShape &s = options.shape;
  int64_t rowsQ = s.batch * s.seqlenQ * s.headsQ;
  int64_t rowsK = s.batch * s.seqlenK * s.headsKv;
  HostInputs host;
  host.q = normals(options.seed, 1, rowsQ * s.headDim, options.type);
  host.k = normals(options.seed, 2, rowsK * s.headDim, options.type);
  host.v = normals(options.seed, 3, rowsK * s.headDimV, options.type);
  if (options.pattern == InputPattern::LargeNegative)
    makeConstantScores(host, options, -largeScore);
  if (options.pattern == InputPattern::LargePositive)
    makeConstantScores(host, options, largeScore);
  if (options.pattern == InputPattern::OneKey)
    makeOneKey(host, options);
  if (options.pattern == InputPattern::PowersOfTwo)
    makePowersOfTwo(host, options);
  if (!backward)
    return host;
  host.dO = normals(options.seed, 4, rowsQ * s.headDimV, options.type);
  if (options.pattern == InputPattern::PowersOfTwo)
    fillIntegers(host.dO, options.seed + 2, 2);
  host.dLse.resize(static_cast<std::size_t>(rowsQ));
  if (options.dLse)
    host.dLse = normals(options.seed, 5, rowsQ, ElementType::F32);
  return host;
}

} // namespace fa4
