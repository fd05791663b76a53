#include "runtime/tools/fa4-run/ElapsedTicker.h"

#include <fmt/format.h>

#include <chrono>
#include <cstdio>

#include <unistd.h>

namespace fa4 {

ElapsedTicker::ElapsedTicker(std::string label) {
  if (isatty(STDERR_FILENO))
    thread = std::thread([this, label = std::move(label)] { run(label); });
}

ElapsedTicker::~ElapsedTicker() {
  if (!thread.joinable())
    return;
  {
    std::lock_guard<std::mutex> lock(mutex);
    done = true;
  }
  wake.notify_one();
  thread.join();
}

void ElapsedTicker::run(const std::string &label) {
  std::unique_lock<std::mutex> lock(mutex);
  bool shown = false;
  for (int seconds = 1;; ++seconds) {
    if (wake.wait_for(lock, std::chrono::seconds(1), [&] { return done; }))
      break;
    if (seconds < 2)
      continue;
    fmt::print(stderr, "\r{}: {} s", label, seconds);
    std::fflush(stderr);
    shown = true;
  }
  if (shown)
    fmt::print(stderr, "\r\x1b[K");
}

} // namespace fa4
