#include "runtime/tools/fa4-run/AttentionTensors.h"

namespace fa4 {

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

} // namespace fa4
