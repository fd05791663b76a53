// Tensor memory: how its cells are stored here, and which cell every register,
// accumulator element and copied row belongs to. Source: PTX ISA, tcgen05,
// data path layouts and data movement shapes.
//
// TMEM has 128 lanes x 512 columns of 32 bits. The emulator stores it column
// by column, so that one register of a warp is one contiguous copy:
// cell(lane, column) = column * 128 + lane. A TMEM address has the lane in
// bits 31..16 and the column in bits 15..0.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace fa4::emulator {

inline constexpr uint32_t tmemLanes = 128;
inline constexpr uint32_t tmemColumns = 512;
inline constexpr size_t tmemCells = size_t(tmemLanes) * tmemColumns;
constexpr size_t tmemCell(uint32_t lane, uint32_t column) {
  return size_t(column) * tmemLanes + lane;
}
inline constexpr uint32_t tmemLane(uint32_t address) { return address >> 16; }
constexpr uint32_t tmemColumn(uint32_t address) { return address & 0xffff; }

struct TmemPosition {
  uint32_t lane;
  uint32_t column;
};

enum class TmemShape : uint8_t {
  S32x32b,
  S16x64b,
  S16x128b,
  S16x256b,
  S16x32bx2
};

// One tcgen05.ld or .st of a warp. lane/column: where register 0 of thread 0
// lands (lane includes the warp's 32-lane base). packed: .pack::16b or
// .unpack::16b. splitOffset: the column offset operand of 16x32bx2.
struct TmemAccess {
  TmemShape shape = TmemShape::S32x32b;
  uint32_t count = 1; // the N of .xN
  bool packed = false;
  uint32_t lane = 0;
  uint32_t column = 0;
  uint32_t splitOffset = 0;
};

// 32-bit registers per thread. Throws Error for a count that does not exist.
uint32_t registerCount(const TmemAccess &access);

// Cell of register `index` of thread `thread`; with `packed` the cell of its
// low half, the high half being the next column.
TmemPosition registerPosition(const TmemAccess &access, uint32_t thread,
                              uint32_t index);

// Rectangles of cells that the access touches, for bounds and race checks.
struct TmemRect {
  uint32_t lane;
  uint32_t lanes;
  uint32_t column;
  uint32_t columns;
};
std::vector<TmemRect> accessRects(const TmemAccess &access);

// registers[i] points to the 32 lanes of register i. Throws Error when a cell
// does not exist. cells: tmemCells values.
void loadTmem(const TmemAccess &access, std::span<const uint32_t> cells,
              std::span<uint32_t *const> registers);
void storeTmem(const TmemAccess &access, std::span<uint32_t> cells,
               std::span<const uint32_t *const> registers);

// An accumulator in blocks of contiguous rows and columns: element (m, n) of
// the block is D element (mBegin + m, nBegin + n) in cell (lane + m, column +
// n) of CTA `cta` of the pair, counted from the D address.
struct AccumulatorBlock {
  uint32_t cta;
  uint32_t mBegin, mCount;
  uint32_t nBegin, nCount;
  uint32_t lane, column;
};
struct AccumulatorShape {
  uint32_t m = 128;
  uint32_t n = 128;
  uint32_t ctaGroup = 1;
  bool ws = false;
};
std::vector<AccumulatorBlock> accumulatorBlocks(const AccumulatorShape &shape);

// A in TMEM: lane of row m (of the CTA's own rows), the K elements of one
// instruction fill 8 columns from the A address.
std::vector<AccumulatorBlock> tmemOperandBlocks(const AccumulatorShape &shape);

enum class TmemCopyShape : uint8_t {
  S128x256b,
  S128x128b,
  S64x128bWarpx2_02_13,
  S64x128bWarpx2_01_23,
  S32x128bWarpx4,
  S4x256b,
};
// Rows and bytes per row of the shared-memory source of tcgen05.cp, and the
// lanes that source row `row` lands in. 4x256b has no known placement: Error.
uint32_t copyRows(TmemCopyShape shape);
uint32_t copyRowBytes(TmemCopyShape shape);
std::vector<uint32_t> copyLanes(TmemCopyShape shape, uint32_t row);

} // namespace fa4::emulator
