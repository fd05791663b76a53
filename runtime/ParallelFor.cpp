#include "runtime/ParallelFor.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace fa4 {

void parallelFor(int64_t count, unsigned threads,
                 const std::function<void(int64_t)> &body) {
  std::atomic<int64_t> next = 0;
  std::mutex mutex;
  std::exception_ptr failure;
  auto work = [&] {
    try {
      for (int64_t i = next++; i < count; i = next++)
        body(i);
    } catch (...) {
      std::lock_guard<std::mutex> lock(mutex);
      failure = std::current_exception();
      next = count;
    }
  };
  std::vector<std::thread> workers;
  int64_t wanted = std::min<int64_t>(std::max(threads, 1u), count);
  for (int64_t i = 1; i < wanted; ++i)
    workers.emplace_back(work);
  work();
  for (std::thread &worker : workers)
    worker.join();
  if (failure)
    std::rethrow_exception(failure);
}

} // namespace fa4
