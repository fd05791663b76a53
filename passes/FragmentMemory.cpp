// Tensor memory goes through tcgen05.ld/st 32x32b: lane = row, register =
// column (PTX ISA, tcgen05.ld). Shared memory is written 16 bytes at a time,
// each chunk at its swizzled place (PTX ISA, "Swizzling modes").
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

/// The swizzled place of 16 bytes of a row. Panels and tiles are
/// multiples of the pattern: only the row decides it.
struct SwizzledRow {
  SwizzledRow(Emit e, Value slot, Value row)
      : slot(cast<ir::SlotType>(slot.getType())) {
    int64_t span = this->slot.getSwizzle();
    line = e.add(addressOf(slot), e.mul(row, span));
    Value shifted = arith::ShRUIOp::create(e.b, e.loc, line, e.i32(3));
    mask = arith::AndIOp::create(e.b, e.loc, shifted, e.i32(span - 16));
  }
  /// Address of the 16 bytes that hold a column.
  Value at(Emit e, int64_t column) const {
    int64_t bytes = slot.getElement().getIntOrFloatBitWidth() / 8;
    int64_t panel = column / slot.getPanelCols();
    int64_t inside = column % slot.getPanelCols() * bytes / 16 * 16;
    Value swizzled = arith::XOrIOp::create(e.b, e.loc, mask, e.i32(inside));
    return e.add(e.add(line, swizzled),
                 panel * slot.getRows() * slot.getSwizzle());
  }
  ir::SlotType slot;
  Value line, mask;
};

/// The slot's row that a fragment's row goes to.
static Value fromRow(Emit e, ir::StoreOp op, Value row) {
  return op.getRowBegin() ? e.add(row, op.getRowBegin()) : row;
}

/// Row layout: each thread writes its row, 16 bytes at a time.
static void storeSmemRows(Emit e, ir::StoreOp op) {
  auto type = cast<VectorType>(op.getValue().getType());
  SwizzledRow row(e, op.getSlot(), fromRow(e, op, threadInRole(e)));
  int64_t chunk = 128 / type.getElementTypeBitWidth();
  auto words = VectorType::get({4}, e.b.getI32Type());
  for (int64_t at = 0; at < type.getNumElements(); at += chunk) {
    Value bits = vector::BitCastOp::create(
        e.b, e.loc, words, extractSlice(e, op.getValue(), at, chunk));
    LLVM::StoreOp::create(e.b, e.loc, bits,
                          e.pointer(row.at(e, op.getColBegin() + at), 3), 16);
  }
}

static Value loadSmemRows(Emit e, ir::LoadOp op) {
  auto type = cast<VectorType>(op.getResult().getType());
  SwizzledRow row(e, op.getSlot(), threadInRole(e));
  int64_t chunk = 128 / type.getElementTypeBitWidth();
  auto words = VectorType::get({4}, e.b.getI32Type());
  auto part = VectorType::get({chunk}, type.getElementType());
  SmallVector<Value> pieces;
  for (int64_t at = 0; at < type.getNumElements(); at += chunk) {
    Value bits = LLVM::LoadOp::create(
        e.b, e.loc, words, e.pointer(row.at(e, op.getColBegin() + at), 3), 16);
    pieces.push_back(vector::BitCastOp::create(e.b, e.loc, part, bits));
  }
  return concatenate(e, pieces);
}

/// Quad layout: calls `pair` for each of the thread's pairs of neighbouring
/// elements, with the first one's number and the pair's address.
static void
forEachPair(Emit e, Value slot, int64_t colBegin, int64_t elements,
            function_ref<void(int64_t element, Value address)> pair) {
  int64_t bytes =
      cast<ir::SlotType>(slot.getType()).getElement().getIntOrFloatBitWidth() /
      8;
  SwizzledRow rows[2] = {{e, slot, quadRow(e, 0)}, {e, slot, quadRow(e, 1)}};
  // The lane's columns 2 (t % 4) and the next of each 8 (PTX ISA, wgmma):
  // within 16 bytes, or in one of two neighbouring 16 bytes for f32.
  Value lane = arith::AndIOp::create(e.b, e.loc, threadInRole(e), e.i32(3));
  Value own = e.mul(lane, 2 * bytes);
  Value inside = arith::AndIOp::create(e.b, e.loc, own, e.i32(15));
  Value chunk = arith::AndIOp::create(e.b, e.loc, own, e.i32(16));
  for (int64_t i = 0; i < elements; i += 2) {
    const SwizzledRow &row = rows[i / 2 % 2];
    Value base = row.at(e, colBegin + i / 4 * 8);
    // Bit 4 of the address is the chunk's, swizzled or not.
    Value address = arith::XOrIOp::create(e.b, e.loc, base, chunk);
    pair(i, e.pointer(e.add(address, inside), 3));
  }
}

