// fa4_fwd over the whole product of its cases, each against fp64. Usage:
// forward_product [THREADS]. Prints the cases that fail and a final figure.
#include "test/kernels/ForwardCases.h"
#include "test/kernels/ForwardRunner.h"

#include "runtime/ParallelFor.h"

#include <fmt/format.h>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <mutex>

#include <unistd.h>

namespace fa4::test {
namespace {

class Product {
public:
  /// Each thread has a device of its own and takes the next case.
  void run(unsigned threads) {
    parallelFor(threads, threads, [&](int64_t) {
      ForwardRunner runner;
      for (std::size_t i = next++; i < cases.size(); i = next++)
        runCase(runner, cases[i]);
    });
  }

  int report(double seconds) const {
    fmt::print("{} of {} cases are within the bound, {:.0f} s\n",
               cases.size() - failed, cases.size(), seconds);
    return failed ? 1 : 0;
  }

private:
  void runCase(ForwardRunner &runner, const RunOptions &options) {
    std::string complaint = complaintOf(runner, options);
    std::lock_guard<std::mutex> lock(mutex);
    if (!complaint.empty()) {
      ++failed;
      fmt::print("{}\n{}\n", caseName(options), complaint);
    }
    ++done;
    std::size_t step = isatty(STDERR_FILENO) ? 10 : cases.size() / 10;
    if (done % step == 0 || done == cases.size())
      fmt::print(stderr, "{}{} of {} cases, {} failed{}",
                 step == 10 ? "\r" : "", done, cases.size(), failed,
                 step == 10 && done < cases.size() ? "" : "\n");
  }

  const std::vector<RunOptions> cases = forwardProduct();
  std::atomic<std::size_t> next{0};
  std::mutex mutex;
  std::size_t done = 0, failed = 0;
};

} // namespace
} // namespace fa4::test

int main(int argc, char **argv) {
  unsigned threads = argc > 1 ? std::max(std::atoi(argv[1]), 1) : 2;
  auto start = std::chrono::steady_clock::now();
  fa4::test::Product product;
  product.run(threads);
  std::chrono::duration<double> seconds =
      std::chrono::steady_clock::now() - start;
  return product.report(seconds.count());
}
