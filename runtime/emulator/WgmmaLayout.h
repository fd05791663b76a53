// Register fragments of wgmma.m64nNk* over the 128 threads of a warpgroup.
// Source: PTX ISA, wgmma, "Register Fragments".
#pragma once
#include <cstdint>

namespace fa4::emulator {

struct FragmentPosition {
  uint32_t row;    // 0..63
  uint32_t column; // along N (accumulator) or K (A operand)
};

// f32 accumulator register i (i < N / 2) of `thread` (0..127). f16
// accumulators hold elements 2i and 2i+1 of this numbering in register i.
constexpr FragmentPosition wgmmaAccumulator(uint32_t thread, uint32_t i) {
  return {16 * (thread / 32) + (thread % 32) / 4 + 8 * ((i >> 1) & 1),
          2 * (thread % 4) + (i & 1) + 8 * (i >> 2)};
}

// First element in 32-bit A register j (j < 4); the register holds 4 /
// elementBytes elements at consecutive columns.
constexpr FragmentPosition wgmmaOperandA(uint32_t thread, uint32_t j,
                                         uint32_t elementBytes) {
  const uint32_t perRegister = 4 / elementBytes;
  return {16 * (thread / 32) + (thread % 32) / 4 + 8 * (j & 1),
          perRegister * (thread % 4) + 4 * perRegister * (j >> 1)};
}

} // namespace fa4::emulator
