// The element types of tensors and files, and rounding to them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace fa4 {

enum class ElementType { BF16, F16, F32, F64, I32, U32, U8 };

std::size_t elementSize(ElementType type); // bytes

/// "bf16", "f16", "f32", "f64", "i32", "u32", "u8" and back.
std::string_view elementName(ElementType type);
std::optional<ElementType> elementTypeNamed(std::string_view name);

/// Round to nearest, ties to even; overflow gives infinity.
uint16_t toBF16(float value);
uint16_t toF16(float value);
float fromBF16(uint16_t bits);
float fromF16(uint16_t bits);

/// `value` rounded once to BF16, F16, F32 or F64.
float roundTo(ElementType type, float value);
double roundTo(ElementType type, double value);

/// Packs floats as `type` and back. Integer types hold the value rounded to
/// nearest; a value outside their range throws fa4::Error.
std::vector<std::byte> encodeElements(ElementType type,
                                      std::span<const float> values);
std::vector<float> decodeElements(ElementType type,
                                  std::span<const std::byte> bytes);

} // namespace fa4
