#include "runtime/tools/fa4-emu/Explore.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace fa4 {
namespace {

using emulator::Options;
using emulator::Schedule;
using Delays = std::set<uint64_t>;

class Explorer {
public:
  Explorer(Subject &subject, const ExploreOptions &options)
      : subject(subject), options(options) {}

  int run();

private:
  bool tryOne(const std::string &name, Schedule schedule, uint64_t seed);
  void trySchedules();
  void tryDelays();
  /// Empty if the delayed run is like the first one.
  std::string failure(const Delays &delays);
  /// A report or a difference from the first run, or nothing.
  std::string failureOf(const Trial &trial) const;
  Delays minimize(Delays delays);
  void printDelays(const Delays &delays);

  Subject &subject;
  const ExploreOptions &options;
  Trial baseline;
  uint64_t runs = 0, failures = 0;
};

std::string Explorer::failureOf(const Trial &trial) const {
  return trial.reports.empty() ? difference(trial, baseline) : trial.reports[0];
}

bool Explorer::tryOne(const std::string &name, Schedule schedule,
                      uint64_t seed) {
  Options how = subject.options();
  how.schedule = schedule;
  how.seed = seed;
  ++runs;
  std::string text = failureOf(subject.run(how));
  if (text.empty())
    return true;
  ++failures;
  fmt::print("--schedule={} --seed={}: {}\n", name, seed, text);
  return false;
}

void Explorer::trySchedules() {
  tryOne("eager", Schedule::Eager, 0);
  for (uint64_t seed = 0; seed < options.seeds; ++seed)
    tryOne("random", Schedule::Random, seed);
  for (uint64_t seed = 0; seed < (options.seeds + 3) / 4; ++seed)
    tryOne("late", Schedule::Late, seed);
}

std::string Explorer::failure(const Delays &delays) {
  Options how = subject.options();
  how.schedule = Schedule::Fifo;
  how.delayed = delays;
  ++runs;
  return failureOf(subject.run(how));
}

/// Takes out halves, quarters, ... as long as the rest still fails.
Delays Explorer::minimize(Delays delays) {
  for (size_t piece = delays.size() / 2; piece > 0; piece /= 2) {
    std::vector<uint64_t> order(delays.begin(), delays.end());
    for (size_t begin = 0; begin < order.size(); begin += piece) {
      Delays rest = delays;
      for (size_t n = begin; n < std::min(begin + piece, order.size()); ++n)
        rest.erase(order[n]);
      if (!rest.empty() && !failure(rest).empty())
        delays = rest;
    }
  }
  return delays;
}

void Explorer::printDelays(const Delays &delays) {
  Delays fewest = minimize(delays);
  fmt::print("fewest delays that fail: {}\n", fewest.size());
  const auto &lines = baseline.statistics.asyncLines;
  for (uint64_t ordinal : fewest)
    fmt::print("  async operation {}, issued at line {}\n", ordinal,
               ordinal < lines.size() ? lines[ordinal] : 0);
  fmt::print("  {}\n  to repeat it: --delay {}\n", failure(fewest),
             fmt::join(fewest, ","));
}

void Explorer::tryDelays() {
  const uint64_t count = baseline.statistics.asyncLines.size();
  Delays all;
  for (uint64_t n = 0; n < count; ++n)
    all.insert(n);
  if (all.empty() || options.targeted == 0)
    return;
  if (!failure(all).empty()) {
    ++failures;
    return printDelays(all);
  }
  const uint64_t stride = std::max<uint64_t>(1, count / options.targeted);
  for (uint64_t n = 0; n < count; n += stride) {
    if (!failure({n}).empty()) {
      ++failures;
      return printDelays({n});
    }
  }
}

int Explorer::run() {
  Options how = subject.options();
  how.schedule = Schedule::Fifo;
  baseline = subject.run(how);
  ++runs;
  for (const std::string &report : baseline.reports)
    fmt::print("--schedule=fifo: {}\n", report);
  if (!baseline.reports.empty())
    return 1;
  trySchedules();
  tryDelays();
  fmt::print("{} runs, {} failures\n", runs, failures);
  return failures == 0 ? 0 : 1;
}

} // namespace

int explore(Subject &subject, const ExploreOptions &options) {
  return Explorer(subject, options).run();
}

} // namespace fa4
