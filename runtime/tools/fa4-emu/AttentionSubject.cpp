#include "runtime/EmulatorDevice.h"
#include "runtime/Error.h"
#include "runtime/tools/fa4-emu/Subject.h"
#include "runtime/tools/fa4-run/AttentionInputs.h"
#include "runtime/tools/fa4-run/AttentionSession.h"
#include "runtime/tools/fa4-run/AttentionTensors.h"

#include <algorithm>
#include <optional>

namespace fa4 {
namespace {

/// Kernels of an attention run that are under test; those before them only
/// make their inputs and run without checks.
class AttentionSubject : public Subject {
public:
  AttentionSubject(const RunOptions &given, AttentionOps chosen)
      : runOptions(given), ops(std::move(chosen)),
        inputs(makeInputs(given, backward())) {
    RunOptions first = runOptions;
    first.emulator.options = {};
    AttentionSession session(first);
    addTensors(session, first);
    for (const std::string &op : ops.before)
      session.run(op);
    for (const std::string &op : ops.tested) {
      const KernelEntry &kernel = session.prepare(op)->kernel();
      addResults(kernel);
      if (ops.tested.size() > 1)
        session.run(op);
      ptx = emulator::Module::load(kernel.ptxPath);
      entryName = kernel.entry;
    }
  }

  Trial run(const emulator::Options &options) override {
    RunOptions once = runOptions;
    once.emulator.options = {};
    AttentionSession session(once);
    addTensors(session, once);
    auto &device = dynamic_cast<EmulatorDevice &>(session.device());
    for (const std::string &op : ops.before)
      session.run(op);
    device.setOptions(options);
    Trial trial;
    try {
      for (const std::string &op : ops.tested)
        session.run(op);
      session.checkDamage();
      keepResults(session, trial);
    } catch (const Error &error) {
      trial.reports.push_back(firstFinding(error.what()));
    }
    trial.statistics = device.statistics();
    return trial;
  }

  emulator::Options options() const override {
    return runOptions.emulator.options;
  }
  const emulator::Module &module() const override { return *ptx; }
  const std::string &entry() const override { return entryName; }

private:
  bool backward() const { return ops.tested[0] != "attention_forward"; }

  void addTensors(AttentionSession &session, const RunOptions &options) {
    addForwardTensors(session, options, inputs);
    if (backward())
      addBackwardTensors(session, options, inputs);
  }

  /// Unless the run is deterministic, CTAs add to an inout tensor in no fixed
  /// order; what kernels make of it before and after isn't compared apart.
  void addResults(const KernelEntry &kernel) {
    const bool ofSums = !sums.empty();
    for (const TensorSpec &tensor : kernel.tensors) {
      if (tensor.role == Role::InOut && !runOptions.deterministic)
        sums.push_back(tensor.name);
      else if (tensor.role == Role::InOut ||
               (tensor.role == Role::Output && !ofSums))
        exact.push_back(tensor.name);
    }
    std::erase_if(exact, [&](const std::string &name) {
      return std::find(sums.begin(), sums.end(), name) != sums.end();
    });
  }

  void keepResults(AttentionSession &session, Trial &trial) const {
    for (const std::string &name : exact) {
      auto values = session.load(name);
      auto bytes = std::as_bytes(std::span(values));
      trial.outputs.insert(trial.outputs.end(), bytes.begin(), bytes.end());
    }
    for (const std::string &name : sums) {
      auto values = session.load(name);
      trial.sums.insert(trial.sums.end(), values.begin(), values.end());
    }
  }

  /// The device puts a headline above its reports.
  static std::string firstFinding(const std::string &text) {
    size_t line = text.find('\n');
    return line == std::string::npos ? text : text.substr(line + 1);
  }

  RunOptions runOptions;
  AttentionOps ops;
  HostInputs inputs;
  std::vector<std::string> exact, sums; // tensors to compare
  std::optional<emulator::Module> ptx;
  std::string entryName;
};

} // namespace

std::unique_ptr<Subject> makeAttentionSubject(const RunOptions &options,
                                              const AttentionOps &ops) {
  return std::make_unique<AttentionSubject>(options, ops);
}

} // namespace fa4
