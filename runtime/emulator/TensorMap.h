// The emulator's own 128-byte tensor map. Hardware's format is not documented;
// this one holds the fields that cuTensorMapEncodeTiled and tensormap.replace
// write, so a map built on the device from 128 zero bytes is valid once its
// fields are. Rules and encodings: cuTensorMapEncodeTiled.
#pragma once
#include "runtime/emulator/Swizzle.h"
#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace fa4::emulator {

// The values are those of CUtensorMapDataType.
enum class TensorType : uint8_t {
  U8,
  U16,
  U32,
  S32,
  U64,
  S64,
  F16,
  F32,
  F64,
  Bf16,
  F32Ftz,
  Tf32,
  Tf32Ftz,
  Packed16U4Align8,
  Packed16U4Align16,
  Packed16U6Align16,
};
uint32_t tensorTypeBytes(TensorType type); // packed types: 1

// Arguments of cuTensorMapEncodeTiled, dimension 0 innermost. strides[i] is
// the byte stride of dimension i+1.
struct TensorMapArguments {
  TensorType type = TensorType::Bf16;
  uint32_t rank = 0;
  uint64_t address = 0;
  std::array<uint64_t, 5> dims{};
  std::array<uint64_t, 4> strides{};
  std::array<uint32_t, 5> box{};
  std::array<uint32_t, 5> elementStrides{1, 1, 1, 1, 1};
  uint32_t interleave = 0; // 0 none, 1 16B, 2 32B
  Swizzle swizzle = Swizzle::None;
  uint32_t l2Promotion = 0; // 0..3
  uint32_t fill = 0;        // 0 zeros, 1 NaN
};

// Stored sizes are as tensormap.replace takes them; a type is stored as
// TensorType. wideDims bit i: dims[i] is 2^32, which 32 bits cannot hold.
struct alignas(64) TensorMap {
  uint64_t address;
  uint64_t strides[4];
  uint32_t dims[5];
  uint32_t box[5];
  uint32_t elementStrides[5];
  uint8_t rankMinusOne;
  uint8_t type;
  uint8_t interleave;
  uint8_t swizzleMode;      // 0 none, 1 32B, 2 64B, 3 128B, 4 96B
  uint8_t swizzleAtomicity; // 0 16B, 1 32B, 2 32B with 8B flip, 3 64B
  uint8_t l2Promotion;
  uint8_t fill;
  uint8_t wideDims;
  uint32_t reserved[5];
};
static_assert(sizeof(TensorMap) == 128);

// Throws Error for every argument that the driver refuses.
TensorMap encodeTiled(const TensorMapArguments &arguments);

enum class TensorMapField : uint8_t {
  GlobalAddress,
  Rank,
  BoxDim,
  GlobalDim,
  GlobalStride,
  ElementStride,
  ElementType,
  InterleaveLayout,
  SwizzleMode,
  FillMode,
  SwizzleAtomicity,
};
// tensormap.replace: `value` in that instruction's encodings (rank minus one,
// its own element type numbers); `ordinal` selects the dimension where there
// is one. Throws Error for a value or an ordinal out of range.
void replaceField(TensorMap &map, TensorMapField field, uint32_t ordinal,
                  uint64_t value);

// The map as arguments. Throws Error when a field breaks a rule of encodeTiled.
TensorMapArguments decodeTensorMap(const TensorMap &map);

// Bytes that one box moves and that its completion counts, bounds or not.
uint32_t boxBytes(const TensorMapArguments &map);

// A piece of a box, contiguous on both sides and whole elements. Out of
// bounds pieces are filled by loads and skipped by stores and reductions.
struct BoxRun {
  uint64_t global; // meaningful when inBounds
  uint32_t shared; // absolute, already swizzled
  uint32_t bytes;
  bool inBounds;
};

// Appends the runs of the box at `coordinates` (elements, one per dimension)
// whose packed image starts at `shared`, in shared-memory row order. Throws
// Error for a shared address that is not 128-byte aligned and an innermost
// coordinate that does not start at a multiple of 16 bytes.
void boxRuns(const TensorMapArguments &map,
             std::span<const int32_t> coordinates, uint32_t shared,
             std::vector<BoxRun> &runs);

// tile::gather4 / tile::scatter4 over a rank-2 map: four rows of one column.
void gather4Runs(const TensorMapArguments &map, int32_t column,
                 std::span<const int32_t, 4> rows, uint32_t shared,
                 std::vector<BoxRun> &runs);

// Writes `bytes` bytes of out-of-bounds fill for the map's type: zero or NaN.
void fillOutOfBounds(const TensorMapArguments &map, void *destination,
                     uint32_t bytes);

enum class Reduction : uint8_t { Add, Min, Max, Inc, Dec, And, Or, Xor };
// destination[i] = destination[i] op source[i] for `bytes` of map elements.
// Throws Error when the type has no such reduction.
void reduceElements(TensorType type, Reduction operation, void *destination,
                    const void *source, uint32_t bytes);

} // namespace fa4::emulator