static Value loadSmemQuads(Emit e, ir::LoadOp op) {
  auto type = cast<VectorType>(op.getResult().getType());
  auto pairType = VectorType::get({2}, type.getElementType());
  int64_t bytes = type.getElementTypeBitWidth() / 4;
  SmallVector<Value> pieces;
  forEachPair(e, op.getSlot(), op.getColBegin(), type.getNumElements(),
              [&](int64_t, Value address) {
                pieces.push_back(
                    LLVM::LoadOp::create(e.b, e.loc, pairType, address, bytes));
              });
  return concatenate(e, pieces);
}

/// Elements of 32 bits, which stmatrix can't move.
static void storeSmemPairs(Emit e, ir::StoreOp op) {
  auto type = cast<VectorType>(op.getValue().getType());
  forEachPair(e, op.getSlot(), op.getColBegin(), type.getNumElements(),
              [&](int64_t element, Value address) {
                LLVM::StoreOp::create(
                    e.b, e.loc, extractSlice(e, op.getValue(), element, 2),
                    address, 8);
              });
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
  Value row = fromRow(e, op, e.add(e.mul(bits(t, 5, 3), 16), rowInWarp));
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

/// Value c of a row slot for every element of column c: the same bytes for all
/// threads of a row layout, for a quad those of its columns.
static Value loadAcross(Emit e, ir::LoadOp op, bool quad) {
  auto type = cast<VectorType>(op.getResult().getType());
  int64_t count = type.getNumElements(), width = quad ? 2 : 4;
  auto part = VectorType::get({width}, type.getElementType());
  Value first = e.add(addressOf(op.getSlot()), 4 * op.getColBegin());
  if (quad) {
    Value lane = arith::AndIOp::create(e.b, e.loc, threadInRole(e), e.i32(3));
    first = e.add(first, e.mul(lane, 8));
  }
  SmallVector<Value> pieces;
  for (int64_t i = 0; i < count; i += quad ? 4 : width) {
    // Quad: elements i and i + 2 are of two rows and the same columns.
    Value address = e.pointer(e.add(first, quad ? i * 8 : i * 4), 3);
    Value loaded =
        LLVM::LoadOp::create(e.b, e.loc, part, address, quad ? 8 : 16);
    pieces.append(quad ? 2 : 1, loaded);
  }
  return concatenate(e, pieces);
}

Value loadSlot(Emit e, ir::LoadOp op, Type layout) {
  auto slot = cast<ir::SlotType>(op.getSlot().getType());
  if (slot.getMemory() == ir::Memory::tmem)
    return loadTmem(e, op);
  if (slot.getMemory() == ir::Memory::smem)
    return isQuad(layout) ? loadSmemQuads(e, op) : loadSmemRows(e, op);
  if (cast<RankedTensorType>(layout).getRank() == 2)
    return loadAcross(e, op, isQuad(layout));
  return LLVM::LoadOp::create(e.b, e.loc, slot.getElement(),
                              rowAddress(e, op.getSlot(), threadInRole(e)), 4);
}

void storeSlot(Emit e, ir::StoreOp op, Type layout) {
  auto slot = cast<ir::SlotType>(op.getSlot().getType());
  if (slot.getMemory() == ir::Memory::tmem)
    storeTmem(e, op);
  else if (slot.getMemory() == ir::Memory::smem && isQuad(layout))
    slot.getElement().isF32() ? storeSmemPairs(e, op) : storeSmemQuads(e, op);
  else if (slot.getMemory() == ir::Memory::smem)
    storeSmemRows(e, op);
  else
    LLVM::StoreOp::create(e.b, e.loc, op.getValue(),
                          rowAddress(e, op.getSlot(), threadInRole(e)), 4);
}

} // namespace tile
