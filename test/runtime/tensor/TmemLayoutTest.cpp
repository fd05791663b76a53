#include "runtime/emulator/TmemLayout.h"
#include "ExpectError.h"
#include <array>
#include <set>
#include <vector>

namespace fa4::emulator {
namespace {

struct ShapeCase {
  TmemShape shape;
  uint32_t rows;
  uint32_t columnsPerCount;
  uint32_t maxCount;
};
constexpr ShapeCase shapes[] = {{TmemShape::S32x32b, 32, 1, 128},
                                {TmemShape::S16x64b, 16, 2, 128},
                                {TmemShape::S16x128b, 16, 4, 64},
                                {TmemShape::S16x256b, 16, 8, 32}};

using Rows = std::vector<std::array<uint32_t, 32>>;
std::vector<uint32_t *> pointers(Rows &rows) {
  std::vector<uint32_t *> result;
  for (auto &row : rows)
    result.push_back(row.data());
  return result;
}

TEST(TmemLayout, EveryShapeCoversItsRectangleOnce) {
  for (const ShapeCase &c : shapes)
    for (uint32_t count = 1; count <= c.maxCount; count *= 2) {
      TmemAccess access{c.shape, count, false, 64, 7};
      std::set<size_t> cells;
      for (uint32_t r = 0; r < registerCount(access); ++r)
        for (uint32_t t = 0; t < 32; ++t) {
          const TmemPosition at = registerPosition(access, t, r);
          EXPECT_LT(at.lane - 64, c.rows);
          EXPECT_LT(at.column - 7, c.columnsPerCount * count);
          cells.insert(size_t(at.column) * 128 + at.lane);
        }
      EXPECT_EQ(cells.size(), c.rows * c.columnsPerCount * count);
      ASSERT_EQ(accessRects(access).size(), 1u);
      const TmemRect rect = accessRects(access)[0];
      EXPECT_EQ(rect.lanes, c.rows);
      EXPECT_EQ(rect.columns, c.columnsPerCount * count);
    }
}

// 16x256b is the accumulator fragment of mma.sync: a pair of neighbouring
// columns in registers 0 and 1, eight rows further down in 2 and 3.
TEST(TmemLayout, FragmentOf16x256b) {
  const TmemAccess access{TmemShape::S16x256b, 2, false, 0, 0};
  const auto at = [&](uint32_t t, uint32_t r) {
    const TmemPosition p = registerPosition(access, t, r);
    return std::pair(p.lane, p.column);
  };
  EXPECT_EQ(at(0, 0), std::pair(0u, 0u));
  EXPECT_EQ(at(0, 1), std::pair(0u, 1u));
  EXPECT_EQ(at(0, 2), std::pair(8u, 0u));
  EXPECT_EQ(at(5, 0), std::pair(1u, 2u));
  EXPECT_EQ(at(31, 7), std::pair(15u, 15u));
}

TEST(TmemLayout, SplitShapeReadsTwoColumnGroups) {
  const TmemAccess access{TmemShape::S16x32bx2, 4, false, 32, 10, 64};
  EXPECT_EQ(registerPosition(access, 3, 2).column, 12u);
  EXPECT_EQ(registerPosition(access, 3, 2).lane, 35u);
  EXPECT_EQ(registerPosition(access, 19, 2).column, 76u);
  EXPECT_EQ(registerPosition(access, 19, 2).lane, 35u);
  EXPECT_EQ(accessRects(access).size(), 2u);
}

TEST(TmemLayout, StoreThenLoadReturnsTheRegisters) {
  for (const ShapeCase &c : shapes)
    for (bool packed : {false, true}) {
      const uint32_t count = 4;
      TmemAccess access{c.shape, count, packed, 96, 100};
      Rows out(registerCount(access)), back(out.size());
      for (uint32_t r = 0; r < out.size(); ++r)
        for (uint32_t t = 0; t < 32; ++t)
          out[r][t] = r * 0x01010101u + t * 0x10001u + 1;
      std::vector<uint32_t> cells(tmemCells, 0xdeadbeef);
      auto outPointers = pointers(out), backPointers = pointers(back);
      std::vector<const uint32_t *> sources(outPointers.begin(),
                                            outPointers.end());
      storeTmem(access, cells, sources);
      loadTmem(access, cells, backPointers);
      EXPECT_EQ(out, back);
    }
}

TEST(TmemLayout, PackTakesTwoColumnsIntoOneRegister) {
  std::vector<uint32_t> cells(tmemCells);
  cells[tmemCell(5, 20)] = 0xaaaa1111;
  cells[tmemCell(5, 21)] = 0xbbbb2222;
  Rows rows(8);
  auto registers = pointers(rows);
  loadTmem({TmemShape::S32x32b, 8, true, 0, 20}, cells, registers);
  EXPECT_EQ(rows[0][5], 0x22221111u);
}

TEST(TmemLayout, RejectsCountsAndCellsThatDoNotExist) {
  expectError([] { registerCount({TmemShape::S32x32b, 3}); },
              "powers of two from 1 to 128");
  expectError([] { registerCount({TmemShape::S16x256b, 64}); },
              "powers of two from 1 to 32");
  std::vector<uint32_t> cells(tmemCells);
  Rows rows(32);
  auto registers = pointers(rows);
  expectError(
      [&] {
        loadTmem({TmemShape::S32x32b, 32, false, 0, 500}, cells, registers);
      },
      "column 531: TMEM has 128 lanes and 512 columns");
}

// Every element has one cell, no two elements share one.
void expectPartition(const AccumulatorShape &shape, size_t cells) {
  std::set<std::array<uint32_t, 3>> seen;
  size_t elements = 0;
  for (const AccumulatorBlock &b : accumulatorBlocks(shape))
    for (uint32_t m = 0; m < b.mCount; ++m)
      for (uint32_t n = 0; n < b.nCount; ++n, ++elements) {
        EXPECT_LT(b.lane + m, 128u);
        seen.insert({b.cta, b.lane + m, b.column + n});
      }
  EXPECT_EQ(elements, size_t(shape.m) * shape.n);
  EXPECT_EQ(seen.size(), cells);
}

TEST(TmemLayout, AccumulatorLayoutsPlaceEveryElement) {
  for (const AccumulatorShape &shape : {AccumulatorShape{128, 128, 1, false},
                                        {64, 96, 1, false},
                                        {256, 128, 2, false},
                                        {128, 64, 2, false},
                                        {64, 64, 1, true},
                                        {32, 128, 1, true},
                                        {128, 256, 1, true}})
    expectPartition(shape, size_t(shape.m) * shape.n);
}

TmemPosition cellOf(const AccumulatorShape &shape, uint32_t m, uint32_t n,
                    uint32_t &cta) {
  for (const AccumulatorBlock &b : accumulatorBlocks(shape))
    if (m - b.mBegin < b.mCount && n - b.nBegin < b.nCount) {
      cta = b.cta;
      return {b.lane + m - b.mBegin, b.column + n - b.nBegin};
    }
  ADD_FAILURE();
  return {};
}

TEST(TmemLayout, AccumulatorFormulas) {
  uint32_t cta = 0;
  TmemPosition p = cellOf({64, 64, 1, false}, 37, 9, cta); // F
  EXPECT_EQ(p.lane, 37u % 16 + 32 * (37 / 16));
  EXPECT_EQ(p.column, 9u);
  p = cellOf({128, 64, 2, false}, 70, 40, cta); // B
  EXPECT_EQ(cta, 1u);
  EXPECT_EQ(p.lane, 6u + 64);
  EXPECT_EQ(p.column, 8u);
  p = cellOf({256, 64, 2, false}, 200, 40, cta); // A
  EXPECT_EQ(cta, 1u);
  EXPECT_EQ(p.lane, 72u);
  p = cellOf({32, 64, 1, true}, 3, 33, cta); // G
  EXPECT_EQ(p.lane, 3u + 32 * 2);
  EXPECT_EQ(p.column, 1u);
}

TEST(TmemLayout, CopyShapesReplicateRows) {
  EXPECT_EQ(copyLanes(TmemCopyShape::S32x128bWarpx4, 7),
            (std::vector<uint32_t>{7, 39, 71, 103}));
  EXPECT_EQ(copyLanes(TmemCopyShape::S64x128bWarpx2_02_13, 40),
            (std::vector<uint32_t>{40, 104}));
  EXPECT_EQ(copyLanes(TmemCopyShape::S64x128bWarpx2_01_23, 40),
            (std::vector<uint32_t>{72, 104}));
  EXPECT_EQ(copyLanes(TmemCopyShape::S128x256b, 99),
            (std::vector<uint32_t>{99}));
  expectError([] { copyRows(TmemCopyShape::S4x256b); },
              "4x256b is not emulated");
}

} // namespace
} // namespace fa4::emulator
