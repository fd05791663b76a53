#include "runtime/tools/fa4-run/AttentionSession.h"

#include "runtime/Error.h"
#include "runtime/cuda/CudaDevice.h"
#include "runtime/tools/fa4-run/ElapsedTicker.h"

#include <chrono>

namespace fa4 {
namespace {

constexpr uint64_t guardSize = 4096; // bytes; keeps the device's alignment

std::unique_ptr<Device> makeDevice(const RunOptions &options) {
  if (options.device == "cuda")
    return makeCudaDevice({.allowPtx = options.allowPtx});
  if (options.device != "emulator")
    fail("unknown device '{}', expected emulator or cuda", options.device);
  EmulatorSettings settings = options.emulator;
  emulator::Checks &checks = settings.options.checks;
  // Without queries every batch's sums, which nobody reads, are in one place.
  checks.order =
      checks.race && options.deterministic && options.shape.seqlenQ > 0;
  return std::make_unique<EmulatorDevice>(settings);
}

} // namespace

AttentionSession::AttentionSession(const RunOptions &options)
    : options(options), machine(makeDevice(options)),
      bundle(Bundle::load(options.kernels)), launcher(*machine) {}

uint64_t AttentionSession::guardBytes() const {
  return options.canaries || options.device == "cuda" ? guardSize : 0;
}

void AttentionSession::addInput(const std::string &name, ElementType type,
                                std::vector<int64_t> dims,
                                std::span<const float> values) {
  GuardedTensorSpec spec{name,           type,  std::move(dims),
                         options.layout, false, guardBytes()};
  tensors[name] = std::make_unique<GuardedTensor>(*machine, std::move(spec));
  tensors[name]->store(values);
}

void AttentionSession::addOutput(const std::string &name, ElementType type,
                                 std::vector<int64_t> dims) {
  GuardedTensorSpec spec{name,           type, std::move(dims),
                         options.layout, true, guardBytes()};
  tensors[name] = std::make_unique<GuardedTensor>(*machine, std::move(spec));
}

Selection AttentionSession::selectionOf(const std::string &op) const {
  Selection selection;
  selection.op = op;
  selection.key = {{"dtype", std::string(elementName(options.type))},
                   {"head_dim", options.shape.headDim},
                   {"head_dim_v", options.shape.headDimV}};
  if (op == "attention_forward" || op == "attention_backward")
    selection.key["causal"] = options.shape.causal;
  Key form = {{"deterministic", options.deterministic},
              {"two_cta", options.twoCta}};
  if (op == "attention_backward")
    selection.key.merge(form);
  else
    selection.preferred = form;
  if (!options.kernel.empty())
    selection.key["kernel"] = options.kernel;
  for (const std::string &pair : options.keys) {
    std::size_t equal = pair.find('=');
    if (equal == std::string::npos)
      fail("--key '{}' is not NAME=VALUE", pair);
    std::string name = keyName(pair.substr(0, equal));
    if (concerns(name, op))
      selection.key[name] = keyValue(std::string_view(pair).substr(equal + 1));
  }
  selection.archs =
      options.arch.empty() ? machine->archs() : std::vector{options.arch};
  return selection;
}

/// A name that only kernels of other ops have is theirs alone.
bool AttentionSession::concerns(const std::string &key,
                                const std::string &op) const {
  bool elsewhere = false;
  for (const KernelEntry &kernel : bundle.kernels()) {
    if (kernel.key.contains(key) && kernel.op == op)
      return true;
    elsewhere = elsewhere || kernel.key.contains(key);
  }
  return !elsewhere;
}

LaunchArguments AttentionSession::argumentsOf(const KernelEntry &kernel) {
  LaunchArguments arguments;
  for (const std::string &scalar : kernel.scalars)
    if (scalar == "scale")
      arguments.scalars[scalar] = options.shape.scale;
  for (const TensorSpec &spec : kernel.tensors)
    if (auto found = tensors.find(spec.name); found != tensors.end())
      arguments.tensors[spec.name] = found->second->tensor();
  for (const TensorSpec &spec : kernel.tensors) {
    if (spec.role == Role::Scratch || tensors.contains(spec.name))
      continue;
    GuardedTensorSpec missing{
        spec.name,    spec.type, launcher.shapeOf(kernel, spec.name, arguments),
        Layout::Bshd, true,      guardBytes()};
    tensors[spec.name] =
        std::make_unique<GuardedTensor>(*machine, std::move(missing));
    arguments.tensors[spec.name] = tensors[spec.name]->tensor();
  }
  return arguments;
}

std::unique_ptr<Plan> AttentionSession::prepare(const std::string &op) {
  const KernelEntry &kernel = bundle.select(selectionOf(op));
  return launcher.prepare(kernel, argumentsOf(kernel));
}

KernelRun AttentionSession::run(const std::string &op) {
  std::unique_ptr<Plan> plan = prepare(op);
  KernelRun result{plan->kernel().name, machine->name(), plan->grid(), 0, ""};
  auto start = std::chrono::steady_clock::now();
  {
    ElapsedTicker ticker(result.kernel);
    plan->launch();
    machine->synchronize();
  }
  std::chrono::duration<double> elapsed =
      std::chrono::steady_clock::now() - start;
  result.seconds = elapsed.count();
  if (auto *emulated = dynamic_cast<EmulatorDevice *>(machine.get());
      emulated && options.stats)
    result.statistics = emulated->statistics().text();
  return result;
}

std::string KernelRun::text() const {
  return fmt::format("{} on {}: grid {}, {:.3f} s\n{}", kernel, device,
                     fmt::join(grid, "x"), seconds, statistics);
}

bool AttentionSession::has(const std::string &op,
                           const std::string &tensor) const {
  return bundle.select(selectionOf(op)).findTensor(tensor) != nullptr;
}

std::vector<float> AttentionSession::load(const std::string &name) {
  return tensors.at(name)->load();
}

void AttentionSession::checkDamage() {
  for (auto &[name, tensor] : tensors)
    if (std::optional<std::string> damage = tensor->damage())
      fail("{}", *damage);
}

} // namespace fa4
