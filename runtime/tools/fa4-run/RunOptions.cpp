#include "runtime/tools/fa4-run/RunOptions.h"

#include "runtime/Error.h"

#include <cmath>
#include <filesystem>
#include <numbers>

#include <unistd.h>

namespace fa4 {
namespace {

void requireAtLeast(int64_t value, int64_t least, const char *flag) {
  if (value < least)
    fail("{} is {}, expected at least {}", flag, value, least);
}

/// Elements of q, k, v and o together, which may be past 2^63.
double elementsOf(const AttentionShape &s) {
  const auto real = [](int64_t value) { return static_cast<double>(value); };
  const double dims = real(s.headDim) + real(s.headDimV);
  return real(s.batch) * dims *
         (real(s.seqlenQ) * real(s.headsQ) + real(s.seqlenK) * real(s.headsKv));
}

/// The host has each of them as a float at least.
void requireMemory(const AttentionShape &shape) {
  constexpr double gibibyte = 1 << 30;
  const double needed = elementsOf(shape) * sizeof(float) / gibibyte;
  const double available = static_cast<double>(sysconf(_SC_PHYS_PAGES)) *
                           static_cast<double>(sysconf(_SC_PAGE_SIZE)) /
                           gibibyte;
  if (needed > available)
    fail("q, k, v and o of this shape take {:.3g} GiB or more, this machine "
         "has {:.3g} GiB",
         needed, available);
}

/// Of a build, else of an installation.
std::string ownBundle() {
  std::error_code error;
  std::filesystem::path self =
      std::filesystem::read_symlink("/proc/self/exe", error);
  if (error)
    fail("can't find this program's folder, give --kernels");
  std::filesystem::path root = self.parent_path().parent_path();
  std::filesystem::path installed = root / "share/fa4gen/kernels";
  if (std::filesystem::exists(installed / "manifest.json", error))
    return installed.string();
  return (root / "kernels").string();
}

} // namespace

void resolve(RunOptions &options) {
  AttentionShape &shape = options.shape;
  requireAtLeast(shape.batch, 0, "--batch");
  requireAtLeast(shape.headsQ, 1, "--heads");
  requireAtLeast(shape.headsKv, 0, "--kv-heads");
  requireAtLeast(shape.seqlenQ, 0, "--seqlen-q");
  requireAtLeast(shape.seqlenK, 0, "--seqlen-k");
  requireAtLeast(shape.headDim, 1, "--head-dim");
  requireAtLeast(shape.headDimV, 1, "--head-dim");
  requireAtLeast(options.emulator.smCount, 1, "--sms");
  if (shape.headsKv == 0)
    shape.headsKv = shape.headsQ;
  if (shape.headsQ % shape.headsKv != 0)
    fail("--heads {} is no multiple of --kv-heads {}", shape.headsQ,
         shape.headsKv);
  requireMemory(shape);
  double scale = options.scale.value_or(
      options.pattern == InputPattern::PowersOfTwo
          ? std::numbers::ln2
          : 1 / std::sqrt(static_cast<double>(shape.headDim)));
  // The softmax takes the maximum of the unscaled scores, and masks with -inf.
  constexpr double log2e = 1.4426950408889634;
  if (!(scale >= std::numeric_limits<float>::min() &&
        scale * log2e <= std::numeric_limits<float>::max()))
    fail("--scale is {}, expected a positive number within the range of f32",
         scale);
  // The kernel takes the scale as a float, and so must the reference.
  shape.scale = static_cast<float>(scale);
  if (options.kernels.empty())
    options.kernels = ownBundle();
}

std::string describe(const RunOptions &options) {
  const AttentionShape &shape = options.shape;
  std::string dim = std::to_string(shape.headDim);
  if (shape.headDimV != shape.headDim)
    dim += fmt::format(",{}", shape.headDimV);
  return fmt::format(
      "batch {}, heads {} (kv {}), seqlen {} x {}, head dim {}, {}, {}, "
      "scale {:.6g}",
      shape.batch, shape.headsQ, shape.headsKv, shape.seqlenQ, shape.seqlenK,
      dim, elementName(options.type), shape.causal ? "causal" : "full",
      shape.scale);
}

} // namespace fa4
