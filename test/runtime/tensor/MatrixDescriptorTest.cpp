#include "runtime/emulator/MatrixDescriptor.h"
#include "ExpectError.h"
#include <cstring>
#include <vector>

namespace fa4::emulator {
namespace {

constexpr Swizzle mmaModes[] = {Swizzle::None, Swizzle::Span32, Swizzle::Span64,
                                Swizzle::Span128, Swizzle::Span128Atom32};

// What TMA writes: dense rows, the swizzle on absolute address bits.
uint32_t tmaImage(Swizzle mode, uint32_t base, uint32_t rowBytes, uint32_t row,
                  uint32_t byte) {
  return swizzle(mode, base + row * rowBytes + byte);
}

MatrixDescriptor descriptorAt(uint32_t start, uint32_t lbo, uint32_t sbo,
                              Swizzle mode) {
  return decodeUmmaDescriptor(encodeUmmaDescriptor({start, lbo, sbo, mode}));
}

constexpr uint32_t bases[] = {0x400, 0x2000, 33 * 1024};

TEST(MatrixDescriptor, KMajorSwizzledTilesReadTheTmaImage) {
  for (uint32_t base : bases)
    for (uint32_t bytes : {1u, 2u, 4u})
      for (Swizzle mode :
           {Swizzle::Span32, Swizzle::Span64, Swizzle::Span128}) {
        const uint32_t span = swizzleSpan(mode), depth = 32 / bytes;
        for (uint32_t step = 0; step < span / 32; ++step) {
          const MatrixDescriptor d =
              descriptorAt(base + 32 * step, 16, 8 * span, mode);
          for (uint32_t mn = 0; mn < 128; ++mn)
            for (uint32_t k = 0; k < depth; ++k)
              ASSERT_EQ(
                  operandAddress(d, Major::K, bytes, mn, k),
                  tmaImage(mode, base, span, mn, (step * depth + k) * bytes));
        }
      }
}

TEST(MatrixDescriptor, MnMajorSwizzledTilesReadTheTmaImage) {
  for (uint32_t base : bases)
    for (uint32_t bytes : {1u, 2u})
      for (Swizzle mode :
           {Swizzle::Span32, Swizzle::Span64, Swizzle::Span128}) {
        const uint32_t span = swizzleSpan(mode), depth = 32 / bytes;
        const uint32_t tileDepth = 64, perBox = span / bytes;
        for (uint32_t step = 0; step < tileDepth / depth; ++step) {
          const MatrixDescriptor d = descriptorAt(
              base + step * depth * span, tileDepth * span, 8 * span, mode);
          for (uint32_t mn = 0; mn < 128; ++mn)
            for (uint32_t k = 0; k < depth; ++k)
              ASSERT_EQ(operandAddress(d, Major::Mn, bytes, mn, k),
                        tmaImage(mode, base + mn / perBox * tileDepth * span,
                                 span, step * depth + k, mn % perBox * bytes));
        }
      }
}

TEST(MatrixDescriptor, MnMajorTf32UsesGroupsOfFour) {
  for (uint32_t base : bases)
    for (uint32_t step = 0; step < 4; ++step) {
      const Swizzle mode = Swizzle::Span128Atom32;
      const MatrixDescriptor d =
          descriptorAt(base + step * 8 * 128, 32 * 128, 4 * 128, mode);
      for (uint32_t mn = 0; mn < 128; ++mn)
        for (uint32_t k = 0; k < 8; ++k)
          ASSERT_EQ(operandAddress(d, Major::Mn, 4, mn, k),
                    tmaImage(mode, base + mn / 32 * 32 * 128, 128, step * 8 + k,
                             mn % 32 * 4));
    }
}

TEST(MatrixDescriptor, KMajorWithoutSwizzleReadsSixteenByteBoxes) {
  for (uint32_t bytes : {1u, 2u, 4u}) {
    const uint32_t rows = 128, perChunk = 16 / bytes;
    const MatrixDescriptor d =
        descriptorAt(0x800, rows * 16, 128, Swizzle::None);
    for (uint32_t mn = 0; mn < rows; ++mn)
      for (uint32_t k = 0; k < 32 / bytes; ++k)
        ASSERT_EQ(operandAddress(d, Major::K, bytes, mn, k),
                  0x800 + k / perChunk * rows * 16 + mn * 16 +
                      k % perChunk * bytes);
  }
}

TEST(MatrixDescriptor, MnMajorWithoutSwizzleSwapsTheStrides) {
  const MatrixDescriptor d = descriptorAt(0x800, 256, 128, Swizzle::None);
  EXPECT_EQ(operandAddress(d, Major::Mn, 2, 7, 0), 0x800u + 14);
  EXPECT_EQ(operandAddress(d, Major::Mn, 2, 8, 0), 0x800u + 128);
  EXPECT_EQ(operandAddress(d, Major::Mn, 2, 0, 1), 0x800u + 16);
  EXPECT_EQ(operandAddress(d, Major::Mn, 2, 0, 8), 0x800u + 256);
}

TEST(MatrixDescriptor, EncodesTheConstantOfTheProbeGemm) {
  EXPECT_EQ(encodeUmmaDescriptor({0, 16, 1024, Swizzle::Span128}),
            0x4000404000010000u);
}

TEST(MatrixDescriptor, WgmmaUsesItsOwnSwizzleCodes) {
  for (Swizzle mode :
       {Swizzle::None, Swizzle::Span32, Swizzle::Span64, Swizzle::Span128}) {
    const uint64_t bits = encodeWgmmaDescriptor({0x1400, 32, 1024, mode});
    const MatrixDescriptor d = decodeWgmmaDescriptor(bits);
    EXPECT_EQ(d.swizzle, mode);
    EXPECT_EQ(d.start, 0x1400u);
    EXPECT_EQ(d.leadingOffset, 32u);
    EXPECT_EQ(d.strideOffset, 1024u);
  }
  EXPECT_EQ(encodeWgmmaDescriptor({0, 0, 0, Swizzle::Span128}) >> 62, 1u);
}

TEST(MatrixDescriptor, RejectsWrongBits) {
  const uint64_t good = 0x4000404000010000u;
  const auto umma = [&](uint64_t flip, const char *part) {
    expectError([&] { decodeUmmaDescriptor(good ^ flip); }, part);
  };
  umma(uint64_t(1) << 46, "bits 46-48 are 0b000, must be 0b001");
  umma(uint64_t(1) << 49, "base offset (bits 49-51) is 1");
  umma(uint64_t(1) << 52, "absolute LBO mode (bit 52)");
  umma(uint64_t(1) << 53, "bits 53-60 are 0x1, must be 0");
  umma(uint64_t(1) << 61, "swizzle code (bits 61-63) is 3");
  umma(uint64_t(1) << 14, "reserved bits 14-15 and 30-31");
  expectError([] { decodeWgmmaDescriptor(uint64_t(1) << 46); },
              "wgmma matrix descriptor");
  expectError([] { decodeWgmmaDescriptor(uint64_t(1) << 52); },
              "bits 52-61 are 0x1, must be 0");
}

TEST(MatrixDescriptor, RejectsLayoutsThatDoNotExist) {
  expectError(
      [] { checkOperandLayout({0, 0, 0, Swizzle::Span128}, Major::Mn, 4); },
      "MN-major 32-bit operand with swizzle 128B");
  expectError(
      [] {
        checkOperandLayout({0, 0, 0, Swizzle::Span128Atom32}, Major::Mn, 2);
      },
      "MN-major 16-bit operand with swizzle 128B_ATOM_32B");
}

TEST(MatrixDescriptor, GatherReadsEveryElementByItsAddress) {
  std::vector<std::byte> shared(1 << 18);
  for (size_t i = 0; i < shared.size(); ++i)
    shared[i] = std::byte(i * 37 % 61);
  for (NumberFormat format : {NumberFormat::Bf16, NumberFormat::F16,
                              NumberFormat::Tf32, NumberFormat::E4m3})
    for (Swizzle mode : mmaModes)
      for (Major major : {Major::K, Major::Mn})
        for (PanelOrder order : {PanelOrder::KRows, PanelOrder::MnRows}) {
          const uint32_t bytes = storageBytes(format), depth = 32 / bytes;
          const OperandTile tile = {
              {0x2000, 4096, 1024, mode}, major, format, 128, depth};
          const uint32_t stride = order == PanelOrder::KRows ? 128 : depth;
          std::vector<float> panel(128 * depth);
          gatherOperand(tile, shared, {order, stride, true}, panel.data());
          for (uint32_t mn = 0; mn < 128; ++mn)
            for (uint32_t k = 0; k < depth; ++k) {
              uint32_t bits = 0;
              std::memcpy(
                  &bits,
                  &shared[operandAddress(tile.descriptor, major, bytes, mn, k)],
                  bytes);
              const float got = order == PanelOrder::KRows
                                    ? panel[k * stride + mn]
                                    : panel[mn * stride + k];
              ASSERT_EQ(got, -decodeNumber(format, bits))
                  << formatName(format) << " " << swizzleName(mode);
            }
        }
}

TEST(MatrixDescriptor, ChunksCoverTheTileOnce) {
  const OperandTile tile = {{0x2000, 16, 1024, Swizzle::Span128},
                            Major::K,
                            NumberFormat::Bf16,
                            128,
                            16};
  std::vector<uint32_t> chunks;
  forEachOperandChunk(tile, [&](uint32_t chunk) { chunks.push_back(chunk); });
  std::sort(chunks.begin(), chunks.end());
  EXPECT_EQ(chunks.size(), 256u);
  EXPECT_EQ(std::unique(chunks.begin(), chunks.end()), chunks.end());
  for (uint32_t chunk : chunks)
    EXPECT_EQ(chunk % 16, 0u);
}

TEST(MatrixDescriptor, GatherRejectsMemoryThatDoesNotExist) {
  std::vector<std::byte> shared(0x4000);
  const OperandTile tile = {{0x3000, 16, 1024, Swizzle::Span128},
                            Major::K,
                            NumberFormat::Bf16,
                            128,
                            16};
  std::vector<float> panel(128 * 16);
  expectError(
      [&] {
        gatherOperand(tile, shared, {PanelOrder::KRows, 128}, panel.data());
      },
      "matrix descriptor reads shared memory at 0x4000, the CTA has 0x4000");
}

} // namespace
} // namespace fa4::emulator
