#include "ExpectError.h"
#include "runtime/emulator/NumberFormats.h"
#include "runtime/emulator/TensorMap.h"
#include <cmath>
#include <cstring>
#include <map>
#include <vector>

namespace fa4::emulator {
namespace {

TensorMapArguments bf16Matrix(uint32_t columns, uint32_t rows,
                              uint32_t boxColumns, uint32_t boxRows) {
  TensorMapArguments map;
  map.rank = 2;
  map.address = 0x100000;
  map.dims = {columns, rows};
  map.strides = {uint64_t(columns + 7) / 8 * 16};
  map.box = {boxColumns, boxRows};
  return map;
}

// Shared byte -> global byte, or -1 where the box is out of bounds.
std::map<uint32_t, int64_t> byteMap(const std::vector<BoxRun> &runs) {
  std::map<uint32_t, int64_t> result;
  for (const BoxRun &run : runs)
    for (uint32_t i = 0; i < run.bytes; ++i) {
      EXPECT_FALSE(result.contains(run.shared + i));
      result[run.shared + i] = run.inBounds ? int64_t(run.global + i) : -1;
    }
  return result;
}

TEST(TensorMapBox, EveryByteGoesWhereTheImageSaysInEverySwizzle) {
  constexpr uint32_t base = 0x01000800; // rank 1 of a cluster
  for (uint32_t mode = 0; mode <= 6; ++mode) {
    TensorMapArguments map = bf16Matrix(70, 40, 16, 24);
    map.swizzle = Swizzle(mode);
    for (int32_t column : {0, 56, 64, -8, 104})
      for (int32_t row : {0, 30, -4}) {
        std::vector<BoxRun> runs;
        const int32_t at[] = {column, row};
        boxRuns(map, at, base, runs);
        const auto bytes = byteMap(runs);
        ASSERT_EQ(bytes.size(), boxBytes(map));
        for (int32_t r = 0; r < 24; ++r)
          for (int32_t b = 0; b < 32; ++b) {
            const int32_t x = column + b / 2, y = row + r;
            const bool inside = x >= 0 && x < 70 && y >= 0 && y < 40;
            const int64_t expected = inside ? int64_t(map.address) +
                                                  y * int64_t(map.strides[0]) +
                                                  x * 2 + b % 2
                                            : -1;
            ASSERT_EQ(bytes.at(swizzle(map.swizzle, base + r * 32 + b)),
                      expected);
          }
      }
  }
}

TEST(TensorMapBox, RowsShorterThanTheSpanStayDense) {
  TensorMapArguments map = bf16Matrix(64, 64, 8, 16);
  map.swizzle = Swizzle::Span128;
  std::vector<BoxRun> runs;
  const int32_t at[] = {0, 0};
  boxRuns(map, at, 0x400, runs);
  ASSERT_EQ(runs.size(), 16u);
  EXPECT_EQ(runs[1].shared, swizzle(Swizzle::Span128, 0x410));
  EXPECT_EQ(runs[8].shared, swizzle(Swizzle::Span128, 0x480));
}

TEST(TensorMapBox, FiveDimensionsIterateInnermostFirst) {
  TensorMapArguments map;
  map.type = TensorType::F32;
  map.rank = 5;
  map.address = 0x1000;
  map.dims = {4, 3, 3, 3, 3};
  map.strides = {16, 48, 144, 432};
  map.box = {4, 2, 1, 2, 2};
  std::vector<BoxRun> runs;
  const int32_t at[] = {0, 2, 1, 0, 2};
  boxRuns(map, at, 0, runs);
  ASSERT_EQ(runs.size(), 8u);
  EXPECT_TRUE(runs[0].inBounds);
  EXPECT_EQ(runs[0].global, 0x1000u + 2 * 16 + 48 + 2 * 432);
  EXPECT_FALSE(runs[1].inBounds); // coordinate 3 of dimension 1
  EXPECT_EQ(runs[2].global, runs[0].global + 144);
  EXPECT_FALSE(runs[4].inBounds); // coordinate 3 of dimension 4
  EXPECT_EQ(runs[7].shared, 7u * 16);
}

TEST(TensorMapBox, ElementStridesSkipRows) {
  TensorMapArguments map = bf16Matrix(8, 64, 8, 7);
  map.elementStrides[1] = 3;
  EXPECT_EQ(boxBytes(map), 3u * 16);
  std::vector<BoxRun> runs;
  const int32_t at[] = {0, 1};
  boxRuns(map, at, 0, runs);
  ASSERT_EQ(runs.size(), 3u);
  EXPECT_EQ(runs[2].global, map.address + 7 * 16);
}

TEST(TensorMapBox, Gather4TakesFourRows) {
  const TensorMapArguments map = bf16Matrix(64, 10, 8, 1);
  const std::array<int32_t, 4> rows = {3, 9, 10, -1};
  std::vector<BoxRun> runs;
  gather4Runs(map, 8, rows, 0x80, runs);
  ASSERT_EQ(runs.size(), 4u);
  EXPECT_EQ(runs[1].global, map.address + 9 * 128 + 16);
  EXPECT_TRUE(runs[1].inBounds);
  EXPECT_FALSE(runs[2].inBounds);
  EXPECT_FALSE(runs[3].inBounds);
  EXPECT_EQ(runs[3].shared, 0x80u + 48);
  std::vector<BoxRun> none;
  expectError([&] { gather4Runs(bf16Matrix(64, 10, 8, 2), 0, rows, 0, none); },
              "need a rank-2 map with a box of one row");
}

TEST(TensorMapBox, RefusesBadCalls) {
  std::vector<BoxRun> runs;
  const int32_t at[] = {0, 0, 0};
  expectError([&] { boxRuns(bf16Matrix(64, 10, 8, 2), at, 0, runs); },
              "3 coordinates for a tensor map of rank 2");
  expectError(
      [&] {
        boxRuns(bf16Matrix(64, 10, 8, 2), std::span(at).first(2), 0x440, runs);
      },
      "shared address 0x440 is not 128-byte aligned");
  const int32_t odd[] = {4, 0};
  expectError([&] { boxRuns(bf16Matrix(64, 10, 8, 2), odd, 0, runs); },
              "innermost coordinate 4 starts at byte 8, must be a multiple");
}

TEST(TensorMapBox, FillIsZeroOrNan) {
  TensorMapArguments map = bf16Matrix(64, 10, 8, 2);
  uint16_t values[8];
  fillOutOfBounds(map, values, sizeof values);
  EXPECT_EQ(values[7], 0);
  map.fill = 1;
  fillOutOfBounds(map, values, sizeof values);
  EXPECT_TRUE(std::isnan(fromBf16(values[7])));
  map.type = TensorType::F32;
  float floats[4];
  fillOutOfBounds(map, floats, sizeof floats);
  EXPECT_TRUE(std::isnan(floats[3]));
  EXPECT_EQ(values[7], 0x7ff7);
}

template <typename T>
T reduced(TensorType type, Reduction operation, T a, T b) {
  reduceElements(type, operation, &a, &b, sizeof a);
  return a;
}

TEST(TensorMapBox, ReductionsOfEveryType) {
  EXPECT_EQ(reduced(TensorType::F32, Reduction::Add, 1.5f, 2.0f), 3.5f);
  EXPECT_EQ(reduced<int32_t>(TensorType::S32, Reduction::Min, -3, 4), -3);
  EXPECT_EQ(reduced<uint32_t>(TensorType::U32, Reduction::Max, 3, 0xffffffff),
            0xffffffff);
  EXPECT_EQ(reduced<uint32_t>(TensorType::U32, Reduction::Inc, 5, 5), 0u);
  EXPECT_EQ(reduced<uint32_t>(TensorType::U32, Reduction::Inc, 4, 5), 5u);
  EXPECT_EQ(reduced<uint32_t>(TensorType::U32, Reduction::Dec, 0, 5), 5u);
  EXPECT_EQ(reduced<uint32_t>(TensorType::U32, Reduction::Xor, 6, 3), 5u);
  EXPECT_EQ(reduced<uint64_t>(TensorType::U64, Reduction::And, 6, 3), 2u);
  EXPECT_EQ(reduced(TensorType::Bf16, Reduction::Add, toBf16(1), toBf16(2)),
            toBf16(3));
  EXPECT_EQ(reduced(TensorType::F16, Reduction::Max, toF16(1), toF16(2)),
            toF16(2));
  float x = 0;
  expectError(
      [&] {
        reduceElements(TensorType::F32, Reduction::Min, &x, &x, sizeof x);
      },
      "bulk reduction 1 does not exist for data type 7");
}

} // namespace
} // namespace fa4::emulator
