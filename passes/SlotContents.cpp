#include "passes/SlotContents.h"

using namespace mlir;

namespace tile {

/// Smallest unit that values share: a column, row statistics as a whole, or 16
/// bytes of a row.
static int64_t unitOf(ir::SlotType type) {
  if (type.getMemory() == ir::Memory::tmem)
    return 1;
  return type.getMemory() == ir::Memory::rows ? type.getBytes()
                                              : 16 * type.getRows();
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
  // The peer's copy counts as this CTA's: one stands for both.
  bool writes = isa<ir::CopyInOp, ir::CopyPeerOp>(op);
  if (writes || isa<ir::CopyOutOp, ir::WarpgroupMmaOp>(op))
    for (Value operand : op->getOperands())
      if (isa<ir::SlotType>(operand.getType()))
        accesses.push_back(whole(op, operand, writes));
  return accesses;
}

static std::string describe(const SlotAccess &access, int64_t begin,
                            int64_t end) {
  ir::PipeOp pipe = pipeOf(access.slot);
  bool tmem = pipe.getSlotType().getMemory() == ir::Memory::tmem;
  return (tmem ? "columns " : "bytes ") + std::to_string(begin) + " to " +
         std::to_string(end) + " of '" + pipe.getName().str() + "'";
}

ir::PipeOp homeOf(ir::PipeOp pipe) {
  if (!pipe.getOver())
    return pipe;
  for (auto other : pipe->getBlock()->getOps<ir::PipeOp>())
    if (other.getName() == *pipe.getOver())
      return other;
  return pipe;
}

int64_t positionOf(ir::PipeOp pipe, int64_t instance, int64_t slot) {
  int64_t begin = pipe.getOver() ? int64_t(pipe.getOverColumn()) : 0;
  return begin +
         (instance * pipe.getDepth() + slot) * sizeOf(pipe.getSlotType());
}

/// True where the use comes before whatever has this clock. Copies of a role
/// fill a slot together, a part each (R3).
bool SlotContents::isBefore(const Use &use, const Use &later,
                            const RoleClock &clock) {
  return clock[use.role] > use.time ||
         use.op->getParentOfType<ir::RoleOp>() ==
             later.op->getParentOfType<ir::RoleOp>();
}

LogicalResult SlotContents::access(const SlotAccess &access, int64_t position,
                                   size_t role, const RoleClock &clock) {
  int64_t unit = unitOf(pipeOf(access.slot).getSlotType());
  int64_t first = position + access.begin, last = position + access.end;
  cells.resize(std::max<size_t>(cells.size(), (last + unit - 1) / unit));
  for (int64_t n = first / unit; n * unit < last; ++n) {
    if (failed(visit(cells[n], access,
                     {access.op, access.slot, role, clock[role]}, clock,
                     n * unit - position)))
      return failure();
  }
  return success();
}

/// `at`: the cell's place in the slot.
LogicalResult SlotContents::visit(Cell &cell, const SlotAccess &access, Use use,
                                  const RoleClock &clock, int64_t at) {
  Type type = cast<ir::SlotType>(access.slot.getType()).getElement();
  int64_t end = at + unitOf(pipeOf(access.slot).getSlotType());
  auto unordered = [&](const Use &other, const char *did) {
    InFlightDiagnostic error = access.op->emitError("M3: nothing orders this ")
                               << (access.writes ? "write of " : "read of ")
                               << describe(access, at, end) << " after '"
                               << pipeOf(other.slot).getName() << "' was "
                               << did << " there";
    error.attachNote(other.op->getLoc()) << did << " here";
    return error;
  };
  if (cell.writer.op && !isBefore(cell.writer, use, clock))
    return unordered(cell.writer, "written");
  if (access.writes)
    for (const Use &reader : cell.readers)
      if (!isBefore(reader, use, clock))
        return unordered(reader, "read");
  if (access.reads && !cell.writer.op)
    return access.op->emitError("M3: reads ")
           << describe(access, access.begin, access.end)
           << ", of which nobody has written " << at << " to " << end;
  if (access.reads && cell.type != type) {
    InFlightDiagnostic error = cell.writer.op->emitError("M3: writes ")
                               << cell.type << " over "
                               << describe(access, at, end) << " while the "
                               << type << " there is still to be read";
    error.attachNote(access.op->getLoc()) << "read here";
    return error;
  }
  if (access.writes)
    cell = {type, use, {}};
  else if (cell.readers.empty() || cell.readers.back().op != use.op)
    cell.readers.push_back(use);
  else
    cell.readers.back() = use;
  return success();
}

} // namespace tile
