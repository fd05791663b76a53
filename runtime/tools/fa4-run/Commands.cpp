#include "runtime/tools/fa4-run/Commands.h"

#include "runtime/Error.h"
#include "runtime/Npy.h"
#include "runtime/tools/fa4-run/AttentionCheck.h"
#include "runtime/tools/fa4-run/AttentionInputs.h"
#include "runtime/tools/fa4-run/AttentionSession.h"
#include "runtime/tools/fa4-run/AttentionTensors.h"

#include <filesystem>

namespace fa4 {
namespace {

/// Before the run, so that a folder that can't be is no late surprise.
void makeOutputFolder(const RunOptions &options) {
  if (options.out.empty())
    return;
  std::error_code error;
  std::filesystem::create_directories(options.out, error);
  if (error)
    fail("can't make directory '{}': {}", options.out, error.message());
}

void writeOutputs(const RunOptions &options, const ComputedTensors &computed) {
  if (options.out.empty())
    return;
  auto shapes = shapesOf(options.shape);
  for (const auto &[name, values] : computed)
    writeNpy((std::filesystem::path(options.out) / (name + ".npy")).string(),
             ElementType::F32, shapes[name],
             std::as_bytes(std::span<const float>(values)));
}

int finish(AttentionSession &session, const RunOptions &options,
           const HostInputs &inputs,
           std::initializer_list<const char *> names) {
  session.checkDamage();
  ComputedTensors computed;
  for (const char *name : names)
    computed[name] = session.load(name);
  CheckedAttention checked;
  if (options.check)
    checked = checkAttention(options, inputs, computed);
  fmt::print("{}", checked.text);
  writeOutputs(options, computed);
  return checked.within ? 0 : 1;
}

} // namespace

int runForward(const RunOptions &options) {
  fmt::print("{}\n", describe(options));
  makeOutputFolder(options);
  HostInputs inputs = makeInputs(options, false);
  AttentionSession session(options);
  addForwardTensors(session, options, inputs);
  fmt::print("{}", session.run("attention_forward").text());
  return finish(session, options, inputs, {"o", "lse"});
}

int runBackward(const RunOptions &options) {
  fmt::print("{}\n", describe(options));
  makeOutputFolder(options);
  HostInputs inputs = makeInputs(options, true);
  AttentionSession session(options);
  if (options.dLse && !session.has(backwardOps[0], "dlse"))
    fail("--dlse: the preprocess kernel takes no 'dlse'");
  addForwardTensors(session, options, inputs);
  addBackwardTensors(session, options, inputs);
  fmt::print("{}", session.run("attention_forward").text());
  for (const char *op : backwardOps)
    fmt::print("{}", session.run(op).text());
  return finish(session, options, inputs, {"o", "lse", "dq", "dk", "dv"});
}

} // namespace fa4
