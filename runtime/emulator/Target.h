// Which PTX versions know which targets.
#pragma once

#include <cstdint>
#include <string_view>

namespace fa4::emulator {

struct PtxVersion {
  uint32_t major = 0, minor = 0;
  auto operator<=>(const PtxVersion &) const = default;
};

/// Of the PTX that this emulator was written against.
inline constexpr uint32_t newestMajor = 9;

/// The first version that knows a target such as "sm_100a" (PTX ISA, section
/// ".target"); {0, 0} for a word that is no target.
PtxVersion firstVersionOf(std::string_view target);

} // namespace fa4::emulator
