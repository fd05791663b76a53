#include "runtime/Error.h"
#include "runtime/cuda/CudaDevice.h"
#include "runtime/tools/fa4-run/AttentionSession.h"
#include "runtime/tools/fa4-run/AttentionTensors.h"
#include "runtime/tools/fa4-run/Commands.h"

#include <algorithm>
#include <chrono>

namespace fa4 {
namespace {

constexpr int warmUps = 5;
constexpr unsigned overheadLaunches = 200; // below the depth of a stream
constexpr double backwardFactor = 2.5;     // five matrix products against two

double median(std::vector<double> values) {
  auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

/// 2 * (d + dv) for each live (row, key); a causal mask halves a square.
double floatingOperations(const AttentionShape &s, bool backward) {
  double keys = double(s.seqlenK);
  if (s.causal)
    keys = (double(std::max<int64_t>(0, s.seqlenK - s.seqlenQ)) + keys) / 2;
  return 2.0 * double(s.batch * s.headsQ * s.seqlenQ) * keys *
         double(s.headDim + s.headDimV) * (backward ? backwardFactor : 1);
}

TimedDevice &timedDevice(AttentionSession &session) {
  auto *timed = dynamic_cast<TimedDevice *>(&session.device());
  if (!timed)
    fail("bench needs a GPU (--device cuda)");
  return *timed;
}

std::vector<std::unique_ptr<Plan>> makePlans(AttentionSession &session,
                                             const RunOptions &options,
                                             const HostInputs &inputs,
                                             const BenchOptions &bench) {
  addForwardTensors(session, options, inputs);
  std::vector<std::unique_ptr<Plan>> plans;
  plans.push_back(session.prepare("attention_forward"));
  if (!bench.backward)
    return plans;
  addBackwardTensors(session, options, inputs);
  plans.front()->launch();
  plans.clear();
  for (const char *op : backwardOps)
    plans.push_back(session.prepare(op));
  return plans;
}

/// Median milliseconds of one launch of all plans.
double medianTime(TimedDevice &device,
                  const std::vector<std::unique_ptr<Plan>> &plans,
                  int launches) {
  std::vector<double> times;
  for (int i = 0; i < warmUps + launches; ++i) {
    unsigned event = static_cast<unsigned>(i) * 2;
    device.recordEvent(event);
    for (const std::unique_ptr<Plan> &plan : plans)
      plan->launch();
    device.recordEvent(event + 1);
  }
  for (int i = warmUps; i < warmUps + launches; ++i) {
    unsigned event = static_cast<unsigned>(i) * 2;
    times.push_back(device.millisecondsBetween(event, event + 1));
  }
  return median(times);
}

/// Host microseconds of one call, from several batches.
template <typename Action>
double hostTime(Device &device, Action &&batchOfLaunches) {
  std::vector<double> times;
  for (int batch = 0; batch < 21; ++batch) {
    auto start = std::chrono::steady_clock::now();
    batchOfLaunches();
    std::chrono::duration<double, std::micro> elapsed =
        std::chrono::steady_clock::now() - start;
    times.push_back(elapsed.count() / overheadLaunches);
    device.synchronize();
  }
  return median(times);
}

void printOverhead(RunOptions options) {
  options.shape.batch = options.shape.headsQ = options.shape.headsKv = 1;
  options.shape.seqlenQ = options.shape.seqlenK = 128;
  resolve(options);
  AttentionSession session(options);
  TimedDevice &device = timedDevice(session);
  auto plans = makePlans(session, options, makeInputs(options, false), {});
  Plan &plan = *plans.front();
  double planned = hostTime(device, [&] {
    for (unsigned i = 0; i < overheadLaunches; ++i)
      plan.launch();
  });
  double bare = hostTime(device, [&] {
    device.launchBare(plan.loadedKernel(), plan.launchRequest(),
                      overheadLaunches);
  });
  fmt::print("host time of a launch: plan {:.2f} us, bare cuLaunchKernelEx "
             "{:.2f} us, difference {:.2f} us\n",
             planned, bare, planned - bare);
}

} // namespace

int runBench(const RunOptions &options, const BenchOptions &bench) {
  if (bench.launches < 1)
    fail("--launches is {}, expected at least 1", bench.launches);
  HostInputs inputs;
  int64_t tokens = 0; // of `inputs`: any batch x seqlen of them will do
  for (int64_t seqlen : bench.seqlens) {
    RunOptions run = options;
    if (seqlen < 1)
      fail("--seqlens has {}, expected at least 1", seqlen);
    run.shape.seqlenQ = run.shape.seqlenK = seqlen;
    run.shape.batch = std::max<int64_t>(1, bench.tokens / seqlen);
    resolve(run);
    AttentionSession session(run);
    TimedDevice &device = timedDevice(session);
    if (run.shape.batch * seqlen != tokens)
      inputs = makeInputs(run, bench.backward);
    tokens = run.shape.batch * seqlen;
    auto plans = makePlans(session, run, inputs, bench);
    double milliseconds = medianTime(device, plans, bench.launches);
    double teraflops =
        floatingOperations(run.shape, bench.backward) / milliseconds / 1e9;
    fmt::print("{} {}: {:.4f} ms, {:.1f} TFLOP/s ({})\n",
               bench.backward ? "backward" : "forward", describe(run),
               milliseconds, teraflops, plans.front()->kernel().name);
    std::fflush(stdout);
  }
  printOverhead(options);
  return 0;
}

} // namespace fa4
