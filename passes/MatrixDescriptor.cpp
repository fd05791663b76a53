#include "passes/MatrixDescriptor.h"

using namespace mlir;

namespace tile {

/// Leading and stride byte offsets. K-major swizzled: 8-row groups are 8 spans
/// apart. MN-major: panels are rows x span apart, 8-k groups 8 spans.
static uint64_t strides(ir::SlotType slot, bool mnMajor) {
  int64_t span = slot.getSwizzle();
  uint64_t leading = mnMajor ? slot.getRows() * span : 16;
  uint64_t stride = 8 * span;
  return leading >> 4 << 16 | stride >> 4 << 32;
}

static Descriptor descriptor(Emit e, Value address, uint64_t fixed) {
  Value units = arith::ShRUIOp::create(e.b, e.loc, address, e.i32(4));
  Value start = arith::AndIOp::create(e.b, e.loc, units, e.i32(0x3FFF));
  Value low = arith::OrIOp::create(e.b, e.loc, start,
                                   e.i32(int32_t(fixed & 0xFFFFFFFF)));
  return {low, int32_t(fixed >> 32)};
}

Value Descriptor::at(Emit e, int64_t offset) const {
  auto halves = VectorType::get({2}, e.b.getI32Type());
  Value both = vector::FromElementsOp::create(
      e.b, e.loc, halves, ValueRange{e.add(low, offset), e.i32(high)});
  return LLVM::BitcastOp::create(e.b, e.loc, e.b.getI64Type(), both);
}

Descriptor tcgen05Descriptor(Emit e, Value address, ir::SlotType slot,
                             bool mnMajor) {
  int64_t span = slot.getSwizzle();
  uint64_t swizzle = span == 128 ? 2 : span == 64 ? 4 : span == 32 ? 6 : 0;
  return descriptor(e, address,
                    strides(slot, mnMajor) | uint64_t(1) << 46 | swizzle << 61);
}

Descriptor wgmmaDescriptor(Emit e, Value address, ir::SlotType slot,
                           bool mnMajor) {
  int64_t span = slot.getSwizzle();
  uint64_t swizzle = span == 128 ? 1 : span == 64 ? 2 : span == 32 ? 3 : 0;
  return descriptor(e, address, strides(slot, mnMajor) | swizzle << 62);
}

int64_t descriptorOffset(ir::SlotType slot, bool mnMajor, int64_t k) {
  int64_t span = slot.getSwizzle();
  if (mnMajor)
    return k * span >> 4;
  int64_t panel = k / slot.getPanelCols(), inside = k % slot.getPanelCols();
  return (panel * slot.getRows() * span + inside * 2) >> 4;
}

int64_t instructionDescriptor(bool bf16, bool aMnMajor, bool bMnMajor,
                              int64_t m, int64_t n) {
  int64_t format = bf16;
  return 1 << 4 | format << 7 | format << 10 | int64_t(aMnMajor) << 15 |
         int64_t(bMnMajor) << 16 | (n >> 3) << 17 | (m >> 4) << 24;
}

} // namespace tile
