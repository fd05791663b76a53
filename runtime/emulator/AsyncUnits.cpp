#include "runtime/emulator/AsyncUnits.h"

namespace fa4::emulator {

void AsyncUnits::issue(AsyncOperation operation) {
  issue(nextKey++, std::move(operation));
}

void AsyncUnits::issue(uint64_t key, AsyncOperation operation) {
  for (Queue &queue : queues)
    if (queue.key == key) {
      queue.operations.push_back(std::move(operation));
      return;
    }
  queues.push_back({key, {}});
  queues.back().operations.push_back(std::move(operation));
}

bool AsyncUnits::pending(uint64_t key) const {
  for (const Queue &queue : queues)
    if (queue.key == key)
      return true;
  return false;
}

AsyncOperation AsyncUnits::take(size_t index) {
  Queue &queue = queues[index];
  AsyncOperation operation = std::move(queue.operations.front());
  queue.operations.pop_front();
  if (queue.operations.empty())
    queues.erase(queues.begin() + static_cast<std::ptrdiff_t>(index));
  return operation;
}

} // namespace fa4::emulator
