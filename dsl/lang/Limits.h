// What a kernel has to share, the same on sm_90a and sm_100a where nothing else
// is said. From the CUDA C++ Programming Guide, "Technical Specifications per
// Compute Capability", and the PTX ISA.
#pragma once
#include <cstdint>

namespace tile {

/// Shared memory of a CTA: 227 KiB.
inline constexpr int64_t sharedBytesOfCta = 232448;
/// Columns of tensor memory of an SM, of 128 lanes (sm_100a).
inline constexpr int64_t tmemColumnsOfSm = 512;
/// 32-bit registers of an SM.
inline constexpr int64_t registersOfSm = 65536;
inline constexpr int64_t threadsOfCta = 1024;
/// Named barriers of a CTA (PTX ISA, `barrier`); 0 is that of __syncthreads.
inline constexpr int namedBarriersOfCta = 16;
/// The fewest registers of a thread that setmaxnreg takes; enough for a role
/// that only issues copies or MMAs.
inline constexpr int fewestRegisters = 24;
/// What a schedule may count on finding in L2: that of an H100, 50 MiB; a B200
/// has more.
inline constexpr int64_t l2Bytes = 50 << 20;
/// What a schedule leaves of a CTA's shared memory to mbarriers, and to the gap
/// up to the first tile.
inline constexpr int64_t barrierBytes = 1024;

} // namespace tile
