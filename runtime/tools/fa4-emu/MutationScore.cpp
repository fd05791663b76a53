#include "runtime/tools/fa4-emu/MutationScore.h"

#include "runtime/tools/fa4-emu/Redundant.h"

#include <fmt/format.h>

#include <map>

namespace fa4 {
namespace {

using emulator::Mutation;
using emulator::Options;
using emulator::Schedule;

class Scorer {
public:
  Scorer(Subject &subject, const MutationOptions &options)
      : subject(subject), options(options) {
    if (!options.justified.empty())
      redundant = RedundantSites::load(options.justified);
  }

  int run();

private:
  enum class Fate { NotReached, Killed, Redundant, Survived };

  bool runUnchanged();
  Fate judge(const Mutation &mutation, std::string &by);
  void print(const std::string &fate, const Mutation &mutation);
  std::string nameOf(const Mutation &mutation) {
    return names.name(subject.module().site(subject.entry(), mutation));
  }
  /// Who found the mutation: a check's name, "result", or nothing.
  std::string killer(const Mutation &mutation);
  std::string killedBy(const Options &how);

  Subject &subject;
  const MutationOptions &options;
  SiteNames names;
  RedundantSites redundant;
  Trial baseline;
};

std::string Scorer::killedBy(const Options &how) {
  Trial trial = subject.run(how);
  if (!trial.reports.empty())
    return trial.reports[0].substr(0, trial.reports[0].find(':'));
  return difference(trial, baseline).empty() ? "" : "result";
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

Scorer::Fate Scorer::judge(const Mutation &mutation, std::string &by) {
  const auto &executed = baseline.statistics.executed;
  if (mutation.instruction < executed.size() &&
      executed[mutation.instruction] == 0)
    return Fate::NotReached;
  by = killer(mutation);
  if (!by.empty())
    return Fate::Killed;
  return redundant.take(nameOf(mutation)) ? Fate::Redundant : Fate::Survived;
}

void Scorer::print(const std::string &fate, const Mutation &mutation) {
  const auto site = subject.module().site(subject.entry(), mutation);
  fmt::print("{:<20} line {}: {}\n", fate, site.ptxLine, names.name(site));
}

bool Scorer::runUnchanged() {
  Options how = subject.options();
  how.schedule = Schedule::Fifo;
  baseline = subject.run(how);
  for (const std::string &report : baseline.reports)
    fmt::print("without a mutation: {}\n", report);
  return baseline.reports.empty();
}

int Scorer::run() {
  if (!runUnchanged())
    return 1;
  uint64_t sites = 0;
  std::map<Fate, uint64_t> fates;
  std::map<std::string, uint64_t> kills;
  for (const Mutation &mutation : subject.module().mutations(subject.entry())) {
    ++sites;
    std::string by;
    const Fate fate = judge(mutation, by);
    ++fates[fate];
    if (fate == Fate::Killed)
      ++kills[by];
    if (fate == Fate::Survived)
      print("survived", mutation);
    else if (fate == Fate::NotReached)
      print("not reached", mutation);
    else if (options.verbose)
      print(fate == Fate::Killed ? "killed by " + by : "redundant", mutation);
  }
  fmt::print("{} mutations, {} survived, {} justified as redundant, {} not "
             "reached by this input\n",
             sites, fates[Fate::Survived], fates[Fate::Redundant],
             fates[Fate::NotReached]);
  for (const auto &[name, count] : kills)
    fmt::print("  killed by {:<12} {}\n", name, count);
  return fates[Fate::Survived] == 0 ? 0 : 1;
}

} // namespace

int scoreMutations(Subject &subject, const MutationOptions &options) {
  return Scorer(subject, options).run();
}

} // namespace fa4
