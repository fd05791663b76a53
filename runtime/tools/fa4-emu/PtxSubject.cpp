#include "runtime/tools/fa4-emu/Arguments.h"
#include "runtime/tools/fa4-emu/Subject.h"

namespace fa4 {
namespace {

class PtxSubject : public Subject {
public:
  explicit PtxSubject(const LaunchOptions &launchOptions)
      : launchOptions(launchOptions),
        ptx(emulator::Module::load(launchOptions.file)) {}

  Trial run(const emulator::Options &options) override {
    const emulator::EntryInfo &info = ptx.entry(launchOptions.entry);
    emulator::GlobalMemory memory;
    BoundArguments arguments(launchOptions.arguments, info, memory);
    emulator::LaunchConfig config = launchOptions.config(info);
    config.parameters = arguments.parameters();
    auto result = emulator::launch(ptx, memory, config, options);
    Trial trial;
    for (const emulator::Report &report : result.reports)
      trial.reports.push_back(report.text());
    trial.outputs = arguments.outputs();
    trial.statistics = result.statistics;
    return trial;
  }

  emulator::Options options() const override {
    return launchOptions.emulatorOptions();
  }
  const emulator::Module &module() const override { return ptx; }
  const std::string &entry() const override { return launchOptions.entry; }

private:
  const LaunchOptions &launchOptions;
  emulator::Module ptx;
};

} // namespace

std::unique_ptr<Subject> makePtxSubject(const LaunchOptions &options) {
  return std::make_unique<PtxSubject>(options);
}

} // namespace fa4
