// Address windows and the translation of addresses to host memory.
#pragma once

#include "runtime/emulator/State.h"

namespace fa4::emulator {

/// Generic addresses: global memory is itself, the other spaces have windows.
/// The shared window covers 32-bit shared::cluster addresses.
inline constexpr uint64_t sharedWindow = 0x7e0000000000;
inline constexpr uint64_t localWindow = 0x7d0000000000;
inline constexpr uint64_t parameterWindow = 0x7c0000000000;
inline constexpr uint64_t windowBytes = uint64_t(1) << 32;

enum class AccessKind : uint8_t { Read, Write, Atomic };

struct Access {
  MemorySpace space;
  uint64_t address;
  uint32_t bytes;
  AccessKind kind;
};

/// The host bytes of one lane's access. Faults with `bounds` when the address
/// is outside the space or misaligned for its size (at most 32 bytes).
std::byte *translate(Context &c, uint32_t lane, Access access);

/// Turns a generic address into one of the space it returns.
MemorySpace resolveGeneric(uint64_t &address);

/// The bytes of a shared::cta or shared::cluster range, in the CTA that owns
/// it; `alignment` is a power of two.
std::byte *sharedBytes(Machine &machine, Cta &cta, uint32_t address,
                       uint32_t bytes, uint32_t alignment);

/// Global bytes for an async unit; faults with `bounds`.
std::byte *globalBytes(Machine &machine, uint64_t address, uint64_t bytes);

/// A shared address operand as 32 bits: from a 32-bit or 64-bit register, or a
/// generic address inside the shared window.
uint32_t sharedAddress(Context &c, const Operand &o, uint32_t lane);

} // namespace fa4::emulator
