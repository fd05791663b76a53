// Pipes and slots: acquire, release, copies, MMAs, loads and stores.
#include "dsl/record/Recorder.h"

using namespace mlir;

namespace tile {

static Value viewed(Recorder &recorder, Value slot, const SlotSpec &as,
                    Where where) {
  ir::SlotType type = recorder.slotType(as, where);
  auto whole = llvm::cast<ir::SlotType>(slot.getType());
  if (type == whole && as.columnOffset == 0)
    return slot;
  bool tmem = type.getMemory() == ir::Memory::tmem;
  int64_t end = tmem ? as.columnOffset + type.getColumns() : type.getBytes();
  int64_t space = tmem ? whole.getColumns() : whole.getBytes();
  if (end > space) {
    recorder.error(where) << "a slot of " << space
                          << (tmem ? " columns" : " bytes") << " is used as "
                          << as.rows << "x" << as.cols << ", which ends at "
                          << end;
  }
  return ir::ViewOp::create(recorder.builder, recorder.here(), type, slot,
                            as.columnOffset);
}

static Value acquired(Handle pipe, Int instance, int edge, int part,
                      Where where) {
  Recorder &recorder = *pipe.recorder;
  Location loc = recorder.at(where);
  Value source = Recorder::unwrap(pipe);
  auto type = llvm::cast<ir::PipeType>(source.getType()).getSlot();
  Value index = Recorder::unwrap(instance.staged(recorder));
  if (edge < 0)
    return ir::HoldOp::create(recorder.builder, loc, type, source, index);
  return ir::AcquireOp::create(recorder.builder, loc, type, source, index, edge,
                               part);
}

static SlotRef refTo(Handle pipe, Value slot, const SlotSpec &as, int edge,
                     int part, Where where) {
  Recorder &recorder = *pipe.recorder;
  SlotRef ref;
  ref.slot = recorder.wrap(viewed(recorder, slot, as, where));
  ref.edge = edge;
  ref.part = part;
  return ref;
}

SlotRef detail::acquire(Handle pipe, Int instance, int edge, int releases,
                        int part, const SlotSpec &as, Where where) {
  return refTo(pipe, acquired(pipe, instance, edge, part, where), as, releases,
               0, where);
}

SlotRef detail::hold(Handle pipe, Int instance, const SlotSpec &as,
                     Where where) {
  return refTo(pipe, acquired(pipe, instance, -1, 0, where), as, -1, 0, where);
}

SlotRef detail::aliased(const SlotRef &slot, const SlotSpec &as, Where where) {
  Recorder &recorder = *slot.slot.recorder;
  recorder.expectHeld(slot, where);
  SlotRef ref;
  ref.slot =
      recorder.wrap(viewed(recorder, Recorder::unwrap(slot.slot), as, where));
  return ref;
}

void detail::release(SlotRef &slot, Where where) {
  Recorder &recorder = *slot.slot.recorder;
  if (slot.over)
    recorder.error(where) << "a slot is released twice, or after it was moved";
  if (slot.edge < 0 || std::exchange(slot.over, true))
    return;
  ir::ReleaseOp::create(recorder.builder, recorder.at(where),
                        Recorder::unwrap(slot.slot), slot.edge, slot.part);
}

SlotRef detail::rowsOf(const SlotRef &slot, int begin, int count, Where where) {
  Recorder &recorder = *slot.slot.recorder;
  recorder.expectHeld(slot, where);
  Value whole = Recorder::unwrap(slot.slot);
  auto type = llvm::cast<ir::SlotType>(whole.getType());
  if (type.getPanels() != 1)
    recorder.error(where) << "takes rows of a slot of " << type.getPanels()
                          << " panels, whose rows are apart; it can be up to "
                          << type.getPanelCols() << " columns wide";
  // Patterns repeat every 8 rows.
  if (begin < 0 || count < 1 || begin % 8 || count % 8 ||
      begin + count > type.getRows())
    recorder.error(where) << "takes rows " << begin << " to " << begin + count
                          << " of a slot with " << type.getRows()
                          << "; whole groups of 8 can be taken";
  auto part =
      ir::SlotType::get(type.getContext(), type.getMemory(), count,
                        type.getCols(), type.getElement(), type.getSwizzle());
  SlotRef ref;
  ref.slot = recorder.wrap(
      ir::ViewOp::create(recorder.builder, recorder.at(where), part, whole,
                         int64_t(begin) * type.getBytes() / type.getRows()));
  return ref;
}

static SmallVector<Value> coordinates(Recorder &recorder, const View &view) {
  SmallVector<Value> coords;
  for (Int coord : view.coords)
    coords.push_back(Recorder::unwrap(coord.staged(recorder)));
  coords.push_back(Recorder::unwrap(view.column.staged(recorder)));
  return coords;
}

void detail::copyIn(const SlotRef &slot, const View &view, Where where) {
  Recorder &recorder = *slot.slot.recorder;
  recorder.expectHeld(slot, where);
  Location loc = recorder.at(where);
  ir::CopyInOp::create(recorder.builder, loc, Recorder::unwrap(view.tensor),
                       coordinates(recorder, view), Recorder::unwrap(slot.slot),
                       view.rowDim, Value());
}

void detail::copyPeer(const SlotRef &slot, int from, int count, Int to,
                      Where where) {
  Recorder &recorder = *slot.slot.recorder;
  recorder.expectHeld(slot, where);
  Location loc = recorder.at(where);
  ir::CopyPeerOp::create(recorder.builder, loc, Recorder::unwrap(slot.slot),
                         from, Recorder::unwrap(to.staged(recorder)), count,
                         Value());
}

void detail::copyOut(const SlotRef &slot, const View &view, bool add,
                     Where where) {
  Recorder &recorder = *slot.slot.recorder;
  recorder.expectHeld(slot, where);
  Location loc = recorder.at(where);
  ir::CopyOutOp::create(recorder.builder, loc, Recorder::unwrap(slot.slot),
                        Recorder::unwrap(view.tensor),
                        coordinates(recorder, view), view.rowDim, add);
}

View Tensor::at(std::vector<Int> coords, Int column, Where where) const {
  if (int(coords.size()) != rank - 1)
    handle.recorder->error(where)
        << "gives " << coords.size() << " coordinates for a tensor of rank "
        << rank << "; every dim but the last takes one";
  return {handle, std::move(coords), column, rowDim};
}

/// Address of element outer * outerStride. 64-bit: it may exceed 2^31.
static Value rowsAddress(Recorder &recorder, Handle base, Int outer,
                         Int outerStride) {
  Location loc = recorder.here();
  OpBuilder &b = recorder.builder;
  auto wide = [&](Int x) -> Value {
    return arith::ExtSIOp::create(b, loc, b.getI64Type(),
                                  Recorder::unwrap(x.staged(recorder)));
  };
  Value offset = arith::MulIOp::create(b, loc, wide(outer), wide(outerStride));
  Value bytes = arith::MulIOp::create(
      b, loc, offset, arith::ConstantIntOp::create(b, loc, 4, 64));
  return arith::AddIOp::create(b, loc, Recorder::unwrap(base), bytes);
}

Row RowTensor::load(Int outer, Int outerStride, RowOf<int> index,
                    RowOf<bool> mask, Row otherwise, Where where) const {
  Recorder &recorder = *base.recorder;
  Location loc = recorder.at(where);
  Value address = rowsAddress(recorder, base, outer, outerStride);
  return {recorder.wrap(ir::LoadGlobalOp::create(
      recorder.builder, loc, address, Recorder::unwrap(index.handle),
      Recorder::unwrap(mask.handle), Recorder::unwrap(otherwise.handle)))};
}

void RowTensor::store(Row value, Int outer, Int outerStride, RowOf<int> index,
                      RowOf<bool> mask, Where where) const {
  Recorder &recorder = *base.recorder;
  Location loc = recorder.at(where);
  Value address = rowsAddress(recorder, base, outer, outerStride);
  ir::StoreGlobalOp::create(
      recorder.builder, loc, Recorder::unwrap(value.handle), address,
      Recorder::unwrap(index.handle), Recorder::unwrap(mask.handle));
}

static ir::SlotType typeOf(const SlotRef &slot) {
  return llvm::cast<ir::SlotType>(Recorder::unwrap(slot.slot).getType());
}

static Value loadColumns(const SlotRef &slot, int begin, int count,
                         Where where) {
  Recorder &recorder = *slot.slot.recorder;
  ir::SlotType type = typeOf(slot);
  int cols = count ? count : type.getCols();
  recorder.expectHeld(slot, where);
  if (begin < 0 || begin + cols > type.getCols())
    recorder.error(where) << "loads columns " << begin << " to " << begin + cols
                          << " of a slot with " << type.getCols();
  return ir::LoadOp::create(
      recorder.builder, recorder.at(where),
      recorder.fragmentType(type.getRows(), cols, type.getElement()),
      Recorder::unwrap(slot.slot), begin);
}

Frag load(const Slot<Tmem> &slot, int begin, int count, Where where) {
  Recorder &recorder = *slot.raw().slot.recorder;
  return {recorder.wrap(loadColumns(slot.raw(), begin, count, where))};
}

Frag load(const Slot<Smem> &slot, int begin, int count, Where where) {
  Recorder &recorder = *slot.raw().slot.recorder;
  Value loaded = loadColumns(slot.raw(), begin, count, where);
  auto type = llvm::cast<RankedTensorType>(loaded.getType());
  if (!type.getElementType().isF32())
    loaded =
        arith::ExtFOp::create(recorder.builder, recorder.here(),
                              type.clone(recorder.type(DType::f32)), loaded);
  return {recorder.wrap(loaded)};
}

Frag loadAcross(const Slot<Rows> &slot, Frag like, int begin, Where where) {
  Recorder &recorder = *slot.raw().slot.recorder;
  recorder.expectHeld(slot.raw(), where);
  auto type =
      llvm::cast<RankedTensorType>(Recorder::unwrap(like.handle).getType());
  int64_t end = begin + type.getDimSize(1),
          space = typeOf(slot.raw()).getRows();
  if (begin < 0 || end > space)
    recorder.error(where) << "takes values " << begin << " to " << end
                          << " of a slot with " << space << " rows";
  return {recorder.wrap(
      ir::LoadOp::create(recorder.builder, recorder.at(where),
                         type.clone(recorder.type(DType::f32)),
                         Recorder::unwrap(slot.raw().slot), begin))};
}

Row load(const Slot<Rows> &slot, Where where) {
  Recorder &recorder = *slot.raw().slot.recorder;
  ir::SlotType type = typeOf(slot.raw());
  recorder.expectHeld(slot.raw(), where);
  return {recorder.wrap(ir::LoadOp::create(
      recorder.builder, recorder.at(where),
      recorder.fragmentType(type.getRows(), 0, type.getElement()),
      Recorder::unwrap(slot.raw().slot), 0))};
}

/// Null `rowBegin`: all rows of the slot.
static void storeTo(Handle value, const SlotRef &slot, int begin, Where where,
                    Value rowBegin = Value()) {
  Recorder &recorder = *slot.slot.recorder;
  recorder.expectHeld(slot, where);
  ir::SlotType into = typeOf(slot);
  auto from = llvm::cast<RankedTensorType>(Recorder::unwrap(value).getType());
  int64_t cols = from.getRank() > 1 ? from.getDimSize(1) : 1;
  if (rowBegin ? from.getDimSize(0) > into.getRows()
               : from.getDimSize(0) != into.getRows())
    recorder.error(where) << "stores " << from.getDimSize(0)
                          << " rows to a slot with " << into.getRows();
  if (begin < 0 || begin + cols > into.getCols())
    recorder.error(where) << "stores columns " << begin << " to "
                          << begin + cols << " of a slot with "
                          << into.getCols();
  if (from.getElementType() != into.getElement())
    recorder.error(where) << "stores " << from.getElementType()
                          << " to a slot of " << into.getElement();
  ir::StoreOp::create(recorder.builder, recorder.at(where),
                      Recorder::unwrap(value), Recorder::unwrap(slot.slot),
                      rowBegin, begin);
}

void store(Rounded value, const Slot<Smem> &slot, int begin, Where where) {
  storeTo(value.handle, slot.raw(), begin, where);
}
void store(Frag value, const Slot<Smem> &slot, int begin, Where where) {
  storeTo(value.handle, slot.raw(), begin, where);
}
void storeRows(Rounded value, const Slot<Smem> &slot, Int begin, int column,
               Where where) {
  Recorder &recorder = *slot.raw().slot.recorder;
  storeTo(value.handle, slot.raw(), column, where,
          Recorder::unwrap(begin.staged(recorder)));
}
void store(Rounded value, const Slot<Tmem> &slot, int begin, Where where) {
  storeTo(value.handle, slot.raw(), begin, where);
}
void store(Frag value, const Slot<Tmem> &slot, int begin, Where where) {
  storeTo(value.handle, slot.raw(), begin, where);
}
void store(Row value, const Slot<Rows> &slot, Where where) {
  storeTo(value.handle, slot.raw(), 0, where);
}

void multiply(const Slot<Tmem> &d, const Product &product, Bool accumulate,
              Where where) {
  Recorder &recorder = *d.raw().slot.recorder;
  Location loc = recorder.at(where);
  for (const SlotRef &slot : {d.raw(), product.a, product.b})
    recorder.expectHeld(slot, where);
  Value a = Recorder::unwrap(product.a.slot);
  Value b = Recorder::unwrap(product.b.slot);
  auto type = llvm::cast<ir::SlotType>(a.getType());
  int64_t k = product.aTransposed ? type.getRows() : type.getCols();
  // A product's b is K x N as written; the op's transposedB marks MN-major.
  // The leader of a pair multiplies for both CTAs.
  Operation *block = recorder.builder.getInsertionBlock()->getParentOp();
  auto role = llvm::dyn_cast<ir::RoleOp>(block);
  if (!role)
    role = block->getParentOfType<ir::RoleOp>();
  ir::MmaOp::create(recorder.builder, loc, a, b, Recorder::unwrap(d.raw().slot),
                    Recorder::unwrap(accumulate.staged(recorder)),
                    role && role.getLeader(), product.aTransposed,
                    !product.bTransposed, product.kBegin,
                    product.kEnd ? product.kEnd : k);
}

Frag slice(Frag x, int begin, int count, Where where) {
  Recorder &recorder = *x.handle.recorder;
  Value value = Recorder::unwrap(x.handle);
  auto type = llvm::cast<RankedTensorType>(value.getType());
  if (begin < 0 || begin + count > type.getDimSize(1))
    recorder.error(where) << "takes columns " << begin << " to "
                          << begin + count << " of a fragment with "
                          << type.getDimSize(1);
  return {recorder.wrap(ir::SliceOp::create(
      recorder.builder, recorder.at(where),
      recorder.fragmentType(type.getShape()[0], count, type.getElementType()),
      value, begin))};
}

} // namespace tile
