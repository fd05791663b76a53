// The 32-bit instruction descriptor of tcgen05.mma for kind::f16, kind::tf32,
// kind::f8f6f4 and kind::i8, dense. Source: PTX ISA, tcgen05,
// "Instruction descriptor".
#pragma once
#include "runtime/emulator/MatrixDescriptor.h"
#include "runtime/emulator/NumberFormats.h"
#include <cstdint>

namespace fa4::emulator {

enum class MmaKind : uint8_t { F16, Tf32, F8f6f4, I8 };
enum class AccumulatorType : uint8_t { F16, F32, S32 };

struct InstructionDescriptor {
  AccumulatorType accumulator = AccumulatorType::F32;
  NumberFormat aFormat = NumberFormat::Bf16;
  NumberFormat bFormat = NumberFormat::Bf16;
  bool negateA = false;
  bool negateB = false;
  bool saturate = false;
  Major aMajor = Major::K;
  Major bMajor = Major::K;
  uint32_t m = 0;
  uint32_t n = 0;
};

// K of one instruction in elements: 32 bytes of a row.
uint32_t instructionDepth(MmaKind kind);

struct MmaForm {
  MmaKind kind = MmaKind::F16;
  uint32_t ctaGroup = 1;
  bool ws = false;
  bool aInTmem = false;
};

// Throws Error naming the field and the legal values when the bits make no
// instruction of this form.
InstructionDescriptor decodeInstructionDescriptor(uint32_t bits,
                                                  const MmaForm &form);
uint32_t encodeInstructionDescriptor(const InstructionDescriptor &descriptor);

const char *kindName(MmaKind kind);

} // namespace fa4::emulator
