// Shows on a terminal that a long piece of work goes on.
#pragma once
#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>

namespace fa4 {

/// While it lives, and after two seconds, rewrites one line of stderr each
/// second, if that is a terminal: "fa4_fwd: 12 s".
class ElapsedTicker {
public:
  explicit ElapsedTicker(std::string label);
  ~ElapsedTicker();

private:
  void run(const std::string &label);

  std::mutex mutex;
  std::condition_variable wake;
  bool done = false;
  std::thread thread;
};

} // namespace fa4
