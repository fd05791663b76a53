#include "test/kernels/BackwardRunner.h"

#include "runtime/Error.h"
#include "runtime/tools/fa4-run/AttentionSession.h"
#include "runtime/tools/fa4-run/AttentionTensors.h"

namespace fa4::test {

BackwardOutcome runBackward(RunOptions options, const HostInputs &inputs,
                            const emulator::Options &emulated,
                            const std::string &arch) {
  options.arch = arch;
  options.emulator.options = emulated;
  options.canaries = true;
  try {
    AttentionSession session(options);
    addForwardTensors(session, options, inputs);
    session.run("attention_forward");
    addBackwardTensors(session, options, inputs);
    for (const char *op : backwardOps)
      session.run(op);
    session.checkDamage();
    BackwardOutcome outcome;
    for (const char *name : {"o", "lse", "dq", "dk", "dv"})
      outcome.computed[name] = session.load(name);
    outcome.sums = session.load("dq_accum");
    return outcome;
  } catch (const Error &error) {
    return {{}, {}, error.what()};
  }
}

std::string complaintOfBackward(const RunOptions &options,
                                const std::string &arch) {
  HostInputs inputs = makeInputs(options, true);
  BackwardOutcome outcome = runBackward(options, inputs, everyCheck(), arch);
  if (!outcome.finding.empty())
    return outcome.finding;
  CheckedAttention checked = checkAttention(options, inputs, outcome.computed);
  return checked.within ? std::string() : checked.text;
}

} // namespace fa4::test
