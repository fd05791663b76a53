// One synchronizing instruction, weakened.
#pragma once

#include <cstdint>
#include <string>

namespace fa4::emulator {

/// Remove: the instruction does nothing; a wait reports success. FlipPhase: a
/// wait looks at the other parity. MoreBytes: an expect_tx expects 16 more.
enum class MutationKind : uint8_t { Remove, FlipPhase, MoreBytes };

struct Mutation {
  uint32_t instruction = 0; // index in the entry's code
  MutationKind kind = MutationKind::Remove;
};

/// Where it is and what it does, for people.
struct MutationSite {
  uint32_t ptxLine = 0;
  std::string file; // of the kernel's source; empty: the PTX does not say
  uint32_t line = 0;
  std::string change; // "remove tcgen05.wait::ld.sync.aligned"
};

} // namespace fa4::emulator
