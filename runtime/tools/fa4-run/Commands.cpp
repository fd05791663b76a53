#include "runtime/tools/fa4-run/Commands.h"

#include "runtime/Error.h"
#include "runtime/Npy.h"
#include "runtime/tools/fa4-run/AttentionCheck.h"
#include "runtime/tools/fa4-run/AttentionInputs.h"
#include "runtime/tools/fa4-run/AttentionSession.h"
#include "runtime/tools/fa4-run/AttentionTensors.h"

#include <algorithm>
#include <bit>
#include <filesystem>
#include <optional>

namespace fa4 {
namespace {

/// Before the run, so that a folder that can't be is no late surprise. Takes
/// the folder away again unless something gets into it.
class OutputFolder {
public:
  explicit OutputFolder(const std::string &path) : path(path) {
    if (path.empty())
      return;
    std::error_code error;
    made = std::filesystem::create_directories(path, error);
    if (error)
      fail("can't make directory '{}': {}", path, error.message());
  }
  ~OutputFolder() {
    std::error_code full;
    if (made)
      std::filesystem::remove(path, full);
  }
  OutputFolder(const OutputFolder &) = delete;
  OutputFolder &operator=(const OutputFolder &) = delete;

private:
  std::string path;
  bool made = false;
};

void writeOutputs(const RunOptions &options, const ComputedTensors &computed) {
  if (options.out.empty())
    return;
  auto shapes = shapesOf(options.shape);
  for (const auto &[name, values] : computed)
    writeNpy((std::filesystem::path(options.out) / (name + ".npy")).string(),
             ElementType::F32, shapes[name],
             std::as_bytes(std::span<const float>(values)));
}

/// One whole run on a fresh device.
ComputedTensors computeOnce(const RunOptions &options, const HostInputs &inputs,
                            bool backward) {
  AttentionSession session(options);
  if (backward && options.dLse && !session.has(backwardOps[0], "dlse"))
    fail("--dlse: the preprocess kernel takes no 'dlse'");
  addForwardTensors(session, options, inputs);
  fmt::print("{}", session.run("attention_forward").text());
  std::vector<std::string> names = {"o", "lse"};
  if (backward) {
    addBackwardTensors(session, options, inputs);
    for (const char *op : backwardOps)
      fmt::print("{}", session.run(op).text());
    names.insert(names.end(), {"dq", "dk", "dv"});
  }
  session.checkDamage();
  ComputedTensors computed;
  for (const std::string &name : names)
    computed[name] = session.load(name);
  return computed;
}

/// The first tensor and element whose bits differ, or nothing.
std::optional<std::string> difference(const ComputedTensors &a,
                                      const ComputedTensors &b) {
  for (const auto &[name, values] : a) {
    auto bits = [](float x, float y) {
      return std::bit_cast<uint32_t>(x) == std::bit_cast<uint32_t>(y);
    };
    const std::vector<float> &others = b.at(name);
    auto [one, other] =
        std::mismatch(values.begin(), values.end(), others.begin(), bits);
    if (one != values.end())
      return fmt::format("{} differs at {}: {} and {}", name,
                         one - values.begin(), *one, *other);
  }
  return std::nullopt;
}

/// Runs again, in other interleavings of the emulator; all must agree.
bool repeatsAgree(RunOptions options, const HostInputs &inputs, bool backward,
                  const ComputedTensors &first) {
  for (int i = 1; i < options.repeat; ++i) {
    ++options.emulator.options.seed;
    if (auto found =
            difference(first, computeOnce(options, inputs, backward))) {
      fmt::print("run {}: {}\n", i + 1, *found);
      return false;
    }
  }
  if (options.repeat > 1)
    fmt::print("{} runs: bitwise equal\n", options.repeat);
  return true;
}

} // namespace

int runAttention(const RunOptions &options, bool backward) {
  fmt::print("{}\n", describe(options));
  OutputFolder folder(options.out);
  HostInputs inputs = makeInputs(options, backward);
  ComputedTensors computed = computeOnce(options, inputs, backward);
  bool good = repeatsAgree(options, inputs, backward, computed);
  if (options.check) {
    CheckedAttention checked = checkAttention(options, inputs, computed);
    fmt::print("{}", checked.text);
    good = good && checked.within;
  }
  writeOutputs(options, computed);
  return good ? 0 : 1;
}

} // namespace fa4
