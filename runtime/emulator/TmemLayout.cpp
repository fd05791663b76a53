#include "runtime/emulator/TmemLayout.h"
#include "runtime/Error.h"
#include <algorithm>
#include <cstring>

namespace fa4::emulator {
namespace {

constexpr uint32_t warpLanes = 32;

uint32_t registersPerStep(TmemShape shape) {
  switch (shape) {
  case TmemShape::S16x128b:
    return 2;
  case TmemShape::S16x256b:
    return 4;
  default:
    return 1;
  }
}

void checkPosition(const TmemAccess &access, TmemPosition position) {
  if (position.lane >= tmemLanes || position.column >= tmemColumns)
    fail("tensor memory access at lane {}, column {}: TMEM has {} lanes and {} "
         "columns (access starts at lane {}, column {}, x{})",
         position.lane, position.column, tmemLanes, tmemColumns, access.lane,
         access.column, access.count);
}

// Positions grow with thread and index, so the corners bound them all.
void checkAccess(const TmemAccess &access) {
  const uint32_t last = registerCount(access) - 1;
  for (const TmemRect &rect : accessRects(access))
    checkPosition(access,
                  {rect.lane + rect.lanes - 1, rect.column + rect.columns - 1});
  checkPosition(access, registerPosition(access, warpLanes - 1, last));
}

// 32x32b without packing: register i is column i, lanes in order.
bool isDirect(const TmemAccess &access) {
  return access.shape == TmemShape::S32x32b && !access.packed;
}

} // namespace

uint32_t registerCount(const TmemAccess &access) {
  const uint32_t count = access.count;
  const bool power = count && (count & (count - 1)) == 0;
  const uint32_t registers = count * registersPerStep(access.shape);
  if (!power || registers > 128)
    fail("tensor memory access with .x{}: this shape takes powers of two from "
         "1 to {}",
         count, 128 / registersPerStep(access.shape));
  return registers;
}

TmemPosition registerPosition(const TmemAccess &access, uint32_t t,
                              uint32_t r) {
  uint32_t row = 0, column = 0, base = access.column;
  switch (access.shape) {
  case TmemShape::S32x32b:
    row = t;
    column = r;
    break;
  case TmemShape::S16x64b:
    row = t / 4 + 8 * (t & 1);
    column = (t >> 1 & 1) + 2 * r;
    break;
  case TmemShape::S16x128b:
    row = t / 4 + 8 * (r & 1);
    column = t % 4 + 4 * (r >> 1);
    break;
  case TmemShape::S16x256b:
    row = t / 4 + 8 * (r >> 1 & 1);
    column = 2 * (t % 4) + (r & 1) + 8 * (r >> 2);
    break;
  case TmemShape::S16x32bx2:
    row = t % 16;
    column = r;
    base += t < 16 ? 0 : access.splitOffset;
    break;
  }
  if (access.packed)
    column *= 2;
  return {access.lane + row, base + column};
}

std::vector<TmemRect> accessRects(const TmemAccess &access) {
  const uint32_t wide = access.packed ? 2 : 1;
  const uint32_t count = access.count * wide;
  switch (access.shape) {
  case TmemShape::S32x32b:
    return {{access.lane, 32, access.column, count}};
  case TmemShape::S16x64b:
    return {{access.lane, 16, access.column, 2 * count}};
  case TmemShape::S16x128b:
    return {{access.lane, 16, access.column, 4 * count}};
  case TmemShape::S16x256b:
    return {{access.lane, 16, access.column, 8 * count}};
  case TmemShape::S16x32bx2:
    return {{access.lane, 16, access.column, count},
            {access.lane, 16, access.column + access.splitOffset, count}};
  }
  return {};
}

void loadTmem(const TmemAccess &access, std::span<const uint32_t> cells,
              std::span<uint32_t *const> registers) {
  checkAccess(access);
  for (uint32_t r = 0; r < registers.size(); ++r) {
    if (isDirect(access)) {
      std::memcpy(registers[r],
                  &cells[tmemCell(access.lane, access.column + r)],
                  warpLanes * sizeof(uint32_t));
      continue;
    }
    for (uint32_t t = 0; t < warpLanes; ++t) {
      const TmemPosition at = registerPosition(access, t, r);
      const size_t cell = tmemCell(at.lane, at.column);
      registers[r][t] =
          access.packed ? (cells[cell] & 0xffff) | cells[cell + tmemLanes] << 16
                        : cells[cell];
    }
  }
}

void storeTmem(const TmemAccess &access, std::span<uint32_t> cells,
               std::span<const uint32_t *const> registers) {
  checkAccess(access);
  for (uint32_t r = 0; r < registers.size(); ++r) {
    if (isDirect(access)) {
      std::memcpy(&cells[tmemCell(access.lane, access.column + r)],
                  registers[r], warpLanes * sizeof(uint32_t));
      continue;
    }
    for (uint32_t t = 0; t < warpLanes; ++t) {
      const TmemPosition at = registerPosition(access, t, r);
      const size_t cell = tmemCell(at.lane, at.column);
      if (access.packed) {
        cells[cell] = registers[r][t] & 0xffff;
        cells[cell + tmemLanes] = registers[r][t] >> 16;
      } else {
        cells[cell] = registers[r][t];
      }
    }
  }
}

std::vector<AccumulatorBlock> accumulatorBlocks(const AccumulatorShape &shape) {
  const uint32_t n = shape.n, half = n / 2;
  std::vector<AccumulatorBlock> blocks;
  if (shape.ctaGroup == 2 && shape.m == 256) // layout A
    return {{0, 0, 128, 0, n, 0, 0}, {1, 128, 128, 0, n, 0, 0}};
  if (shape.ctaGroup == 2) { // layout B
    for (uint32_t cta : {0u, 1u})
      for (uint32_t side : {0u, 1u})
        blocks.push_back({cta, 64 * cta, 64, half * side, half, 64 * side, 0});
    return blocks;
  }
  if (shape.m == 128) // layout D
    return {{0, 0, 128, 0, n, 0, 0}};
  if (!shape.ws) { // layout F
    for (uint32_t m = 0; m < shape.m; m += 16)
      blocks.push_back({0, m, 16, 0, n, 2 * m, 0});
    return blocks;
  }
  const uint32_t parts = 128 / shape.m; // layouts E (M=64) and G (M=32)
  for (uint32_t part = 0; part < parts; ++part)
    blocks.push_back(
        {0, 0, shape.m, n / parts * part, n / parts, shape.m * part, 0});
  return blocks;
}

std::vector<AccumulatorBlock> tmemOperandBlocks(const AccumulatorShape &shape) {
  const uint32_t rows = shape.m / shape.ctaGroup;
  if (rows == 128 || shape.ctaGroup == 2 || shape.ws)
    return {{0, 0, rows, 0, 8, 0, 0}};
  std::vector<AccumulatorBlock> blocks;
  for (uint32_t m = 0; m < rows; m += 16)
    blocks.push_back({0, m, 16, 0, 8, 2 * m, 0});
  return blocks;
}

uint32_t copyRows(TmemCopyShape shape) {
  switch (shape) {
  case TmemCopyShape::S128x256b:
  case TmemCopyShape::S128x128b:
    return 128;
  case TmemCopyShape::S64x128bWarpx2_02_13:
  case TmemCopyShape::S64x128bWarpx2_01_23:
    return 64;
  case TmemCopyShape::S32x128bWarpx4:
    return 32;
  case TmemCopyShape::S4x256b:
    break;
  }
  fail("tcgen05.cp.4x256b is not emulated: its placement is not documented");
}

uint32_t copyRowBytes(TmemCopyShape shape) {
  return shape == TmemCopyShape::S128x256b || shape == TmemCopyShape::S4x256b
             ? 32
             : 16;
}

std::vector<uint32_t> copyLanes(TmemCopyShape shape, uint32_t row) {
  switch (shape) {
  case TmemCopyShape::S64x128bWarpx2_02_13:
    return {row, row + 64};
  case TmemCopyShape::S64x128bWarpx2_01_23: {
    const uint32_t lane = row < 32 ? row : row + 32;
    return {lane, lane + 32};
  }
  case TmemCopyShape::S32x128bWarpx4:
    return {row, row + 32, row + 64, row + 96};
  default:
    return {row};
  }
}

} // namespace fa4::emulator
