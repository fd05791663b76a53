// Shared-memory matrix descriptors and the tcgen05 instruction descriptor.
#pragma once
#include "passes/Emit.h"

namespace tile {

/// A 64-bit descriptor in halves. Steps along K change the low half only, so
/// that the constant high half takes one register for all of them.
struct Descriptor {
  mlir::Value low;
  int64_t high;
  /// The descriptor `offset` units of 16 bytes further.
  mlir::Value at(Emit e, int64_t offset) const;
};

/// The tcgen05 descriptor of a swizzled slot (PTX ISA, tcgen05). The address is
/// masked: in a cluster it carries the CTA's rank above bit 23.
Descriptor tcgen05Descriptor(Emit e, mlir::Value address, ir::SlotType slot,
                             bool mnMajor);
/// The same for wgmma (PTX ISA, wgmma).
Descriptor wgmmaDescriptor(Emit e, mlir::Value address, ir::SlotType slot,
                           bool mnMajor);
/// What to add for the instruction that starts at element k.
int64_t descriptorOffset(ir::SlotType slot, bool mnMajor, int64_t k);
/// kind::f16 with f32 accumulators (PTX ISA, tcgen05).
int64_t instructionDescriptor(bool bf16, bool aMnMajor, bool bMnMajor,
                              int64_t m, int64_t n);

} // namespace tile
