#include "test/kernels/ForwardRunner.h"

#include "runtime/Error.h"
#include "runtime/tools/fa4-run/AttentionCheck.h"
#include "runtime/tools/fa4-run/AttentionTensors.h"
#include "runtime/tools/fa4-run/GuardedTensor.h"

namespace fa4::test {
namespace {

/// The tensors of one launch.
class ForwardTensors {
public:
  ForwardTensors(Device &device, const RunOptions &options,
                 const HostInputs &inputs, uint64_t guard)
      : device(device), options(options), guard(guard) {
    add("q", options.type, false).store(inputs.q);
    add("k", options.type, false).store(inputs.k);
    add("v", options.type, false).store(inputs.v);
    add("o", options.type, true);
    add("lse", ElementType::F32, true);
  }

  LaunchArguments arguments() const {
    LaunchArguments arguments;
    arguments.scalars["scale"] = options.shape.scale;
    for (const auto &[name, tensor] : tensors)
      arguments.tensors[name] = tensor->tensor();
    return arguments;
  }

  ForwardOutcome outcome() {
    for (auto &[name, tensor] : tensors)
      if (std::optional<std::string> damage = tensor->damage())
        return {{}, {}, *damage};
    return {tensors["o"]->load(), tensors["lse"]->load(), {}};
  }

private:
  GuardedTensor &add(const std::string &name, ElementType type, bool output) {
    GuardedTensorSpec spec{
        name,           type,   shapesOf(options.shape)[name],
        options.layout, output, guard};
    tensors[name] = std::make_unique<GuardedTensor>(device, std::move(spec));
    return *tensors[name];
  }

  Device &device;
  const RunOptions &options;
  uint64_t guard;
  std::map<std::string, std::unique_ptr<GuardedTensor>> tensors;
};

} // namespace

emulator::Options everyCheck() {
  emulator::Options options;
  options.checks = {true, true, true, true, true, true, true};
  return options;
}

const Bundle &builtBundle() {
  static const Bundle bundle = Bundle::load(FA4_BUNDLE);
  return bundle;
}

const KernelEntry &forwardKernel(const RunOptions &options) {
  Selection selection;
  selection.op = "attention_forward";
  selection.archs = {options.arch.empty() ? "sm_100a" : options.arch};
  selection.key = {{"kernel", options.kernel.empty() ? std::string("fa4_fwd")
                                                     : options.kernel},
                   {"dtype", std::string(elementName(options.type))},
                   {"head_dim", options.shape.headDim},
                   {"head_dim_v", options.shape.headDimV},
                   {"causal", options.shape.causal}};
  return builtBundle().select(selection);
}

ForwardOutcome ForwardRunner::run(const RunOptions &options,
                                  const HostInputs &inputs,
                                  const ForwardVariation &variation) {
  ForwardTensors tensors(device, options, inputs, variation.guard);
  const KernelEntry &entry =
      variation.kernel ? *variation.kernel : forwardKernel(options);
  try {
    launcher.prepare(entry, tensors.arguments())->launch();
  } catch (const Error &error) {
    return {{}, {}, error.what()};
  }
  return tensors.outcome();
}

std::string complaint(const RunOptions &options, const HostInputs &inputs,
                      const ForwardOutcome &outcome) {
  if (!outcome.finding.empty())
    return outcome.finding;
  CheckedAttention checked =
      checkAttention(options, inputs, {{"o", outcome.o}, {"lse", outcome.lse}});
  return checked.within ? std::string() : checked.text;
}

std::string complaintOf(ForwardRunner &runner, const RunOptions &options) {
  HostInputs inputs = makeInputs(options, false);
  return complaint(options, inputs, runner.run(options, inputs));
}

RunOptions optionsFor(const AttentionShape &shape, ElementType type) {
  RunOptions options;
  options.shape = shape;
  options.shape.scale = 0;
  options.type = type;
  options.threads = 1;
  resolve(options);
  return options;
}

} // namespace fa4::test
