#include "passes/SlotContents.h"

using namespace mlir;

namespace tile {

/// Smallest unit that values share: 16 bytes of a row, or a column.
static int64_t unitOf(ir::SlotType type) {
  return type.getMemory() == ir::Memory::tmem ? 1 : 16 * type.getRows();
}

static int64_t sizeOf(ir::SlotType type) {
  return type.getMemory() == ir::Memory::tmem ? type.getColumns()
                                              : type.getBytes();
}

static int64_t beginOf(Value slot) {
  int64_t begin = 0;
  while (auto view = slot.getDefiningOp<ir::ViewOp>()) {
    begin += view.getAt();
    slot = view.getSlot();
  }
  return begin;
}

/// Columns [begin, end) of a view.
static SlotAccess columns(Operation *op, Value slot, int64_t begin, int64_t end,
                          bool writes) {
  auto type = cast<ir::SlotType>(slot.getType());
  int64_t first = beginOf(slot), size = sizeOf(type), cols = type.getCols();
  return {op,
          slot,
          first + size * begin / cols,
          first + (size * end + cols - 1) / cols,
          !writes,
          writes};
}

static SlotAccess whole(Operation *op, Value slot, bool writes) {
  return columns(op, slot, 0, cast<ir::SlotType>(slot.getType()).getCols(),
                 writes);
}

/// Columns that a load or store of a fragment touches; row statistics whole.
static SlotAccess fragment(Operation *op, Value slot, Type value, int64_t begin,
                           bool writes) {
  auto tensor = dyn_cast<RankedTensorType>(value);
  bool rows =
      cast<ir::SlotType>(slot.getType()).getMemory() == ir::Memory::rows;
  if (rows || !tensor || tensor.getRank() < 2)
    return whole(op, slot, writes);
  return columns(op, slot, begin, begin + tensor.getDimSize(1), writes);
}

static SmallVector<SlotAccess> accessesOfMma(ir::MmaOp op, bool accumulates) {
  SlotAccess a = op.getTransposedA() ? whole(op, op.getA(), false)
                                     : columns(op, op.getA(), op.getKBegin(),
                                               op.getKEnd(), false);
  SlotAccess d = whole(op, op.getD(), true);
  d.reads = accumulates;
  return {a, whole(op, op.getB(), false), d};
}

SmallVector<SlotAccess> accessesOf(Operation *op,
                                   std::optional<int64_t> accumulates) {
  if (auto mma = dyn_cast<ir::MmaOp>(op))
    return accessesOfMma(mma, accumulates.value_or(0) != 0);
  if (auto load = dyn_cast<ir::LoadOp>(op))
    return {fragment(op, load.getSlot(), load.getType(), load.getColBegin(),
                     false)};
  if (auto store = dyn_cast<ir::StoreOp>(op))
    return {fragment(op, store.getSlot(), store.getValue().getType(),
                     store.getColBegin(), true)};
  SmallVector<SlotAccess> accesses;
  if (isa<ir::CopyInOp, ir::CopyOutOp, ir::WarpgroupMmaOp>(op))
    for (Value operand : op->getOperands())
      if (isa<ir::SlotType>(operand.getType()))
        accesses.push_back(whole(op, operand, isa<ir::CopyInOp>(op)));
  return accesses;
}

static std::string describe(const SlotAccess &access, int64_t begin,
                            int64_t end) {
  ir::PipeOp pipe = pipeOf(access.slot);
  bool tmem = pipe.getSlotType().getMemory() == ir::Memory::tmem;
  return (tmem ? "columns " : "bytes ") + std::to_string(begin) + " to " +
         std::to_string(end) + " of '" + pipe.getName().str() + "'";
}

LogicalResult SlotContents::access(const SlotAccess &access) {
  ir::SlotType space = pipeOf(access.slot).getSlotType();
  int64_t unit = unitOf(space);
  Type type = cast<ir::SlotType>(access.slot.getType()).getElement();
  cells.resize(std::max<size_t>(cells.size(), (access.end + unit - 1) / unit));
  for (int64_t n = access.begin / unit; n * unit < access.end; ++n) {
    Cell &cell = cells[n];
    if (access.reads && !cell.writer) {
      return access.op->emitError("M3: reads ")
             << describe(access, access.begin, access.end)
             << ", of which nobody has written " << n * unit << " to "
             << (n + 1) * unit;
    }
    if (access.reads && cell.type != type) {
      InFlightDiagnostic error =
          cell.writer->emitError("M3: writes ")
          << cell.type << " over " << describe(access, n * unit, (n + 1) * unit)
          << " while the " << type << " there is still to be read";
      error.attachNote(access.op->getLoc()) << "read here";
      return error;
    }
    if (access.writes)
      cell = {type, access.op};
  }
  return success();
}

} // namespace tile
