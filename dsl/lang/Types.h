// Element types, memories and targets that a kernel author names.
#pragma once
#include <string_view>

namespace tile {

enum class Arch { sm_90a, sm_100a };
enum class DType { bf16, f16, f32, i32 };

/// "sm_100a", "bf16", ... as flags, manifests and diagnostics spell them.
std::string_view name(Arch arch);
std::string_view name(DType type);

/// Bytes of one element.
constexpr int bytesOf(DType type) {
  return type == DType::f32 || type == DType::i32 ? 4 : 2;
}

} // namespace tile
