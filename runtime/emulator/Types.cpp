#include "runtime/emulator/Types.h"

#include <unordered_map>

namespace fa4::emulator {

std::optional<Type> parseType(std::string_view word) {
  static const std::unordered_map<std::string_view, Type> table = {
      {"pred", Type::Pred},     {"b8", Type::B8},
      {"b16", Type::B16},       {"b32", Type::B32},
      {"b64", Type::B64},       {"b128", Type::B128},
      {"u8", Type::U8},         {"u16", Type::U16},
      {"u32", Type::U32},       {"u64", Type::U64},
      {"s8", Type::S8},         {"s16", Type::S16},
      {"s32", Type::S32},       {"s64", Type::S64},
      {"u16x2", Type::U16x2},   {"s16x2", Type::S16x2},
      {"f16", Type::F16},       {"f16x2", Type::F16x2},
      {"bf16", Type::Bf16},     {"bf16x2", Type::Bf16x2},
      {"f32", Type::F32},       {"f32x2", Type::F32x2},
      {"f64", Type::F64},       {"tf32", Type::Tf32},
      {"e4m3x2", Type::E4m3x2}, {"e5m2x2", Type::E5m2x2},
      {"e2m1x2", Type::E2m1x2}, {"ue8m0x2", Type::Ue8m0x2},
  };
  auto found = table.find(word);
  if (found == table.end())
    return std::nullopt;
  return found->second;
}

} // namespace fa4::emulator
