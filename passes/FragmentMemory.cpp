// Tensor memory goes through tcgen05.ld/st 32x32b: lane = row, register =
// column (ptx.md 4.6). Shared memory is written 16 bytes at a time, each chunk
// at its swizzled place (ptx.md 1.5).
#include "passes/FragmentMemory.h"

using namespace mlir;

namespace tile {

/// Registers of one tcgen05.ld or st.
constexpr int64_t piece = 32;

static NVVM::Tcgen05LdStShapeAttr shape32x32b(Emit e) {
  return NVVM::Tcgen05LdStShapeAttr::get(e.b.getContext(),
                                         NVVM::Tcgen05LdStShape::SHAPE_32X32B);
}

/// The address of a slot's column for the lanes of the executing warp.
static Value warpLanes(Emit e, Value address) {
  Value t = threadInRole(e);
  Value warp = arith::AndIOp::create(e.b, e.loc, t, e.i32(96));
  return e.add(address, e.mul(warp, 1 << 16));
}

static Value loadTmem(Emit e, ir::LoadOp op) {
  auto type = cast<VectorType>(op.getResult().getType());
  int64_t count = type.getNumElements(), width = std::min(count, piece);
  Value base = warpLanes(e, addressOf(op.getSlot()));
  auto words = VectorType::get({width}, e.b.getI32Type());
  SmallVector<Value> pieces;
  for (int64_t at = 0; at < count; at += width) {
    Value address = e.pointer(e.add(base, op.getColBegin() + at), 6);
    pieces.push_back(NVVM::Tcgen05LdOp::create(
        e.b, e.loc, words, UnitAttr(), shape32x32b(e), address, Value()));
  }
  NVVM::Tcgen05WaitOp::create(
      e.b, e.loc,
      NVVM::Tcgen05WaitKindAttr::get(e.b.getContext(),
                                     NVVM::Tcgen05WaitKind::LOAD));
  for (Value &loaded : pieces)
    loaded = vector::BitCastOp::create(
        e.b, e.loc, VectorType::get({width}, type.getElementType()), loaded);
  return concatenate(e, pieces);
}

static void storeTmem(Emit e, ir::StoreOp op) {
  auto type = cast<VectorType>(op.getValue().getType());
  int64_t bits = type.getElementTypeBitWidth();
  int64_t count = type.getNumElements() * bits / 32;
  Value words = vector::BitCastOp::create(
      e.b, e.loc, VectorType::get({count}, e.b.getI32Type()), op.getValue());
  Value base = warpLanes(e, addressOf(op.getSlot()));
  int64_t first = op.getColBegin() * bits / 32;
  for (int64_t at = 0; at < count; at += piece) {
    Value address = e.pointer(e.add(base, first + at), 6);
    NVVM::Tcgen05StOp::create(
        e.b, e.loc, UnitAttr(), shape32x32b(e), address,
        extractSlice(e, words, at, std::min(piece, count - at)), Value());
  }
}

/// Row layout: each thread writes its row, 16 bytes at a time.
static void storeSmemRows(Emit e, ir::StoreOp op) {
  auto slot = cast<ir::SlotType>(op.getSlot().getType());
  auto type = cast<VectorType>(op.getValue().getType());
  int64_t span = slot.getSwizzle(), chunk = 128 / type.getElementTypeBitWidth();
  Value row = e.add(addressOf(op.getSlot()), e.mul(threadInRole(e), span));
  Value shifted = arith::ShRUIOp::create(e.b, e.loc, row, e.i32(3));
  // Panels and tiles are multiples of the pattern: only the row matters.
  Value mask = arith::AndIOp::create(e.b, e.loc, shifted, e.i32(span - 16));
  auto words = VectorType::get({4}, e.b.getI32Type());
  for (int64_t at = 0; at < type.getNumElements(); at += chunk) {
    int64_t column = op.getColBegin() + at;
    int64_t panel = column / slot.getPanelCols();
    int64_t inside = column % slot.getPanelCols() / chunk * 16;
    Value swizzled = arith::XOrIOp::create(e.b, e.loc, mask, e.i32(inside));
    Value address = e.add(e.add(row, swizzled), panel * slot.getRows() * span);
    Value bits = vector::BitCastOp::create(
        e.b, e.loc, words, extractSlice(e, op.getValue(), at, chunk));
    LLVM::StoreOp::create(e.b, e.loc, bits, e.pointer(address, 3), 16);
  }
}

/// Quad layout: stmatrix.x4 writes 16 x 16 elements of a warp; lane l gives
/// the address of row l % 8 of the l / 8-th of its four 8 x 8 matrices.
static void storeSmemQuads(Emit e, ir::StoreOp op) {
  auto slot = cast<ir::SlotType>(op.getSlot().getType());
  auto type = cast<VectorType>(op.getValue().getType());
  int64_t span = slot.getSwizzle(), words = type.getNumElements() / 2;
  auto bits = [&](Value v, int64_t shift, int64_t mask) -> Value {
    Value shifted = arith::ShRUIOp::create(e.b, e.loc, v, e.i32(shift));
    return arith::AndIOp::create(e.b, e.loc, shifted, e.i32(mask));
  };
  Value t = threadInRole(e);
  Value rowInWarp = bits(t, 0, 15);
  Value row = e.add(e.mul(bits(t, 5, 3), 16), rowInWarp);
  Value line = e.add(addressOf(op.getSlot()), e.mul(row, span));
  Value mask = arith::AndIOp::create(
      e.b, e.loc, arith::ShRUIOp::create(e.b, e.loc, line, e.i32(3)),
      e.i32(span - 16));
  Value half = e.mul(bits(t, 4, 1), 16); // bytes: columns 8 to 15
  Value packed = vector::BitCastOp::create(
      e.b, e.loc, VectorType::get({words}, e.b.getI32Type()), op.getValue());
  MLIRContext *context = e.b.getContext();
  for (int64_t at = 0; at < words; at += 4) {
    int64_t column = op.getColBegin() + at * 4;
    int64_t panel = column / slot.getPanelCols();
    int64_t inside = column % slot.getPanelCols() * 2;
    Value chunk = arith::OrIOp::create(e.b, e.loc, half, e.i32(inside));
    Value swizzled = arith::XOrIOp::create(e.b, e.loc, mask, chunk);
    Value address = e.add(e.add(line, swizzled), panel * slot.getRows() * span);
    SmallVector<Value> sources;
    for (int64_t i = 0; i < 4; ++i)
      sources.push_back(extractElement(e, packed, at + i));
    NVVM::StMatrixOp::create(
        e.b, e.loc, e.pointer(address, 3), sources,
        NVVM::MMALayoutAttr::get(context, NVVM::MMALayout::row),
        NVVM::LdStMatrixShapeAttr::get(context, 8, 8),
        NVVM::LdStMatrixEltTypeAttr::get(context,
                                         NVVM::LdStMatrixEltType::B16));
  }
}

static Value rowAddress(Emit e, Value slot, Value row) {
  return e.pointer(e.add(addressOf(slot), e.mul(row, 4)), 3);
}

Value loadSlot(Emit e, ir::LoadOp op, Type layout) {
  auto slot = cast<ir::SlotType>(op.getSlot().getType());
  if (slot.getMemory() == ir::Memory::tmem)
    return loadTmem(e, op);
  return LLVM::LoadOp::create(e.b, e.loc, slot.getElement(),
                              rowAddress(e, op.getSlot(), threadInRole(e)), 4);
}

void storeSlot(Emit e, ir::StoreOp op, Type layout) {
  auto slot = cast<ir::SlotType>(op.getSlot().getType());
  if (slot.getMemory() == ir::Memory::tmem)
    storeTmem(e, op);
  else if (slot.getMemory() == ir::Memory::smem && isQuad(layout))
    storeSmemQuads(e, op);
  else if (slot.getMemory() == ir::Memory::smem)
    storeSmemRows(e, op);
  else
    LLVM::StoreOp::create(e.b, e.loc, op.getValue(),
                          rowAddress(e, op.getSlot(), threadInRole(e)), 4);
}

} // namespace tile
