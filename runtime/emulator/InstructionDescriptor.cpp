#include "runtime/emulator/InstructionDescriptor.h"
#include "runtime/Error.h"
#include <algorithm>
#include <initializer_list>
#include <string>

namespace fa4::emulator {
namespace {

constexpr uint32_t bitsAt(uint32_t bits, uint32_t low, uint32_t count) {
  return bits >> low & ((1u << count) - 1);
}

std::string join(std::initializer_list<uint32_t> values) {
  return fmt::format("{}", fmt::join(values, ", "));
}

void checkFixedBits(uint32_t bits, const MmaForm &form) {
  if (bitsAt(bits, 2, 1))
    fail("idesc {:#010x}: sparse (bit 2) is set in a dense mma", bits);
  if (bitsAt(bits, 0, 2))
    fail("idesc {:#010x}: sparsity selector (bits 0-1) is {} in a dense mma",
         bits, bitsAt(bits, 0, 2));
  for (uint32_t bit : {6u, 23u, 29u})
    if (bitsAt(bits, bit, 1))
      fail("idesc {:#010x}: reserved bit {} is set", bits, bit);
  if (form.kind != MmaKind::I8 && bitsAt(bits, 3, 1))
    fail("idesc {:#010x}: saturate (bit 3) exists for kind::i8 only", bits);
  if (form.kind == MmaKind::I8 && bitsAt(bits, 13, 2))
    fail("idesc {:#010x}: negate (bits 13-14) does not exist for kind::i8",
         bits);
  if (!form.ws && bitsAt(bits, 30, 2))
    fail("idesc {:#010x}: B reuse shift (bits 30-31) exists for .ws only",
         bits);
}

NumberFormat operandFormat(uint32_t bits, uint32_t low, MmaKind kind,
                           char operand) {
  const uint32_t code = bitsAt(bits, low, 3);
  switch (kind) {
  case MmaKind::F16:
    if (code <= 1)
      return code ? NumberFormat::Bf16 : NumberFormat::F16;
    break;
  case MmaKind::Tf32:
    if (code == 2)
      return NumberFormat::Tf32;
    break;
  case MmaKind::F8f6f4: {
    constexpr NumberFormat formats[] = {NumberFormat::E4m3, NumberFormat::E5m2,
                                        NumberFormat::E2m3, NumberFormat::E3m2,
                                        NumberFormat::E2m1};
    if (code <= 4)
      return formats[code];
    break;
  }
  case MmaKind::I8:
    if (code <= 1)
      return code ? NumberFormat::S8 : NumberFormat::U8;
    break;
  }
  fail("idesc {:#010x}: {} type (bits {}-{}) is {}, not a type of kind::{}",
       bits, operand, low, low + 2, code, kindName(kind));
}

AccumulatorType accumulatorType(uint32_t bits, MmaKind kind) {
  const uint32_t code = bitsAt(bits, 4, 2);
  const bool integer = kind == MmaKind::I8;
  const bool legal =
      integer ? code == 2 : code == 1 || (code == 0 && kind != MmaKind::Tf32);
  if (!legal)
    fail("idesc {:#010x}: D type (bits 4-5) is {}, not a type of kind::{}",
         bits, code, kindName(kind));
  return AccumulatorType(code);
}

void checkOneOf(uint32_t bits, const char *name, uint32_t value,
                std::initializer_list<uint32_t> legal, const MmaForm &form) {
  if (std::find(legal.begin(), legal.end(), value) != legal.end())
    return;
  fail("idesc {:#010x}: {} = {}, legal for kind::{}{} cta_group::{} are {}",
       bits, name, value, kindName(form.kind), form.ws ? " .ws" : "",
       form.ctaGroup, join(legal));
}

void checkShape(uint32_t bits, const InstructionDescriptor &d,
                const MmaForm &form) {
  if (form.ws) {
    if (form.ctaGroup != 1)
      fail("tcgen05.mma.ws exists for cta_group::1 only");
    checkOneOf(bits, "M", d.m, {32, 64, 128}, form);
    checkOneOf(bits, "N", d.n, {64, 128, 256}, form);
    return;
  }
  if (form.ctaGroup == 1)
    checkOneOf(bits, "M", d.m, {64, 128}, form);
  else
    checkOneOf(bits, "M", d.m, {128, 256}, form);
  const bool integer = form.kind == MmaKind::I8;
  uint32_t step = 8 * form.ctaGroup;
  if (integer && form.ctaGroup == 2)
    step = 32;
  if (integer && form.ctaGroup == 1 && d.n > 32)
    step = 16;
  if (d.n < step || d.n > 256 || d.n % step)
    fail("idesc {:#010x}: N = {}, must be a multiple of {} up to 256 for "
         "kind::{} cta_group::{}",
         bits, d.n, step, kindName(form.kind), form.ctaGroup);
}

void checkMajor(uint32_t bits, const InstructionDescriptor &d,
                const MmaForm &form) {
  if (form.aInTmem && d.aMajor == Major::Mn)
    fail("idesc {:#010x}: A in TMEM must be K-major (bit 15 = 0)", bits);
  const auto packed = [](NumberFormat format) {
    return format == NumberFormat::E2m3 || format == NumberFormat::E3m2 ||
           format == NumberFormat::E2m1;
  };
  if ((d.aMajor == Major::Mn && packed(d.aFormat)) ||
      (d.bMajor == Major::Mn && packed(d.bFormat)))
    fail("idesc {:#010x}: 4- and 6-bit operands must be K-major", bits);
  const uint32_t step = 16 * form.ctaGroup;
  if (storageBytes(d.bFormat) == 1 && d.bMajor == Major::Mn && d.n % step)
    fail("idesc {:#010x}: N = {} with an 8-bit MN-major B must be a multiple "
         "of {}",
         bits, d.n, step);
}

uint32_t formatCode(NumberFormat format) {
  switch (format) {
  case NumberFormat::Bf16:
  case NumberFormat::E5m2:
  case NumberFormat::S8:
    return 1;
  case NumberFormat::Tf32:
  case NumberFormat::E2m3:
    return 2;
  case NumberFormat::E3m2:
    return 3;
  case NumberFormat::E2m1:
    return 4;
  default:
    return 0;
  }
}

} // namespace

uint32_t instructionDepth(MmaKind kind) {
  switch (kind) {
  case MmaKind::F16:
    return 16;
  case MmaKind::Tf32:
    return 8;
  default:
    return 32;
  }
}

const char *kindName(MmaKind kind) {
  constexpr const char *names[] = {"f16", "tf32", "f8f6f4", "i8"};
  return names[int(kind)];
}

InstructionDescriptor decodeInstructionDescriptor(uint32_t bits,
                                                  const MmaForm &form) {
  checkFixedBits(bits, form);
  InstructionDescriptor d;
  d.accumulator = accumulatorType(bits, form.kind);
  d.aFormat = operandFormat(bits, 7, form.kind, 'A');
  d.bFormat = operandFormat(bits, 10, form.kind, 'B');
  d.saturate = bitsAt(bits, 3, 1);
  d.negateA = bitsAt(bits, 13, 1);
  d.negateB = bitsAt(bits, 14, 1);
  d.aMajor = bitsAt(bits, 15, 1) ? Major::Mn : Major::K;
  d.bMajor = bitsAt(bits, 16, 1) ? Major::Mn : Major::K;
  d.n = bitsAt(bits, 17, 6) << 3;
  d.m = bitsAt(bits, 24, 5) << 4;
  checkShape(bits, d, form);
  checkMajor(bits, d, form);
  return d;
}

uint32_t encodeInstructionDescriptor(const InstructionDescriptor &d) {
  return uint32_t(d.saturate) << 3 | uint32_t(d.accumulator) << 4 |
         formatCode(d.aFormat) << 7 | formatCode(d.bFormat) << 10 |
         uint32_t(d.negateA) << 13 | uint32_t(d.negateB) << 14 |
         uint32_t(d.aMajor == Major::Mn) << 15 |
         uint32_t(d.bMajor == Major::Mn) << 16 | (d.n >> 3) << 17 |
         (d.m >> 4) << 24;
}

} // namespace fa4::emulator
