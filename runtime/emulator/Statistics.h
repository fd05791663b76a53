// What a launch did, in counts.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace fa4::emulator {

/// Bytes are payload bytes; a multicast copy counts once for each destination.
struct Statistics {
  uint64_t warpInstructions = 0;
  uint64_t mmaFlops = 0;     // 2*M*N*K for each MMA
  uint64_t exponentials = 0; // ex2, counted by active lane
  uint64_t tmaLoadBytes = 0, tmaStoreBytes = 0, bulkBytes = 0;
  uint64_t mmaSharedBytes = 0; // operands that an MMA reads from shared memory
  uint64_t sharedLoadBytes = 0, sharedStoreBytes = 0;
  uint64_t globalLoadBytes = 0, globalStoreBytes = 0;
  uint64_t tmemLoadBytes = 0, tmemStoreBytes = 0;
  uint64_t dsmemBytes = 0;
  /// Warp instructions by the first word of the opcode ("fma", "ld",
  /// "tcgen05").
  std::map<std::string, uint64_t> instructionsByClass;

  /// Warp instructions by index in the entry's code.
  std::vector<uint64_t> executed;
  /// PTX line of each async operation, in issue order.
  std::vector<uint32_t> asyncLines;

  std::string text() const;
};

} // namespace fa4::emulator
