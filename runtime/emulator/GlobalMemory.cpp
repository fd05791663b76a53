#include "runtime/emulator/GlobalMemory.h"

#include "runtime/Error.h"

#include <algorithm>

namespace fa4::emulator {

namespace {

constexpr uint64_t alignment = 1024;
constexpr uint64_t gap = 64 * 1024;

} // namespace

uint64_t GlobalMemory::allocate(uint64_t bytes, std::string_view name) {
  const uint64_t base = next;
  next += (bytes + gap + alignment - 1) / alignment * alignment;
  allocations.push_back({base, bytes, std::string(name), PoisonedBytes(bytes)});
  return base;
}

void GlobalMemory::release(uint64_t address) {
  auto found =
      std::find_if(allocations.begin(), allocations.end(),
                   [&](const Allocation &a) { return a.base == address; });
  if (found == allocations.end())
    fail("0x{:x} is no allocation", address);
  allocations.erase(found);
  last = 0;
}

std::byte *GlobalMemory::find(uint64_t address, uint64_t size) {
  auto inside = [&](const Allocation &a) {
    return address >= a.base && address - a.base <= a.size &&
           size <= a.size - (address - a.base);
  };
  if (last >= allocations.size() || !inside(allocations[last])) {
    auto after = std::upper_bound(
        allocations.begin(), allocations.end(), address,
        [](uint64_t value, const Allocation &a) { return value < a.base; });
    if (after == allocations.begin() || !inside(*(after - 1)))
      return nullptr;
    last = static_cast<size_t>(after - 1 - allocations.begin());
  }
  return allocations[last].bytes.get() + (address - allocations[last].base);
}

const GlobalMemory::Allocation *
GlobalMemory::allocationAt(uint64_t address) const {
  for (const Allocation &a : allocations)
    if (address >= a.base && address - a.base < a.size)
      return &a;
  return nullptr;
}

void GlobalMemory::write(uint64_t address, std::span<const std::byte> data) {
  std::byte *target = find(address, data.size());
  if (!target)
    fail("write of {} bytes at 0x{:x}: {}", data.size(), address,
         describe(address));
  std::copy(data.begin(), data.end(), target);
}

void GlobalMemory::read(uint64_t address, std::span<std::byte> data) const {
  for (const Allocation &a : allocations) {
    if (address >= a.base && address - a.base <= a.size &&
        data.size() <= a.size - (address - a.base)) {
      std::copy_n(a.bytes.get() + (address - a.base), data.size(),
                  data.begin());
      return;
    }
  }
  fail("read of {} bytes at 0x{:x}: {}", data.size(), address,
       describe(address));
}

std::string GlobalMemory::describe(uint64_t address) const {
  const Allocation *before = nullptr, *after = nullptr;
  for (const Allocation &a : allocations) {
    if (a.base <= address)
      before = &a;
    else if (!after)
      after = &a;
  }
  if (before && address - before->base < before->size)
    return fmt::format("offset {} of '{}' ({} bytes)", address - before->base,
                       before->name, before->size);
  if (before && address - before->base < before->size + gap)
    return fmt::format("{} bytes past the end of '{}' ({} bytes)",
                       address - before->base - before->size, before->name,
                       before->size);
  if (after && after->base - address < gap)
    return fmt::format("{} bytes before '{}'", after->base - address,
                       after->name);
  return "near no allocation";
}

} // namespace fa4::emulator
