#include "runtime/emulator/TensorMap.h"
#include "runtime/Error.h"
#include <algorithm>
#include <iterator>

namespace fa4::emulator {
namespace {

constexpr uint64_t maxDim = uint64_t(1) << 32;
constexpr uint64_t maxStride = uint64_t(1) << 40;
constexpr uint32_t maxSwizzle = uint32_t(Swizzle::Span128Atom64);

bool isPacked(TensorType type) { return type >= TensorType::Packed16U4Align8; }

bool isFloat(TensorType type) {
  return type >= TensorType::F16 && type <= TensorType::Tf32Ftz;
}

const char *typeName(TensorType type) {
  static constexpr const char *names[] = {
      "u8",       "u16",          "u32",           "s32",
      "u64",      "s64",          "f16",           "f32",
      "f64",      "bf16",         "f32.ftz",       "tf32",
      "tf32.ftz", "16U4_ALIGN8B", "16U4_ALIGN16B", "16U6_ALIGN16B"};
  return names[size_t(type)];
}

// Alignment of the address and of every stride.
uint32_t pitchAlignment(const TensorMapArguments &map) {
  const bool wide = map.interleave == 2 ||
                    map.type == TensorType::Packed16U4Align16 ||
                    map.type == TensorType::Packed16U6Align16;
  return wide ? 32 : 16;
}

void checkEnums(const TensorMapArguments &map) {
  if (uint32_t(map.type) > uint32_t(TensorType::Packed16U6Align16))
    fail("tensor map: data type {} does not exist", uint32_t(map.type));
  if (map.interleave > 2)
    fail("tensor map: interleave {} does not exist", map.interleave);
  if (uint32_t(map.swizzle) > maxSwizzle)
    fail("tensor map: swizzle {} does not exist", uint32_t(map.swizzle));
  if (map.l2Promotion > 3)
    fail("tensor map: L2 promotion {} does not exist", map.l2Promotion);
  if (map.fill > 1)
    fail("tensor map: out-of-bounds fill {} does not exist", map.fill);
  if (map.fill == 1 && !isFloat(map.type))
    fail("tensor map: NaN fill needs a floating-point type, not {}",
         typeName(map.type));
  if (map.interleave == 2 && map.swizzle != Swizzle::Span32)
    fail("tensor map: 32B interleave needs the 32B swizzle, not {}",
         swizzleName(map.swizzle));
}

void checkTensor(const TensorMapArguments &map) {
  const uint32_t least = map.interleave ? 3 : 1;
  if (map.rank < least || map.rank > 5)
    fail("tensor map: rank {}, must be {} to 5{}", map.rank, least,
         map.interleave ? " with interleave" : "");
  const uint32_t align = pitchAlignment(map);
  if (map.address % align)
    fail("tensor map: global address {:#x} is not {}-byte aligned", map.address,
         align);
  for (uint32_t i = 0; i < map.rank; ++i)
    if (map.dims[i] < 1 || map.dims[i] > maxDim)
      fail("tensor map: dimension {} has {} elements, must be 1 to 2^32", i,
           map.dims[i]);
  const uint32_t whole = map.type == TensorType::Packed16U4Align8 ? 2 : 128;
  if (isPacked(map.type) && map.dims[0] % whole)
    fail("tensor map: dimension 0 has {} elements, {} needs a multiple of {}",
         map.dims[0], typeName(map.type), whole);
  for (uint32_t i = 0; i + 1 < map.rank; ++i) {
    if (map.strides[i] % align)
      fail("tensor map: stride of dimension {} is {} bytes, must be a multiple "
           "of {}",
           i + 1, map.strides[i], align);
    if (map.strides[i] >= maxStride)
      fail("tensor map: stride of dimension {} is {} bytes, must be below 2^40",
           i + 1, map.strides[i]);
  }
}

void checkBox(const TensorMapArguments &map) {
  for (uint32_t i = 0; i < map.rank; ++i) {
    if (map.box[i] < 1 || map.box[i] > 256)
      fail("tensor map: box dimension {} is {}, must be 1 to 256", i,
           map.box[i]);
    if (map.elementStrides[i] < 1 || map.elementStrides[i] > 8)
      fail("tensor map: element stride {} is {}, must be 1 to 8", i,
           map.elementStrides[i]);
  }
  if (map.interleave || isPacked(map.type))
    return;
  const uint32_t row = map.box[0] * tensorTypeBytes(map.type);
  if (row % 16)
    fail("tensor map: box row is {} bytes ({} x {}), must be a multiple of 16",
         row, map.box[0], typeName(map.type));
  if (map.swizzle != Swizzle::None && row > swizzleSpan(map.swizzle))
    fail("tensor map: box row is {} bytes ({} x {}), more than the {} bytes of "
         "swizzle {}",
         row, map.box[0], typeName(map.type), swizzleSpan(map.swizzle),
         swizzleName(map.swizzle));
}

void checkArguments(const TensorMapArguments &map) {
  checkEnums(map);
  checkTensor(map);
  checkBox(map);
}

// swizzle_mode and swizzle_atomicity of tensormap.replace.
void storeSwizzle(TensorMap &map, Swizzle swizzle) {
  const uint32_t code = uint32_t(swizzle);
  map.swizzleMode = uint8_t(std::min(code, 3u));
  map.swizzleAtomicity = uint8_t(code > 3 ? code - 3 : 0);
}

Swizzle loadSwizzle(const TensorMap &map) {
  if (map.swizzleMode > 3)
    fail("tensor map: swizzle mode {} is not emulated (0 none, 1 32B, 2 64B, "
         "3 128B)",
         map.swizzleMode);
  if (map.swizzleAtomicity && map.swizzleMode != 3)
    fail("tensor map: swizzle atomicity {} needs the 128B swizzle mode, not {}",
         map.swizzleAtomicity, map.swizzleMode);
  return Swizzle(map.swizzleMode + map.swizzleAtomicity);
}

// Table 33 of the PTX ISA numbers types differently from CUtensorMapDataType.
TensorType replacedType(uint64_t code) {
  constexpr TensorType types[] = {TensorType::U8,
                                  TensorType::U16,
                                  TensorType::U32,
                                  TensorType::S32,
                                  TensorType::U64,
                                  TensorType::S64,
                                  TensorType::F16,
                                  TensorType::F32,
                                  TensorType::F32Ftz,
                                  TensorType::F64,
                                  TensorType::Bf16,
                                  TensorType::Tf32,
                                  TensorType::Tf32Ftz,
                                  TensorType::Packed16U4Align8,
                                  TensorType::Packed16U4Align16,
                                  TensorType::Packed16U6Align16};
  if (code >= std::size(types))
    fail("tensormap.replace: element type {} does not exist", code);
  return types[code];
}

uint8_t smallValue(const char *field, uint64_t value, uint64_t most) {
  if (value > most)
    fail("tensormap.replace: {} {} is out of range, at most {}", field, value,
         most);
  return uint8_t(value);
}

} // namespace

uint32_t tensorTypeBytes(TensorType type) {
  switch (type) {
  case TensorType::U16:
  case TensorType::F16:
  case TensorType::Bf16:
    return 2;
  case TensorType::U32:
  case TensorType::S32:
  case TensorType::F32:
  case TensorType::F32Ftz:
  case TensorType::Tf32:
  case TensorType::Tf32Ftz:
    return 4;
  case TensorType::U64:
  case TensorType::S64:
  case TensorType::F64:
    return 8;
  default:
    return 1;
  }
}

TensorMap encodeTiled(const TensorMapArguments &arguments) {
  checkArguments(arguments);
  TensorMap map{};
  map.address = arguments.address;
  for (uint32_t i = 0; i < arguments.rank; ++i) {
    map.dims[i] = uint32_t(arguments.dims[i]);
    map.box[i] = arguments.box[i];
    map.elementStrides[i] = arguments.elementStrides[i];
    if (arguments.dims[i] == maxDim)
      map.wideDims |= uint8_t(1 << i);
    if (i + 1 < arguments.rank)
      map.strides[i] = arguments.strides[i];
  }
  map.rankMinusOne = uint8_t(arguments.rank - 1);
  map.type = uint8_t(arguments.type);
  map.interleave = uint8_t(arguments.interleave);
  storeSwizzle(map, arguments.swizzle);
  map.l2Promotion = uint8_t(arguments.l2Promotion);
  map.fill = uint8_t(arguments.fill);
  return map;
}

void replaceField(TensorMap &map, TensorMapField field, uint32_t ordinal,
                  uint64_t value) {
  const uint32_t ordinals = field == TensorMapField::GlobalStride ? 4 : 5;
  if (ordinal >= ordinals)
    fail("tensormap.replace: ordinal {} is out of range, at most {}", ordinal,
         ordinals - 1);
  switch (field) {
  case TensorMapField::GlobalAddress:
    map.address = value;
    return;
  case TensorMapField::Rank:
    map.rankMinusOne = smallValue("rank minus one", value, 4);
    return;
  case TensorMapField::BoxDim:
    map.box[ordinal] = uint32_t(value);
    return;
  case TensorMapField::GlobalDim:
    map.dims[ordinal] = uint32_t(value);
    map.wideDims &= uint8_t(~(1u << ordinal));
    return;
  case TensorMapField::GlobalStride:
    map.strides[ordinal] = value;
    return;
  case TensorMapField::ElementStride:
    map.elementStrides[ordinal] = uint32_t(value);
    return;
  case TensorMapField::ElementType:
    map.type = uint8_t(replacedType(value));
    return;
  case TensorMapField::InterleaveLayout:
    map.interleave = smallValue("interleave layout", value, 2);
    return;
  case TensorMapField::SwizzleMode:
    map.swizzleMode = smallValue("swizzle mode", value, 4);
    return;
  case TensorMapField::FillMode:
    map.fill = smallValue("fill mode", value, 1);
    return;
  case TensorMapField::SwizzleAtomicity:
    map.swizzleAtomicity = smallValue("swizzle atomicity", value, 3);
    return;
  }
}

TensorMapArguments decodeTensorMap(const TensorMap &map) {
  TensorMapArguments arguments;
  arguments.type = TensorType(map.type);
  arguments.rank = map.rankMinusOne + 1u;
  arguments.address = map.address;
  for (uint32_t i = 0; i < 5; ++i) {
    arguments.dims[i] = map.wideDims >> i & 1 ? maxDim : map.dims[i];
    arguments.box[i] = map.box[i];
    arguments.elementStrides[i] = map.elementStrides[i];
  }
  for (uint32_t i = 0; i < 4; ++i)
    arguments.strides[i] = map.strides[i];
  arguments.interleave = map.interleave;
  arguments.swizzle = loadSwizzle(map);
  arguments.l2Promotion = map.l2Promotion;
  arguments.fill = map.fill;
  checkArguments(arguments);
  return arguments;
}

} // namespace fa4::emulator
