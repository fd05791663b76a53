// Which TMEM columns of a CTA are allocated.
#pragma once

#include "runtime/emulator/State.h"

#include <optional>

namespace fa4::emulator {

/// First column of a free block of `columns` (a power of two), or nothing.
std::optional<uint32_t> freeTmemColumns(const Cta &cta, uint32_t columns);

/// Fault with `tmem` for columns that are not allocated.
void checkTmemColumns(const Cta &cta, uint32_t column, uint32_t columns);

/// The cells of a CTA; poisoned at first use.
std::span<uint32_t> tmemOf(Cta &cta);

} // namespace fa4::emulator
