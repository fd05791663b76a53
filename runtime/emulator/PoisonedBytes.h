// Host memory that reads as poison until it is written.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

namespace fa4::emulator {

/// `size` bytes of 0xFF (NaN in every float format). Large ones take memory
/// only where they are written, so that tensors may span more than the machine
/// has. Throws fa4::Error when the address space doesn't hold them.
class PoisonedBytes {
public:
  explicit PoisonedBytes(uint64_t size);

  std::byte *get() const { return bytes.get(); }

private:
  struct Free {
    uint64_t mapped; // bytes; 0: from the heap
    void operator()(std::byte *bytes) const;
  };
  std::unique_ptr<std::byte[], Free> bytes;
};

} // namespace fa4::emulator
