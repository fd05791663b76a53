#include "runtime/emulator/Addresses.h"

#include "runtime/emulator/Lanes.h"
#include "runtime/emulator/Machine.h"

#include <fmt/format.h>

namespace fa4::emulator {

namespace {

const char *verb(AccessKind kind) {
  return kind == AccessKind::Read    ? "read"
         : kind == AccessKind::Write ? "write"
                                     : "atomic";
}

void checkAlignment(const Access &access) {
  if (access.address & (access.bytes - 1))
    fault("bounds",
          fmt::format("misaligned {} of {} bytes at address 0x{:x}",
                      verb(access.kind), access.bytes, access.address));
}

std::byte *localBytes(Context &c, uint32_t lane, const Access &access) {
  uint64_t offset = access.address >= localWindow ? access.address - localWindow
                                                  : access.address;
  const uint32_t size = c.function.localBytes;
  if (offset > size || access.bytes > size - offset)
    fault("bounds",
          fmt::format("local {} of {} bytes at offset {}; the thread has {}",
                      verb(access.kind), access.bytes, offset, size));
  if (c.warp.local.empty())
    c.warp.local.assign(size_t(size) * 32, std::byte(0xff));
  return c.warp.local.data() + size_t(size) * lane + offset;
}

std::byte *parameterBytes(Context &c, const Access &access) {
  uint64_t offset = access.address >= parameterWindow
                        ? access.address - parameterWindow
                        : access.address;
  const size_t size = c.machine.parameters.size();
  if (offset > size || access.bytes > size - offset)
    fault("bounds", fmt::format("read of {} bytes at parameter offset {}; the "
                                "parameters have {} bytes",
                                access.bytes, offset, size));
  if (access.kind != AccessKind::Read)
    fault("bounds", "write to a kernel parameter");
  return c.machine.parameters.data() + offset;
}

} // namespace

MemorySpace resolveGeneric(uint64_t &address) {
  auto inside = [&](uint64_t window) {
    return address >= window && address - window < windowBytes;
  };
  if (inside(sharedWindow)) {
    address -= sharedWindow;
    return MemorySpace::SharedCluster;
  }
  if (inside(localWindow)) {
    address -= localWindow;
    return MemorySpace::Local;
  }
  return inside(parameterWindow) ? MemorySpace::Param : MemorySpace::Global;
}

std::byte *sharedBytes(Machine &machine, Cta &cta, uint32_t address,
                       uint32_t bytes, uint32_t alignment) {
  Cta &owner = machine.ctaOf(cta, address);
  uint32_t offset = address & 0xffffff;
  if (address & (alignment - 1))
    fault("bounds", fmt::format("shared address 0x{:x} is not {}-byte aligned",
                                address, alignment));
  if (offset < reservedShared || offset > owner.shared.size() ||
      bytes > owner.shared.size() - offset)
    fault("bounds",
          fmt::format("{} bytes at shared address 0x{:x} are outside the "
                      "CTA's window [0x{:x}, 0x{:x})",
                      bytes, address, owner.sharedBase() + reservedShared,
                      owner.sharedBase() + owner.shared.size()));
  return owner.shared.data() + offset;
}

std::byte *globalBytes(Machine &machine, uint64_t address, uint64_t bytes) {
  std::byte *found = machine.memory.find(address, bytes);
  if (!found)
    fault("bounds",
          fmt::format("{} bytes at global address 0x{:x} are out of bounds: {}",
                      bytes, address, machine.memory.describe(address)));
  return found;
}

std::byte *translate(Context &c, uint32_t lane, Access access) {
  checkAlignment(access);
  if (access.space == MemorySpace::Generic)
    access.space = resolveGeneric(access.address);
  switch (access.space) {
  case MemorySpace::Shared:
  case MemorySpace::SharedCluster: {
    if (access.address >> 32)
      fault("bounds",
            fmt::format("0x{:x} is no shared address", access.address));
    uint32_t address = static_cast<uint32_t>(access.address);
    if (access.space == MemorySpace::Shared && address >> 24 != c.cta.rank)
      fault("bounds",
            fmt::format("shared::cta address 0x{:x} is in the window of CTA "
                        "rank {}, not of rank {}",
                        address, address >> 24, c.cta.rank));
    return sharedBytes(c.machine, c.cta, address, access.bytes, 1);
  }
  case MemorySpace::Local:
    return localBytes(c, lane, access);
  case MemorySpace::Param:
    return parameterBytes(c, access);
  default:
    return globalBytes(c.machine, access.address, access.bytes);
  }
}

uint32_t sharedAddress(Context &c, const Operand &o, uint32_t lane) {
  uint64_t address = laneValue(c, o, lane);
  if (o.kind == OperandKind::Row32)
    return static_cast<uint32_t>(address);
  if (address >= sharedWindow && address - sharedWindow < windowBytes)
    address -= sharedWindow;
  if (address >> 32)
    fault("bounds", fmt::format("0x{:x} is no shared address", address));
  return static_cast<uint32_t>(address);
}

} // namespace fa4::emulator
