// One synchronizing instruction, weakened.
#pragma once

#include <cstdint>

namespace fa4::emulator {

/// Remove: the instruction does nothing; a wait reports success. FlipPhase: a
/// wait looks at the other parity. MoreBytes: an expect_tx expects 16 more.
enum class MutationKind : uint8_t { Remove, FlipPhase, MoreBytes };

struct Mutation {
  uint32_t instruction = 0; // index in the entry's code
  MutationKind kind = MutationKind::Remove;
};

} // namespace fa4::emulator
