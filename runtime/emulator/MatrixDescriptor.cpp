#include "runtime/emulator/MatrixDescriptor.h"
#include "runtime/Error.h"
#include "runtime/emulator/VectorClones.h"
#include <array>
#include <bit>
#include <cstring>
#include <vector>

namespace fa4::emulator {
namespace {

constexpr uint32_t windowMask = 0x3ffff; // descriptors address 18 bits

constexpr uint32_t field(uint64_t bits, uint32_t low) {
  return uint32_t(bits >> low & 0x3fff) << 4;
}

constexpr uint64_t encodeFields(const MatrixDescriptor &descriptor) {
  const auto encode = [](uint32_t bytes) {
    return uint64_t(bytes & windowMask) >> 4;
  };
  return encode(descriptor.start) | encode(descriptor.leadingOffset) << 16 |
         encode(descriptor.strideOffset) << 32;
}

MatrixDescriptor decodeFields(uint64_t bits, const char *what) {
  if (bits & 0xc000'c000)
    fail("{} descriptor {:#018x}: reserved bits 14-15 and 30-31 must be 0",
         what, bits);
  if (const uint32_t base = bits >> 49 & 7)
    fail("{} descriptor {:#018x}: base offset (bits 49-51) is {}, only 0 is "
         "emulated: align the tile to its swizzle pattern",
         what, bits, base);
  return {field(bits, 0), field(bits, 16), field(bits, 32), Swizzle::None};
}

// Where 16-byte chunk `chunk` of line `line` starts, before the swizzle, as a
// sum of two terms. A line is a row for K-major and one k for MN-major.
struct ChunkMap {
  uint32_t groupMask;   // lines of one group, minus one
  uint32_t groupShift;  // log2 of lines of one group
  uint32_t lineStride;  // within a group
  uint32_t groupStride; // between groups
  uint32_t spanChunks;  // chunks side by side
  uint32_t chunkStride; // within a span
  uint32_t spanStride;  // between spans

  uint32_t lineOffset(uint32_t line) const {
    return (line & groupMask) * lineStride + (line >> groupShift) * groupStride;
  }
  uint32_t chunkOffset(uint32_t chunk) const {
    return chunk % spanChunks * chunkStride + chunk / spanChunks * spanStride;
  }
};

constexpr uint32_t unbounded = 1u << 30;

ChunkMap chunkMap(const MatrixDescriptor &descriptor, Major major) {
  const uint32_t lbo = descriptor.leadingOffset;
  const uint32_t sbo = descriptor.strideOffset;
  const uint32_t span = swizzleSpan(descriptor.swizzle);
  const bool plain = descriptor.swizzle == Swizzle::None;
  if (major == Major::K) {
    if (plain)
      return {7, 3, 16, sbo, unbounded, lbo, 0};
    return {7, 3, span, sbo, unbounded, 16, 0};
  }
  if (plain)
    return {7, 3, 16, lbo, unbounded, sbo, 0};
  const uint32_t shift = descriptor.swizzle == Swizzle::Span128Atom32 ? 2 : 3;
  return {(1u << shift) - 1, shift, span, sbo, span / 16, 16, lbo};
}

// Converts the 16 bytes of one chunk.
template <NumberFormat Format>
__attribute__((always_inline)) inline void convertChunk(const std::byte *source,
                                                        float *destination) {
  if constexpr (Format == NumberFormat::Bf16) {
    uint16_t words[8];
    std::memcpy(words, source, 16);
    for (int i = 0; i < 8; ++i)
      destination[i] = std::bit_cast<float>(uint32_t(words[i]) << 16);
  } else if constexpr (Format == NumberFormat::F16) {
    _Float16 words[8];
    std::memcpy(words, source, 16);
    for (int i = 0; i < 8; ++i)
      destination[i] = float(words[i]);
  } else {
    uint32_t words[4];
    std::memcpy(words, source, 16);
    for (int i = 0; i < 4; ++i)
      destination[i] = std::bit_cast<float>(words[i] & 0xffffe000);
  }
}

struct Lines {
  ChunkMap map;
  const MatrixDescriptor *descriptor;
  uint32_t count;  // lines
  uint32_t chunks; // per line
  const std::byte *shared;
  bool alongPanelRow; // chunk elements are neighbours in the panel
  uint32_t stride;    // of the panel
};

// The chunk's address is known to lie in `shared`.
template <uint32_t PerChunk, typename Convert>
__attribute__((always_inline)) inline void
gatherLines(const Lines &lines, float *panel, Convert convert) {
  std::array<uint32_t, 64> chunkOffsets;
  for (uint32_t chunk = 0; chunk < lines.chunks; ++chunk)
    chunkOffsets[chunk] = lines.map.chunkOffset(chunk);
  const Swizzle mode = lines.descriptor->swizzle;
  for (uint32_t line = 0; line < lines.count; ++line) {
    const uint32_t start = lines.descriptor->start + lines.map.lineOffset(line);
    for (uint32_t chunk = 0; chunk < lines.chunks; ++chunk) {
      const uint32_t address =
          swizzle(mode, (start + chunkOffsets[chunk]) & windowMask);
      const std::byte *source = lines.shared + address;
      if (lines.alongPanelRow) {
        convert(source, panel + size_t(line) * lines.stride + chunk * PerChunk);
        continue;
      }
      float values[PerChunk];
      convert(source, values);
      float *column = panel + size_t(chunk) * PerChunk * lines.stride + line;
      for (uint32_t i = 0; i < PerChunk; ++i)
        column[i * lines.stride] = values[i];
    }
  }
}

FA4_VECTOR_CLONES
void gatherBf16(const Lines &lines, float *panel) {
  gatherLines<8>(lines, panel, convertChunk<NumberFormat::Bf16>);
}
FA4_VECTOR_CLONES
void gatherF16(const Lines &lines, float *panel) {
  gatherLines<8>(lines, panel, convertChunk<NumberFormat::F16>);
}
FA4_VECTOR_CLONES
void gatherTf32(const Lines &lines, float *panel) {
  gatherLines<4>(lines, panel, convertChunk<NumberFormat::Tf32>);
}
void gatherBytes(const Lines &lines, NumberFormat format, float *panel) {
  gatherLines<16>(lines, panel,
                  [format](const std::byte *source, float *destination) {
                    decodeNumbers(format, source, destination, 16);
                  });
}

void checkChunks(const OperandTile &tile, size_t size) {
  forEachOperandChunk(tile, [size, &tile](uint32_t address) {
    if (address + 16 > size)
      fail("matrix descriptor reads shared memory at {:#x}, the CTA has {:#x} "
           "bytes (start {:#x}, LBO {}, SBO {}, {} x {} {} elements)",
           address, size, tile.descriptor.start, tile.descriptor.leadingOffset,
           tile.descriptor.strideOffset, tile.rows, tile.depth,
           formatName(tile.format));
  });
}

void negateAll(float *panel, uint32_t rows, uint32_t length, uint32_t stride) {
  for (uint32_t row = 0; row < rows; ++row)
    for (uint32_t i = 0; i < length; ++i)
      panel[size_t(row) * stride + i] = -panel[size_t(row) * stride + i];
}

} // namespace

MatrixDescriptor decodeUmmaDescriptor(uint64_t bits) {
  MatrixDescriptor descriptor = decodeFields(bits, "tcgen05 matrix");
  if ((bits >> 46 & 7) != 1)
    fail("tcgen05 matrix descriptor {:#018x}: bits 46-48 are {:#05b}, must be "
         "0b001",
         bits, bits >> 46 & 7);
  if (bits >> 52 & 1)
    fail("tcgen05 matrix descriptor {:#018x}: absolute LBO mode (bit 52) does "
         "not exist on sm_100a",
         bits);
  if (bits >> 53 & 0xff)
    fail("tcgen05 matrix descriptor {:#018x}: bits 53-60 are {:#x}, must be 0",
         bits, bits >> 53 & 0xff);
  static constexpr std::array<int, 8> modes = {
      int(Swizzle::None),    int(Swizzle::Span128Atom32),
      int(Swizzle::Span128), -1,
      int(Swizzle::Span64),  -1,
      int(Swizzle::Span32),  -1};
  const int mode = modes[bits >> 61];
  if (mode < 0)
    fail("tcgen05 matrix descriptor {:#018x}: swizzle code (bits 61-63) is {}, "
         "legal are 0, 1, 2, 4, 6",
         bits, bits >> 61);
  descriptor.swizzle = Swizzle(mode);
  return descriptor;
}

MatrixDescriptor decodeWgmmaDescriptor(uint64_t bits) {
  MatrixDescriptor descriptor = decodeFields(bits, "wgmma matrix");
  if (bits >> 46 & 7)
    fail("wgmma matrix descriptor {:#018x}: bits 46-48 are {:#05b}, must be 0",
         bits, bits >> 46 & 7);
  if (bits >> 52 & 0x3ff)
    fail("wgmma matrix descriptor {:#018x}: bits 52-61 are {:#x}, must be 0",
         bits, bits >> 52 & 0x3ff);
  static constexpr std::array<Swizzle, 4> modes = {
      Swizzle::None, Swizzle::Span128, Swizzle::Span64, Swizzle::Span32};
  descriptor.swizzle = modes[bits >> 62];
  return descriptor;
}

uint64_t encodeUmmaDescriptor(const MatrixDescriptor &descriptor) {
  static constexpr std::array<uint64_t, 7> codes = {0, 6, 4, 2, 1, 3, 3};
  return encodeFields(descriptor) | uint64_t(1) << 46 |
         codes[size_t(descriptor.swizzle)] << 61;
}

uint64_t encodeWgmmaDescriptor(const MatrixDescriptor &descriptor) {
  static constexpr std::array<uint64_t, 4> codes = {0, 3, 2, 1};
  return encodeFields(descriptor) | codes.at(size_t(descriptor.swizzle)) << 62;
}

void checkOperandLayout(const MatrixDescriptor &descriptor, Major major,
                        uint32_t elementBytes) {
  if (major == Major::K)
    return;
  const bool atom32 = descriptor.swizzle == Swizzle::Span128Atom32;
  if (elementBytes == 4 && !atom32)
    fail("MN-major 32-bit operand with swizzle {}: only the 128B swizzle with "
         "32-byte atom is legal",
         swizzleName(descriptor.swizzle));
  if (elementBytes != 4 && atom32)
    fail("MN-major {}-bit operand with swizzle {}: legal for 32-bit elements "
         "only",
         8 * elementBytes, swizzleName(descriptor.swizzle));
}

uint32_t operandAddress(const MatrixDescriptor &descriptor, Major major,
                        uint32_t elementBytes, uint32_t mn, uint32_t k) {
  const ChunkMap map = chunkMap(descriptor, major);
  const uint32_t perChunk = 16 / elementBytes;
  const uint32_t line = major == Major::K ? mn : k;
  const uint32_t along = major == Major::K ? k : mn;
  const uint32_t offset = map.lineOffset(line) +
                          map.chunkOffset(along / perChunk) +
                          along % perChunk * elementBytes;
  return swizzle(descriptor.swizzle, (descriptor.start + offset) & windowMask);
}

void gatherOperand(const OperandTile &tile, std::span<const std::byte> shared,
                   const GatherOptions &options, float *panel) {
  // Only a CTA with less than the whole window can be overrun.
  if (shared.size() <= windowMask)
    checkChunks(tile, shared.size());
  const bool kMajor = tile.major == Major::K;
  const uint32_t perChunk = 16 / storageBytes(tile.format);
  const bool mnRows = options.order == PanelOrder::MnRows;
  const Lines lines = {chunkMap(tile.descriptor, tile.major),
                       &tile.descriptor,
                       kMajor ? tile.rows : tile.depth,
                       (kMajor ? tile.depth : tile.rows) / perChunk,
                       shared.data(),
                       kMajor == mnRows,
                       options.stride};
  switch (tile.format) {
  case NumberFormat::Bf16:
    gatherBf16(lines, panel);
    break;
  case NumberFormat::F16:
    gatherF16(lines, panel);
    break;
  case NumberFormat::Tf32:
    gatherTf32(lines, panel);
    break;
  default:
    gatherBytes(lines, tile.format, panel);
    break;
  }
  if (options.negate)
    negateAll(panel, mnRows ? tile.rows : tile.depth,
              mnRows ? tile.depth : tile.rows, options.stride);
}

} // namespace fa4::emulator
