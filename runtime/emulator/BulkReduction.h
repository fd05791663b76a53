// cp.reduce.async.bulk: reductions of contiguous bytes.
#pragma once

#include "runtime/emulator/Decoding.h"

#include <cstddef>

namespace fa4::emulator {

/// Sets Modifiers::type and Modifiers::operation.
void decodeBulkReduction(Decoding &d);

/// target[i] = target[i] op source[i] for `bytes` of elements.
void reduceBulk(Type type, uint8_t operation, std::byte *target,
                const std::byte *source, uint32_t bytes);

} // namespace fa4::emulator
