// The fundamental types of PTX instructions.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace fa4::emulator {

enum class Type : uint8_t {
  Pred,
  B8,
  B16,
  B32,
  B64,
  B128,
  U8,
  U16,
  U32,
  U64,
  S8,
  S16,
  S32,
  S64,
  U16x2,
  S16x2,
  F16,
  F16x2,
  Bf16,
  Bf16x2,
  F32,
  F32x2,
  F64,
  Tf32,
  E4m3x2,
  E5m2x2,
  E2m1x2,
  Ue8m0x2,
};

/// "u32", without the dot.
std::optional<Type> parseType(std::string_view word);

constexpr uint32_t typeBits(Type type) {
  switch (type) {
  case Type::Pred:
    return 1;
  case Type::B8:
  case Type::U8:
  case Type::S8:
  case Type::E2m1x2:
    return 8;
  case Type::B16:
  case Type::U16:
  case Type::S16:
  case Type::F16:
  case Type::Bf16:
  case Type::E4m3x2:
  case Type::E5m2x2:
  case Type::Ue8m0x2:
    return 16;
  case Type::B64:
  case Type::U64:
  case Type::S64:
  case Type::F64:
  case Type::F32x2:
    return 64;
  case Type::B128:
    return 128;
  default:
    return 32;
  }
}

constexpr bool isSigned(Type type) {
  return type >= Type::S8 && type <= Type::S64;
}
constexpr bool isFloat(Type type) { return type >= Type::F16; }

} // namespace fa4::emulator
