#include "runtime/tools/fa4-emu/MutationScore.h"

#include "runtime/Error.h"

#include <fstream>
#include <map>

namespace fa4 {
namespace {

using emulator::Mutation;
using emulator::Options;
using emulator::Schedule;

class Scorer {
public:
  Scorer(Subject &subject, const MutationOptions &options)
      : subject(subject), options(options) {}

  int run();

private:
  void readJustified();
  /// Who found the mutation: a check's name, "result", or nothing.
  std::string killer(const Mutation &mutation);
  std::string killedBy(const Options &how);
  bool isJustified(const std::string &text) const;

  Subject &subject;
  const MutationOptions &options;
  Trial baseline;
  std::vector<std::string> justified; // "line 12 ... opcode"
  std::map<std::string, uint64_t> kills;
};

void Scorer::readJustified() {
  if (options.justified.empty())
    return;
  std::ifstream in(options.justified);
  if (!in)
    fail("can't read '{}'", options.justified);
  for (std::string line; std::getline(in, line);)
    if (!line.empty() && line[0] != '#')
      justified.push_back(line.substr(0, line.find(" # ")));
}

bool Scorer::isJustified(const std::string &text) const {
  for (const std::string &site : justified)
    if (text.find(site) != std::string::npos)
      return true;
  return false;
}

std::string Scorer::killedBy(const Options &how) {
  Trial trial = subject.run(how);
  if (!trial.reports.empty())
    return trial.reports[0].substr(0, trial.reports[0].find(':'));
  return trial.outputs == baseline.outputs ? "" : "result";
}

std::string Scorer::killer(const Mutation &mutation) {
  Options how = subject.options();
  how.mutation = mutation;
  // A mutant that polls for ever must end.
  how.stepLimit = 50 * baseline.statistics.warpInstructions + 100000;
  for (Schedule schedule : {Schedule::Fifo, Schedule::Late, Schedule::Eager}) {
    how.schedule = schedule;
    if (std::string name = killedBy(how); !name.empty())
      return name;
  }
  how.schedule = Schedule::Random;
  for (how.seed = 0; how.seed < options.seeds; ++how.seed)
    if (std::string name = killedBy(how); !name.empty())
      return name;
  return "";
}

int Scorer::run() {
  readJustified();
  Options how = subject.options();
  how.schedule = Schedule::Fifo;
  baseline = subject.run(how);
  for (const std::string &report : baseline.reports)
    fmt::print("without a mutation: {}\n", report);
  if (!baseline.reports.empty())
    return 1;
  uint64_t survivors = 0, redundant = 0, sites = 0, unreached = 0;
  for (const Mutation &mutation : subject.module().mutations(subject.entry())) {
    ++sites;
    const std::string text =
        subject.module().describe(subject.entry(), mutation);
    const auto &executed = baseline.statistics.executed;
    if (mutation.instruction < executed.size() &&
        executed[mutation.instruction] == 0) {
      ++unreached;
      if (options.verbose)
        fmt::print("not reached          {}\n", text);
      continue;
    }
    const std::string name = killer(mutation);
    if (!name.empty()) {
      ++kills[name];
      if (options.verbose)
        fmt::print("killed by {:<10} {}\n", name, text);
    } else if (isJustified(text)) {
      ++redundant;
    } else {
      ++survivors;
      fmt::print("survived             {}\n", text);
    }
  }
  fmt::print("{} mutations, {} survived, {} justified as redundant, {} not "
             "reached by this input\n",
             sites, survivors, redundant, unreached);
  for (const auto &[name, count] : kills)
    fmt::print("  killed by {:<12} {}\n", name, count);
  return survivors == 0 ? 0 : 1;
}

} // namespace

int scoreMutations(Subject &subject, const MutationOptions &options) {
  return Scorer(subject, options).run();
}

} // namespace fa4
