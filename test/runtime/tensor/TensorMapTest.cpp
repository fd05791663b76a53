#include "runtime/emulator/TensorMap.h"
#include "ExpectError.h"
#include <cstring>

namespace fa4::emulator {
namespace {

TensorMapArguments matrix() {
  TensorMapArguments map;
  map.rank = 2;
  map.address = 0x10000;
  map.dims = {64, 100};
  map.strides = {128};
  map.box = {64, 32};
  map.swizzle = Swizzle::Span128;
  return map;
}

template <typename Change>
void expectRefused(Change &&change, const char *part) {
  TensorMapArguments map = matrix();
  change(map);
  expectError([&] { encodeTiled(map); }, part);
}

TEST(TensorMap, EncodeThenDecodeReturnsTheArguments) {
  TensorMapArguments map = matrix();
  map.dims[1] = uint64_t(1) << 32;
  map.elementStrides[1] = 2;
  map.fill = 1;
  map.l2Promotion = 2;
  for (uint32_t mode = 0; mode <= 6; ++mode) {
    map.swizzle = Swizzle(mode);
    map.box[0] = 8;
    const TensorMapArguments back = decodeTensorMap(encodeTiled(map));
    EXPECT_EQ(back.swizzle, map.swizzle);
    EXPECT_EQ(back.dims, map.dims);
    EXPECT_EQ(back.box, (std::array<uint32_t, 5>{8, 32}));
    EXPECT_EQ(back.strides, map.strides);
    EXPECT_EQ(back.elementStrides[1], 2u);
    EXPECT_EQ(back.fill, 1u);
    EXPECT_EQ(back.l2Promotion, 2u);
    EXPECT_EQ(back.type, TensorType::Bf16);
  }
}

TEST(TensorMap, RefusesWhatTheDriverRefuses) {
  using A = TensorMapArguments;
  expectRefused([](A &m) { m.type = TensorType(16); }, "data type 16");
  expectRefused([](A &m) { m.interleave = 3; }, "interleave 3");
  expectRefused([](A &m) { m.swizzle = Swizzle(7); }, "swizzle 7");
  expectRefused([](A &m) { m.l2Promotion = 4; }, "L2 promotion 4");
  expectRefused([](A &m) { m.fill = 2; }, "out-of-bounds fill 2");
  expectRefused(
      [](A &m) {
        m.type = TensorType::U16;
        m.fill = 1;
      },
      "NaN fill needs a floating-point type, not u16");
  expectRefused(
      [](A &m) {
        m.rank = 3;
        m.interleave = 2;
      },
      "32B interleave needs the 32B swizzle, not 128B");
  expectRefused([](A &m) { m.rank = 0; }, "rank 0, must be 1 to 5");
  expectRefused([](A &m) { m.rank = 6; }, "rank 6, must be 1 to 5");
  expectRefused([](A &m) { m.interleave = 1; },
                "rank 2, must be 3 to 5 with interleave");
  expectRefused([](A &m) { m.address += 8; },
                "global address 0x10008 is not 16-byte aligned");
  expectRefused([](A &m) { m.dims[1] = 0; },
                "dimension 1 has 0 elements, must be 1 to 2^32");
  expectRefused([](A &m) { m.dims[0] = (uint64_t(1) << 32) + 1; },
                "dimension 0 has 4294967297 elements");
  expectRefused([](A &m) { m.strides[0] = 120; },
                "stride of dimension 1 is 120 bytes, must be a multiple of 16");
  expectRefused([](A &m) { m.strides[0] = uint64_t(1) << 40; },
                "must be below 2^40");
  expectRefused([](A &m) { m.box[1] = 257; },
                "box dimension 1 is 257, must be 1 to 256");
  expectRefused([](A &m) { m.elementStrides[1] = 9; },
                "element stride 1 is 9, must be 1 to 8");
  expectRefused([](A &m) { m.box[0] = 12; },
                "box row is 24 bytes (12 x bf16), must be a multiple of 16");
  expectRefused([](A &m) { m.box[0] = 128; },
                "box row is 256 bytes (128 x bf16), more than the 128 bytes of "
                "swizzle 128B");
  expectRefused([](A &m) { m.type = TensorType::Packed16U4Align16; },
                "dimension 0 has 64 elements, 16U4_ALIGN16B needs a multiple");
}

TEST(TensorMap, IsValidWhenBuiltFieldByFieldFromZeros) {
  TensorMap map;
  std::memset(&map, 0, sizeof map);
  replaceField(map, TensorMapField::GlobalAddress, 0, 0x10000);
  replaceField(map, TensorMapField::Rank, 0, 1);
  replaceField(map, TensorMapField::BoxDim, 0, 64);
  replaceField(map, TensorMapField::BoxDim, 1, 32);
  replaceField(map, TensorMapField::GlobalDim, 0, 64);
  replaceField(map, TensorMapField::GlobalDim, 1, 100);
  replaceField(map, TensorMapField::GlobalStride, 0, 128);
  replaceField(map, TensorMapField::ElementStride, 0, 1);
  replaceField(map, TensorMapField::ElementStride, 1, 1);
  replaceField(map, TensorMapField::ElementType, 0, 0xa);
  replaceField(map, TensorMapField::InterleaveLayout, 0, 0);
  replaceField(map, TensorMapField::SwizzleMode, 0, 3);
  replaceField(map, TensorMapField::FillMode, 0, 0);
  const TensorMap encoded = encodeTiled(matrix());
  EXPECT_EQ(std::memcmp(&map, &encoded, sizeof map), 0);
}

TEST(TensorMap, ReplaceNumbersElementTypesItsOwnWay) {
  TensorMap map = encodeTiled(matrix());
  replaceField(map, TensorMapField::ElementType, 0, 8);
  EXPECT_EQ(TensorType(map.type), TensorType::F32Ftz);
  replaceField(map, TensorMapField::ElementType, 0, 11);
  EXPECT_EQ(TensorType(map.type), TensorType::Tf32);
}

TEST(TensorMap, ReplaceSelectsTheSwizzleAtom) {
  TensorMap map = encodeTiled(matrix());
  replaceField(map, TensorMapField::SwizzleAtomicity, 0, 1);
  EXPECT_EQ(decodeTensorMap(map).swizzle, Swizzle::Span128Atom32);
  replaceField(map, TensorMapField::SwizzleMode, 0, 1);
  expectError([&] { decodeTensorMap(map); },
              "swizzle atomicity 1 needs the 128B swizzle mode, not 1");
}

TEST(TensorMap, ReplaceRefusesValuesOutOfRange) {
  TensorMap map = encodeTiled(matrix());
  expectError([&] { replaceField(map, TensorMapField::Rank, 0, 5); },
              "rank minus one 5 is out of range, at most 4");
  expectError([&] { replaceField(map, TensorMapField::BoxDim, 5, 1); },
              "ordinal 5 is out of range, at most 4");
  expectError([&] { replaceField(map, TensorMapField::ElementType, 0, 16); },
              "element type 16 does not exist");
}

TEST(TensorMap, DecodeRefusesAnUnfinishedMap) {
  TensorMap map;
  std::memset(&map, 0, sizeof map);
  expectError([&] { decodeTensorMap(map); }, "dimension 0 has 0 elements");
}

} // namespace
} // namespace fa4::emulator
