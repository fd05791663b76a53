// The device's global memory: named allocations at sparse 64-bit addresses.
#pragma once

#include "runtime/emulator/PoisonedBytes.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace fa4::emulator {

/// Allocations are 1024-byte aligned, start as poison, and lie at least 64 KiB
/// apart, so that every access outside one of them is seen: no canary values
/// are needed. Addresses are the same in
/// every run that allocates in the same order.
class GlobalMemory {
public:
  struct Allocation {
    uint64_t base;
    uint64_t size;
    std::string name;
    PoisonedBytes bytes;
  };

  /// `bytes` may be 0; the address is then valid for no access.
  uint64_t allocate(uint64_t bytes, std::string_view name);
  void release(uint64_t address);

  /// Both throw fa4::Error naming the nearest allocation when
  /// [address, address+size) isn't inside one.
  void write(uint64_t address, std::span<const std::byte> data);
  void read(uint64_t address, std::span<std::byte> data) const;

  /// The host bytes behind [address, address+size), or null when that range
  /// isn't inside one allocation. Valid until the allocation is released.
  std::byte *find(uint64_t address, uint64_t size);
  const Allocation *allocationAt(uint64_t address) const;

  /// Where an address lies, e.g. "16 bytes past the end of 'q' (4096 bytes)".
  std::string describe(uint64_t address) const;

private:
  std::vector<Allocation> allocations; // sorted by base
  uint64_t next = 0x7f0000000000;
  std::size_t last = 0; // index of the allocation found last
};

} // namespace fa4::emulator
