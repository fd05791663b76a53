// The units that work beside the warps: TMA, tensor core, bulk copies.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace fa4::emulator {

struct Machine;
struct Instruction;
struct Cta;

struct AsyncOperation {
  const Instruction *instruction = nullptr; // who asked for it
  Cta *cta = nullptr;
  std::function<void()> act;
  uint64_t ordinal = 0; // in issue order
};

/// Operations of one queue act in order, queues are independent of each other.
/// An unordered operation is a queue of its own.
class AsyncUnits {
public:
  void issue(AsyncOperation operation);
  void issue(uint64_t queue, AsyncOperation operation);

  bool empty() const { return queues.empty(); }
  size_t queueCount() const { return queues.size(); }
  uint64_t issued() const { return nextOrdinal; }
  /// The oldest queue whose first operation is not in `delayed`.
  std::optional<size_t> oldest(const std::set<uint64_t> &delayed) const;
  /// Removes the first operation of queue `index` (0: the oldest queue).
  AsyncOperation take(size_t index);
  /// Operations that haven't acted, in issue order by queue.
  template <typename Visit> void forEach(Visit visit) const {
    for (const Queue &queue : queues)
      for (const AsyncOperation &operation : queue.operations)
        visit(operation);
  }

private:
  struct Queue {
    uint64_t key;
    std::deque<AsyncOperation> operations;
  };
  std::vector<Queue> queues; // none is empty
  uint64_t nextKey = uint64_t(1) << 63;
  uint64_t nextOrdinal = 0;
};

} // namespace fa4::emulator
