#include "runtime/EmulatorDevice.h"
#include "runtime/Error.h"
#include "runtime/tools/fa4-emu/Subject.h"
#include "runtime/tools/fa4-run/AttentionInputs.h"
#include "runtime/tools/fa4-run/AttentionSession.h"
#include "runtime/tools/fa4-run/AttentionTensors.h"

#include <optional>

namespace fa4 {
namespace {

class ForwardSubject : public Subject {
public:
  explicit ForwardSubject(const RunOptions &given)
      : runOptions(given), inputs(makeInputs(given, false)) {
    // One run tells which kernel the bundle has for these options.
    RunOptions first = runOptions;
    first.emulator.options = {};
    AttentionSession session(first);
    addForwardTensors(session, first, inputs);
    const std::string name = session.run("attention_forward").kernel;
    const Bundle bundle = Bundle::load(given.kernels);
    for (const KernelEntry &kernel : bundle.kernels())
      if (kernel.name == name) {
        ptx = emulator::Module::load(kernel.ptxPath);
        entryName = kernel.entry;
      }
    if (!ptx)
      fail("the bundle '{}' has no kernel '{}'", given.kernels, name);
  }

  Trial run(const emulator::Options &options) override {
    RunOptions once = runOptions;
    once.emulator.options = options;
    AttentionSession session(once);
    addForwardTensors(session, once, inputs);
    Trial trial;
    try {
      session.run("attention_forward");
      session.checkDamage();
      for (const char *name : {"o", "lse"}) {
        auto values = session.load(name);
        auto bytes = std::as_bytes(std::span(values));
        trial.outputs.insert(trial.outputs.end(), bytes.begin(), bytes.end());
      }
    } catch (const Error &error) {
      trial.reports.push_back(firstFinding(error.what()));
    }
    auto &device = dynamic_cast<EmulatorDevice &>(session.device());
    trial.statistics = device.statistics();
    return trial;
  }

  emulator::Options options() const override {
    return runOptions.emulator.options;
  }
  const emulator::Module &module() const override { return *ptx; }
  const std::string &entry() const override { return entryName; }

private:
  /// The device puts a headline above its reports.
  static std::string firstFinding(const std::string &text) {
    size_t line = text.find('\n');
    return line == std::string::npos ? text : text.substr(line + 1);
  }

  RunOptions runOptions;
  HostInputs inputs;
  std::optional<emulator::Module> ptx;
  std::string entryName;
};

} // namespace

std::unique_ptr<Subject> makeForwardSubject(const RunOptions &options) {
  return std::make_unique<ForwardSubject>(options);
}

} // namespace fa4
