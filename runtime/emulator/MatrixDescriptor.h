// Shared-memory matrix descriptors of tcgen05 and wgmma, and the address of
// every operand element. Source: PTX ISA, the matrix
// descriptors of tcgen05 and wgmma.
//
// A window offset is a shared address without the CTA rank (below bit 24).
// `shared` spans are indexed by window offset.
#pragma once
#include "runtime/emulator/NumberFormats.h"
#include "runtime/emulator/Swizzle.h"
#include <cstddef>
#include <cstdint>
#include <span>

namespace fa4::emulator {

enum class Major : uint8_t { K, Mn };

struct MatrixDescriptor {
  uint32_t start = 0;         // bytes
  uint32_t leadingOffset = 0; // LBO, bytes
  uint32_t strideOffset = 0;  // SBO, bytes
  Swizzle swizzle = Swizzle::None;
};

// Both throw Error naming the field when fixed bits are wrong, the swizzle
// code is invalid, the base offset is not zero or the address mode is absolute.
MatrixDescriptor decodeUmmaDescriptor(uint64_t bits);
MatrixDescriptor decodeWgmmaDescriptor(uint64_t bits);
uint64_t encodeUmmaDescriptor(const MatrixDescriptor &descriptor);
uint64_t encodeWgmmaDescriptor(const MatrixDescriptor &descriptor);

// Throws Error when the layout does not exist: 32-bit elements MN-major
// without the 32-byte atom, 8/16-bit elements with it.
void checkOperandLayout(const MatrixDescriptor &descriptor, Major major,
                        uint32_t elementBytes);

// Window offset of element (mn, k); wraps at 18 bits as the hardware does.
uint32_t operandAddress(const MatrixDescriptor &descriptor, Major major,
                        uint32_t elementBytes, uint32_t mn, uint32_t k);

struct OperandTile {
  MatrixDescriptor descriptor;
  Major major = Major::K;
  NumberFormat format = NumberFormat::Bf16;
  uint32_t rows = 0;  // along M or N
  uint32_t depth = 0; // along K
};

// The 16-byte chunks that the tile occupies, as window offsets: rows*depth*
// elementBytes/16 of them, each once.
template <typename Visit>
void forEachOperandChunk(const OperandTile &tile, Visit &&visit) {
  const uint32_t bytes = storageBytes(tile.format);
  const uint32_t perChunk = 16 / bytes;
  const bool kMajor = tile.major == Major::K;
  const uint32_t lines = kMajor ? tile.rows : tile.depth;
  const uint32_t length = kMajor ? tile.depth : tile.rows;
  for (uint32_t line = 0; line < lines; ++line)
    for (uint32_t at = 0; at < length; at += perChunk)
      visit(operandAddress(tile.descriptor, tile.major, bytes,
                           kMajor ? line : at, kMajor ? at : line));
}

// How a gathered operand lies in memory. KRows: panel[k * stride + mn], what
// the vector side of multiplyAccumulate takes. MnRows: panel[mn * stride + k].
enum class PanelOrder : uint8_t { KRows, MnRows };

// Reads the tile as f32, negated if asked. Throws Error when an element lies
// outside `shared`.
struct GatherOptions {
  PanelOrder order = PanelOrder::KRows;
  uint32_t stride = 0; // floats
  bool negate = false;
};
void gatherOperand(const OperandTile &tile, std::span<const std::byte> shared,
                   const GatherOptions &options, float *panel);

} // namespace fa4::emulator
