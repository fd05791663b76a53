// %tid, %ctaid, %laneid and the other read-only registers.
#pragma once

#include "runtime/emulator/State.h"

#include <optional>
#include <string_view>

namespace fa4::emulator {

/// "%tid.x"; a name without a component, such as "%laneid", has none.
std::optional<SpecialRegister> findSpecialRegister(std::string_view name);

uint64_t specialRegister(Context &c, uint32_t which, uint32_t lane);

} // namespace fa4::emulator
