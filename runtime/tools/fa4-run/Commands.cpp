#include "runtime/tools/fa4-run/Commands.h"

#include "runtime/Error.h"
#include "runtime/Npy.h"
#include "runtime/tools/fa4-run/AttentionCheck.h"
#include "runtime/tools/fa4-run/AttentionInputs.h"
#include "runtime/tools/fa4-run/AttentionSession.h"

#include <filesystem>

namespace fa4 {
namespace {

std::map<std::string, std::vector<int64_t>> shapesOf(const AttentionShape &s) {
  return {{"q", {s.batch, s.seqlenQ, s.headsQ, s.headDim}},
          {"k", {s.batch, s.seqlenK, s.headsKv, s.headDim}},
          {"v", {s.batch, s.seqlenK, s.headsKv, s.headDimV}},
          {"o", {s.batch, s.seqlenQ, s.headsQ, s.headDimV}},
          {"do", {s.batch, s.seqlenQ, s.headsQ, s.headDimV}},
          {"dq", {s.batch, s.seqlenQ, s.headsQ, s.headDim}},
          {"dk", {s.batch, s.seqlenK, s.headsKv, s.headDim}},
          {"dv", {s.batch, s.seqlenK, s.headsKv, s.headDimV}},
          {"lse", {s.batch, s.headsQ, s.seqlenQ}},
          {"dlse", {s.batch, s.headsQ, s.seqlenQ}}};
}

void addForwardTensors(AttentionSession &session, const RunOptions &options,
                       const HostInputs &inputs) {
  auto shapes = shapesOf(options.shape);
  session.addInput("q", options.type, shapes["q"], inputs.q);
  session.addInput("k", options.type, shapes["k"], inputs.k);
  session.addInput("v", options.type, shapes["v"], inputs.v);
  session.addOutput("o", options.type, shapes["o"]);
  session.addOutput("lse", ElementType::F32, shapes["lse"]);
}

void addBackwardTensors(AttentionSession &session, const RunOptions &options,
                        const HostInputs &inputs) {
  auto shapes = shapesOf(options.shape);
  session.addInput("do", options.type, shapes["do"], inputs.dO);
  session.addInput("dlse", ElementType::F32, shapes["dlse"], inputs.dLse);
  for (const char *name : {"dq", "dk", "dv"})
    session.addOutput(name, options.type, shapes[name]);
}

void writeOutputs(const RunOptions &options, const ComputedTensors &computed) {
  if (options.out.empty())
    return;
  std::error_code error;
  std::filesystem::create_directories(options.out, error);
  if (error)
    fail("can't make directory '{}': {}", options.out, error.message());
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
  bool good = !options.check || checkAttention(options, inputs, computed);
  writeOutputs(options, computed);
  return good ? 0 : 1;
}

} // namespace

int runForward(const RunOptions &options) {
  fmt::print("{}\n", describe(options));
  HostInputs inputs = makeInputs(options, false);
  AttentionSession session(options);
  addForwardTensors(session, options, inputs);
  session.run("attention_forward");
  return finish(session, options, inputs, {"o", "lse"});
}

int runBackward(const RunOptions &options) {
  fmt::print("{}\n", describe(options));
  HostInputs inputs = makeInputs(options, true);
  AttentionSession session(options);
  if (options.dLse && !session.has("attention_backward_preprocess", "dlse"))
    fail("--dlse: the preprocess kernel takes no 'dlse'");
  addForwardTensors(session, options, inputs);
  addBackwardTensors(session, options, inputs);
  for (const char *op :
       {"attention_forward", "attention_backward_preprocess",
        "attention_backward", "attention_backward_postprocess"})
    session.run(op);
  return finish(session, options, inputs, {"o", "lse", "dq", "dk", "dv"});
}

} // namespace fa4
