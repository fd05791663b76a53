#include "runtime/ElementType.h"

#include "runtime/Error.h"

#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

namespace fa4 {
namespace {

struct TypeInfo {
  ElementType type;
  std::string_view name;
  std::size_t size;
};

constexpr std::array<TypeInfo, 7> typeTable = {{
    {ElementType::BF16, "bf16", 2},
    {ElementType::F16, "f16", 2},
    {ElementType::F32, "f32", 4},
    {ElementType::F64, "f64", 8},
    {ElementType::I32, "i32", 4},
    {ElementType::U32, "u32", 4},
    {ElementType::U8, "u8", 1},
}};

/// Rounds to odd, so that a second rounding to fewer bits rounds once.
float roundToOdd(double value) {
  float result = static_cast<float>(value);
  if (!std::isfinite(value) || static_cast<double>(result) == value)
    return result;
  uint32_t bits = std::bit_cast<uint32_t>(result);
  if (std::abs(static_cast<double>(result)) > std::abs(value))
    bits -= 1;
  return std::bit_cast<float>(bits | 1u);
}

template <typename Integer> std::byte *putInteger(std::byte *at, float value) {
  double rounded = std::nearbyint(static_cast<double>(value));
  if (!(rounded >= static_cast<double>(std::numeric_limits<Integer>::min()) &&
        rounded <= static_cast<double>(std::numeric_limits<Integer>::max())))
    fail("value {} doesn't fit an integer of {} bytes", value, sizeof(Integer));
  Integer integer = static_cast<Integer>(rounded);
  std::memcpy(at, &integer, sizeof(integer));
  return at + sizeof(integer);
}

template <typename Value> std::byte *put(std::byte *at, Value value) {
  std::memcpy(at, &value, sizeof(value));
  return at + sizeof(value);
}

std::byte *putElement(ElementType type, std::byte *at, float value) {
  switch (type) {
  case ElementType::BF16:
    return put(at, toBF16(value));
  case ElementType::F16:
    return put(at, toF16(value));
  case ElementType::F32:
    return put(at, value);
  case ElementType::F64:
    return put(at, static_cast<double>(value));
  case ElementType::I32:
    return putInteger<int32_t>(at, value);
  case ElementType::U32:
    return putInteger<uint32_t>(at, value);
  case ElementType::U8:
    return putInteger<uint8_t>(at, value);
  }
  return at;
}

template <typename Value> Value get(const std::byte *at) {
  Value value;
  std::memcpy(&value, at, sizeof(value));
  return value;
}

float getElement(ElementType type, const std::byte *at) {
  switch (type) {
  case ElementType::BF16:
    return fromBF16(get<uint16_t>(at));
  case ElementType::F16:
    return fromF16(get<uint16_t>(at));
  case ElementType::F32:
    return get<float>(at);
  case ElementType::F64:
    return static_cast<float>(get<double>(at));
  case ElementType::I32:
    return static_cast<float>(get<int32_t>(at));
  case ElementType::U32:
    return static_cast<float>(get<uint32_t>(at));
  case ElementType::U8:
    return static_cast<float>(get<uint8_t>(at));
  }
  return 0;
}

} // namespace

std::size_t elementSize(ElementType type) {
  return typeTable[static_cast<std::size_t>(type)].size;
}

std::string_view elementName(ElementType type) {
  return typeTable[static_cast<std::size_t>(type)].name;
}

std::optional<ElementType> elementTypeNamed(std::string_view name) {
  for (const TypeInfo &info : typeTable)
    if (info.name == name)
      return info.type;
  return std::nullopt;
}

uint16_t toBF16(float value) {
  uint32_t bits = std::bit_cast<uint32_t>(value);
  if (std::isnan(value))
    return static_cast<uint16_t>((bits >> 16) | 0x40);
  return static_cast<uint16_t>((bits + 0x7fff + ((bits >> 16) & 1)) >> 16);
}

uint16_t toF16(float value) {
  uint32_t bits = std::bit_cast<uint32_t>(value);
  uint16_t sign = static_cast<uint16_t>((bits >> 16) & 0x8000);
  uint32_t magnitude = bits & 0x7fffffff;
  if (magnitude > 0x7f800000)
    return sign | 0x7e00;
  if (magnitude >= 0x47800000)
    return sign | 0x7c00;
  if (magnitude < 0x38800000) {
    // Adding 0.5, whose last place is 2^-24, rounds to a subnormal's place.
    float shifted = std::bit_cast<float>(magnitude) + 0.5f;
    uint32_t place = std::bit_cast<uint32_t>(shifted) - 0x3f000000;
    return static_cast<uint16_t>(sign | place);
  }
  uint32_t rounded = magnitude + 0xfff + ((magnitude >> 13) & 1);
  return static_cast<uint16_t>(sign | ((rounded - 0x38000000) >> 13));
}

float fromBF16(uint16_t bits) {
  return std::bit_cast<float>(static_cast<uint32_t>(bits) << 16);
}

float fromF16(uint16_t bits) {
  uint32_t sign = static_cast<uint32_t>(bits & 0x8000) << 16;
  uint32_t magnitude = bits & 0x7fff;
  if (magnitude >= 0x7c00)
    return std::bit_cast<float>(sign | 0x7f800000 | (magnitude & 0x3ff) << 13);
  if (magnitude < 0x400) {
    float value = static_cast<float>(magnitude) * 0x1p-24f;
    return sign ? -value : value;
  }
  return std::bit_cast<float>(sign | ((magnitude << 13) + 0x38000000));
}

float roundTo(ElementType type, float value) {
  if (type == ElementType::BF16)
    return fromBF16(toBF16(value));
  return type == ElementType::F16 ? fromF16(toF16(value)) : value;
}

double roundTo(ElementType type, double value) {
  if (type == ElementType::F32)
    return static_cast<float>(value);
  if (type == ElementType::BF16 || type == ElementType::F16)
    return roundTo(type, roundToOdd(value));
  return value;
}

std::vector<std::byte> encodeElements(ElementType type,
                                      std::span<const float> values) {
  std::vector<std::byte> bytes(values.size() * elementSize(type));
  std::byte *at = bytes.data();
  for (float value : values)
    at = putElement(type, at, value);
  return bytes;
}

std::vector<float> decodeElements(ElementType type,
                                  std::span<const std::byte> bytes) {
  std::size_t size = elementSize(type);
  std::vector<float> values(bytes.size() / size);
  for (std::size_t i = 0; i < values.size(); ++i)
    values[i] = getElement(type, bytes.data() + i * size);
  return values;
}

} // namespace fa4
