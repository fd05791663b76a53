// Trust in the checks: every broken fa4_fwd is caught, and the test says by
// what.
#include "test/kernels/ForwardRunner.h"
#include "test/kernels/ScorePattern.h"
#include "test/kernels/broken/Breakage.h"

#include "runtime/Error.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <regex>
#include <set>
#include <sstream>

#include <unistd.h>

namespace fa4::test {
namespace {

/// Six blocks of keys with a tail of 72, more than the ring has slots for; two
/// batches and heads, four tiles for the one SM: slots are reused.
RunOptions workload() {
  AttentionShape shape;
  shape.batch = 2;
  shape.headsQ = 2;
  shape.headsKv = 1;
  shape.seqlenQ = 300;
  shape.seqlenK = 712;
  shape.headDim = shape.headDimV = 64;
  return optionsFor(shape);
}

/// In odd rows scores rise past the rescale slack from block to block, in the
/// others each key counts.
HostInputs inputsOf(const RunOptions &options) {
  HostInputs inputs = makeInputs(options, false);
  HostInputs rising = inputsWithScores(options, [](int64_t key) {
    const int64_t block = key / 128;
    return -20.0 * static_cast<double>(block);
  });
  std::size_t dim = static_cast<std::size_t>(options.shape.headDim);
  for (std::size_t i = 0; i < inputs.k.size(); i += dim)
    inputs.k[i] = rising.k[i];
  std::size_t rowSize = dim * static_cast<std::size_t>(options.shape.headsQ);
  for (std::size_t i = 0; i < inputs.q.size(); i += dim)
    inputs.q[i] = static_cast<float>(i / rowSize % 2);
  return inputs;
}

std::vector<emulator::Options> schedules() {
  std::vector<emulator::Options> all(6, everyCheck());
  all[1].schedule = emulator::Schedule::Late;
  all[2].schedule = emulator::Schedule::Eager;
  for (std::size_t i = 3; i < all.size(); ++i) {
    all[i].schedule = emulator::Schedule::Random;
    all[i].seed = i;
  }
  for (emulator::Options &options : all)
    options.stepLimit = 20'000'000;
  return all;
}

/// What caught an outcome: the check of the first report, "wrong result", or
/// nothing.
std::string catcherOf(const RunOptions &options, const HostInputs &inputs,
                      const ForwardOutcome &outcome) {
  std::size_t line = outcome.finding.find('\n');
  if (line == std::string::npos)
    return complaint(options, inputs, outcome).empty() ? "" : "wrong result";
  std::size_t end = outcome.finding.find(':', line);
  return outcome.finding.substr(line + 1, end - line - 1);
}

class BrokenKernel : public testing::TestWithParam<Breakage> {
protected:
  BrokenKernel()
      : options(workload()), inputs(inputsOf(options)),
        path(std::filesystem::temp_directory_path() /
             fmt::format("fa4_broken_{}.ptx", getpid())) {}
  ~BrokenKernel() override { std::filesystem::remove(path); }

  std::string originalText() const {
    std::ifstream file(forwardKernel(options).ptxPath);
    std::stringstream text;
    text << file.rdbuf();
    return text.str();
  }

  std::string catcher(const emulator::Options &emulated, std::string &finding) {
    KernelEntry kernel = forwardKernel(options);
    kernel.ptxPath = path.string();
    ForwardRunner runner({.options = emulated, .smCount = 1});
    ForwardOutcome outcome = runner.run(options, inputs, {.kernel = &kernel});
    finding = outcome.finding;
    return catcherOf(options, inputs, outcome);
  }

  RunOptions options;
  HostInputs inputs;
  std::filesystem::path path;
};

TEST_P(BrokenKernel, IsCaught) {
  std::ofstream(path) << broken(originalText(), GetParam());
  std::string seen;
  for (const emulator::Options &emulated : schedules()) {
    std::string finding;
    std::string by = catcher(emulated, finding);
    seen += fmt::format("\nschedule {}, seed {}: {}", int(emulated.schedule),
                        emulated.seed, by.empty() ? "nothing" : by);
    if (by != GetParam().caughtBy)
      continue;
    fmt::print("caught by: {}\n{}\n", by, finding.substr(0, 600));
    // Warps go by the author's names for their roles.
    if (by == "deadlock" || by == "race") {
      const std::regex role(
          "warp [0-9]+ \\((softmax[01]|correct|load|mma|store)\\)");
      EXPECT_TRUE(std::regex_search(finding, role)) << finding;
    }
    RecordProperty("caught_by", by);
    return;
  }
  FAIL() << "expected to be caught by " << GetParam().caughtBy << seen;
}

INSTANTIATE_TEST_SUITE_P(Ways, BrokenKernel, testing::ValuesIn(breakages()),
                         [](const auto &info) { return info.param.name; });

/// The unbroken kernel passes the same schedules: what catches the others is
/// their breakage.
TEST(UnbrokenKernel, IsNotCaught) {
  RunOptions options = workload();
  HostInputs inputs = inputsOf(options);
  for (const emulator::Options &emulated : schedules()) {
    ForwardRunner runner({.options = emulated, .smCount = 1});
    EXPECT_EQ(complaint(options, inputs, runner.run(options, inputs)), "");
  }
}

} // namespace
} // namespace fa4::test
