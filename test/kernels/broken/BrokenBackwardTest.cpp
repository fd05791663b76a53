// Every broken fa4_bwd is caught, deterministic or not, and the test says by
// what.
#include "test/kernels/BackwardRunner.h"
#include "test/kernels/broken/Breakage.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include <unistd.h>

namespace fa4::test {
namespace {

namespace files = std::filesystem;

/// Four blocks of queries with a tail, three of keys with a tail, two heads
/// that share their keys: slots are reused, masks apply.
RunOptions workload(bool pair) {
  AttentionShape shape;
  shape.headsQ = 2;
  shape.headsKv = 1;
  shape.seqlenQ = 400;
  shape.seqlenK = 300;
  shape.headDim = shape.headDimV = pair ? 128 : 64;
  shape.causal = true;
  RunOptions options = optionsFor(shape);
  options.twoCta = pair;
  return options;
}

/// The check that reported, "wrong result", or nothing.
std::string catcherOf(const RunOptions &options, const HostInputs &inputs,
                      const BackwardOutcome &outcome) {
  std::size_t line = outcome.finding.find('\n');
  if (line == std::string::npos) {
    return !outcome.finding.empty() ? outcome.finding
           : checkAttention(options, inputs, outcome.computed).within
               ? ""
               : "wrong result";
  }
  std::size_t end = outcome.finding.find(':', line);
  return outcome.finding.substr(line + 1, end - line - 1);
}

/// The build's bundle, but for the text of one kernel.
class ChangedBundle {
public:
  ChangedBundle(const std::string &original, const std::string &kernel,
                const Breakage &breakage)
      : folder(files::temp_directory_path() /
               fmt::format("fa4_broken_backward_{}", getpid())) {
    std::ifstream file(files::path(original) / kernel);
    std::stringstream text;
    text << file.rdbuf();
    const std::string changed = broken(text.str(), breakage);
    files::create_directories(folder);
    for (const files::directory_entry &entry :
         files::directory_iterator(original))
      if (entry.path().filename() != kernel)
        files::create_symlink(entry.path(), folder / entry.path().filename());
    std::ofstream(folder / kernel) << changed;
  }
  ~ChangedBundle() { files::remove_all(folder); }
  std::string path() const { return folder.string(); }

private:
  files::path folder;
};

std::vector<emulator::Options> schedules() {
  std::vector<emulator::Options> all(4, everyCheck());
  all[1].schedule = emulator::Schedule::Late;
  all[2].schedule = emulator::Schedule::Eager;
  all[3].schedule = emulator::Schedule::Random;
  for (emulator::Options &options : all)
    options.stepLimit = 20'000'000;
  return all;
}

/// Breaks the kernel of that name; says what caught it instead of what should.
std::string uncaught(RunOptions options, const std::string &kernel,
                     const Breakage &breakage) {
  HostInputs inputs = makeInputs(options, true);
  ChangedBundle bundle(options.kernels, kernel + ".ptx", breakage);
  options.kernels = bundle.path();
  std::string seen;
  for (const emulator::Options &emulated : schedules()) {
    BackwardOutcome outcome = runBackward(options, inputs, emulated);
    std::string by = catcherOf(options, inputs, outcome);
    if (by == breakage.caughtBy)
      return "";
    seen += fmt::format("\nschedule {}: {}", int(emulated.schedule),
                        by.empty() ? "nothing" : by);
  }
  return fmt::format("expected to be caught by {}{}", breakage.caughtBy, seen);
}

class BrokenBackward : public testing::TestWithParam<Breakage> {};

TEST_P(BrokenBackward, IsCaught) {
  EXPECT_EQ(
      uncaught(workload(false), "fa4_bwd_sm100a_bf16_d64_causal", GetParam()),
      "");
}

class BrokenOrder : public testing::TestWithParam<Breakage> {};

TEST_P(BrokenOrder, IsCaught) {
  RunOptions options = workload(false);
  options.deterministic = true;
  EXPECT_EQ(uncaught(options, "fa4_bwd_sm100a_bf16_d64_causal_deterministic1",
                     GetParam()),
            "");
}

INSTANTIATE_TEST_SUITE_P(Ways, BrokenOrder, testing::ValuesIn(orderBreakages()),
                         [](const auto &info) { return info.param.name; });

INSTANTIATE_TEST_SUITE_P(Ways, BrokenBackward,
                         testing::ValuesIn(backwardBreakages()),
                         [](const auto &info) { return info.param.name; });

class BrokenPair : public testing::TestWithParam<Breakage> {};

TEST_P(BrokenPair, IsCaught) {
  EXPECT_EQ(uncaught(workload(true), "fa4_bwd_sm100a_bf16_d128_causal_two-cta1",
                     GetParam()),
            "");
}

INSTANTIATE_TEST_SUITE_P(Ways, BrokenPair, testing::ValuesIn(pairBreakages()),
                         [](const auto &info) { return info.param.name; });

/// What catches the others is their breakage.
TEST(UnbrokenBackward, IsNotCaught) {
  for (int form : {0, 1, 2}) { // plain, deterministic, by pairs
    RunOptions options = workload(form == 2);
    options.deterministic = form == 1;
    HostInputs inputs = makeInputs(options, true);
    for (const emulator::Options &emulated : schedules())
      EXPECT_EQ(
          catcherOf(options, inputs, runBackward(options, inputs, emulated)),
          "");
  }
}

} // namespace
} // namespace fa4::test
