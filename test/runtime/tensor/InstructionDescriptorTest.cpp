#include "runtime/emulator/InstructionDescriptor.h"
#include "ExpectError.h"

namespace fa4::emulator {
namespace {

InstructionDescriptor shape(uint32_t m, uint32_t n) {
  InstructionDescriptor d;
  d.m = m;
  d.n = n;
  return d;
}

void expectIllegal(uint32_t bits, const MmaForm &form, const char *part) {
  expectError([&] { decodeInstructionDescriptor(bits, form); }, part);
}

TEST(InstructionDescriptor, EncodesTheConstantOfTheProbeGemm) {
  EXPECT_EQ(encodeInstructionDescriptor(shape(128, 128)), 0x08200490u);
}

TEST(InstructionDescriptor, DecodesEveryField) {
  InstructionDescriptor d = shape(64, 72);
  d.accumulator = AccumulatorType::F16;
  d.aFormat = d.bFormat = NumberFormat::F16;
  d.negateA = d.negateB = true;
  d.aMajor = d.bMajor = Major::Mn;
  const InstructionDescriptor back = decodeInstructionDescriptor(
      encodeInstructionDescriptor(d), {MmaKind::F16, 1, false, false});
  EXPECT_EQ(back.accumulator, AccumulatorType::F16);
  EXPECT_EQ(back.aFormat, NumberFormat::F16);
  EXPECT_TRUE(back.negateA && back.negateB);
  EXPECT_EQ(back.aMajor, Major::Mn);
  EXPECT_EQ(back.bMajor, Major::Mn);
  EXPECT_EQ(back.m, 64u);
  EXPECT_EQ(back.n, 72u);
}

TEST(InstructionDescriptor, ShapesOfEachGroup) {
  const MmaForm one{MmaKind::F16, 1}, two{MmaKind::F16, 2},
      ws{MmaKind::F16, 1, true};
  const auto bits = [](uint32_t m, uint32_t n) {
    return encodeInstructionDescriptor(shape(m, n));
  };
  EXPECT_NO_THROW(decodeInstructionDescriptor(bits(64, 8), one));
  EXPECT_NO_THROW(decodeInstructionDescriptor(bits(256, 256), two));
  EXPECT_NO_THROW(decodeInstructionDescriptor(bits(32, 64), ws));
  expectIllegal(bits(256, 128), one,
                "M = 256, legal for kind::f16 cta_group::1 are 64, 128");
  expectIllegal(bits(64, 128), two,
                "M = 64, legal for kind::f16 cta_group::2 are 128, 256");
  expectIllegal(bits(128, 24), two, "N = 24, must be a multiple of 16");
  expectIllegal(bits(128, 0), one, "N = 0, must be a multiple of 8");
  expectIllegal(bits(128, 264), one, "N = 264, must be a multiple of 8 up to");
  expectIllegal(bits(32, 32), ws, "N = 32, legal for kind::f16 .ws");
  expectIllegal(bits(64, 64), {MmaKind::F16, 2, true},
                "tcgen05.mma.ws exists for cta_group::1 only");
}

TEST(InstructionDescriptor, IntegerShapesHaveLargerSteps) {
  InstructionDescriptor d = shape(128, 40);
  d.aFormat = d.bFormat = NumberFormat::S8;
  d.accumulator = AccumulatorType::S32;
  expectIllegal(encodeInstructionDescriptor(d), {MmaKind::I8, 1},
                "N = 40, must be a multiple of 16");
  d.n = 48;
  EXPECT_NO_THROW(decodeInstructionDescriptor(encodeInstructionDescriptor(d),
                                              {MmaKind::I8, 1}));
}

TEST(InstructionDescriptor, RejectsWrongBits) {
  const uint32_t good = 0x08200490;
  const MmaForm form{MmaKind::F16, 1};
  expectIllegal(good | 1 << 2, form, "sparse (bit 2) is set");
  expectIllegal(good | 1, form, "sparsity selector (bits 0-1) is 1");
  expectIllegal(good | 1 << 3, form, "saturate (bit 3) exists for kind::i8");
  expectIllegal(good | 1 << 6, form, "reserved bit 6 is set");
  expectIllegal(good | 1 << 23, form, "reserved bit 23 is set");
  expectIllegal(good | 1 << 29, form, "reserved bit 29 is set");
  expectIllegal(good | 1u << 30, form, "B reuse shift (bits 30-31)");
  expectIllegal(good | 2 << 4, form, "D type (bits 4-5) is 3");
  expectIllegal(good | 2 << 7, form, "A type (bits 7-9) is 3");
  expectIllegal(good | 2 << 10, form, "B type (bits 10-12) is 3");
  expectIllegal(good | 1 << 15, {MmaKind::F16, 1, false, true},
                "A in TMEM must be K-major");
}

TEST(InstructionDescriptor, EightBitRules) {
  InstructionDescriptor d = shape(128, 24);
  d.aFormat = d.bFormat = NumberFormat::E4m3;
  d.bMajor = Major::Mn;
  const MmaForm form{MmaKind::F8f6f4, 1};
  expectIllegal(encodeInstructionDescriptor(d), form,
                "N = 24 with an 8-bit MN-major B must be a multiple of 16");
  d.n = 32;
  d.bFormat = NumberFormat::E2m1;
  expectIllegal(encodeInstructionDescriptor(d), form,
                "4- and 6-bit operands must be K-major");
}

} // namespace
} // namespace fa4::emulator
