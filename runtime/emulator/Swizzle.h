// Shared-memory swizzles. They act on absolute shared::cta byte addresses
// (the window offset, below bit 24), the same way for TMA, tcgen05 and wgmma.
// Source of the bit positions: PTX ISA, tensor "Swizzling modes".
#pragma once
#include <cstdint>

namespace fa4::emulator {

// The values are those of CUtensorMapSwizzle.
enum class Swizzle : uint8_t {
  None = 0,
  Span32 = 1,
  Span64 = 2,
  Span128 = 3,
  Span128Atom32 = 4,
  Span128Atom32Flip8 = 5, // TMA only
  Span128Atom64 = 6,      // TMA only
};

constexpr uint32_t swizzle(Swizzle mode, uint32_t address) {
  switch (mode) {
  case Swizzle::None:
    return address;
  case Swizzle::Span32:
    return address ^ ((address >> 3) & 0x10);
  case Swizzle::Span64:
    return address ^ ((address >> 3) & 0x30);
  case Swizzle::Span128:
    return address ^ ((address >> 3) & 0x70);
  case Swizzle::Span128Atom32:
    return address ^ ((address >> 2) & 0x60);
  case Swizzle::Span128Atom32Flip8:
    return address ^ ((address >> 2) & 0x60) ^ ((address >> 4) & 0x08);
  case Swizzle::Span128Atom64:
    return address ^ ((address >> 1) & 0x40);
  }
  return address;
}

// Bytes of one swizzled row; 16 for None, one core-matrix row.
constexpr uint32_t swizzleSpan(Swizzle mode) {
  switch (mode) {
  case Swizzle::None:
    return 16;
  case Swizzle::Span32:
    return 32;
  case Swizzle::Span64:
    return 64;
  default:
    return 128;
  }
}

// Bytes that stay contiguous under the swizzle when aligned to their size.
constexpr uint32_t swizzleChunk(Swizzle mode) {
  switch (mode) {
  case Swizzle::None:
    return 1u << 31;
  case Swizzle::Span128Atom32:
    return 32;
  case Swizzle::Span128Atom32Flip8:
    return 8;
  case Swizzle::Span128Atom64:
    return 64;
  default:
    return 16;
  }
}

// Bytes after which the pattern repeats; a base aligned to it has offset 0.
constexpr uint32_t swizzlePeriod(Swizzle mode) {
  switch (mode) {
  case Swizzle::None:
    return 16;
  case Swizzle::Span32:
  case Swizzle::Span128Atom64:
    return 256;
  case Swizzle::Span64:
  case Swizzle::Span128Atom32:
  case Swizzle::Span128Atom32Flip8:
    return 512;
  case Swizzle::Span128:
    return 1024;
  }
  return 16;
}

constexpr const char *swizzleName(Swizzle mode) {
  constexpr const char *names[] = {"none",          "32B",
                                   "64B",           "128B",
                                   "128B_ATOM_32B", "128B_ATOM_32B_FLIP_8B",
                                   "128B_ATOM_64B"};
  return names[static_cast<int>(mode)];
}

} // namespace fa4::emulator
