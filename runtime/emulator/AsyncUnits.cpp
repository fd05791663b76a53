#include "runtime/emulator/AsyncUnits.h"

namespace fa4::emulator {

void AsyncUnits::issue(AsyncOperation operation) {
  issue(nextKey++, std::move(operation));
}

void AsyncUnits::issue(uint64_t key, AsyncOperation operation) {
  operation.ordinal = nextOrdinal++;
  for (Queue &queue : queues)
    if (queue.key == key) {
      queue.operations.push_back(std::move(operation));
      return;
    }
  queues.push_back({key, {}});
  queues.back().operations.push_back(std::move(operation));
}

std::optional<size_t>
AsyncUnits::oldest(const std::set<uint64_t> &delayed) const {
  for (size_t index = 0; index < queues.size(); ++index)
    if (delayed.empty() ||
        !delayed.contains(queues[index].operations.front().ordinal))
      return index;
  return std::nullopt;
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
