// Verifiers of hand-overs, views, barriers and variables.
#include "dsl/ir/Tile.h"

using namespace mlir;
using namespace tile::ir;
using tile::ir::detail::verifyWord;

/// R1: the edge is one of the pipe's, the part one of the edge's.
static LogicalResult verifyEdge(Operation *op, PipeOp pipe, uint64_t edge,
                                uint64_t part) {
  if (edge >= pipe.getEdges().size())
    return op->emitOpError("R1: names edge ")
           << int64_t(edge) << " of a pipe with " << pipe.getEdges().size();
  if (part >= uint64_t(pipe.getEdgeParts(edge)))
    return op->emitOpError("R1: names part ")
           << int64_t(part) << " of an edge with " << pipe.getEdgeParts(edge);
  return success();
}

static LogicalResult verifySlotOf(Operation *op, PipeOp pipe, SlotType slot) {
  if (slot == pipe.getSlotType())
    return success();
  return op->emitOpError("yields ")
         << slot << ", the pipe has slots " << pipe.getSlotType();
}

LogicalResult AcquireOp::verify() {
  auto pipe = getPipe().getDefiningOp<PipeOp>();
  if (failed(verifySlotOf(*this, pipe, getSlot().getType())))
    return failure();
  return verifyEdge(*this, pipe, getEdge(), getPart());
}

LogicalResult HoldOp::verify() {
  auto pipe = getPipe().getDefiningOp<PipeOp>();
  if (pipe.getDepth() != 1)
    return emitOpError("R1: needs a pipe of depth 1, not ") << pipe.getDepth();
  return verifySlotOf(*this, pipe, getSlot().getType());
}

LogicalResult ReleaseOp::verify() {
  Operation *root = rootOf(getSlot());
  Value pipe;
  if (auto acquire = dyn_cast_or_null<AcquireOp>(root))
    pipe = acquire.getPipe();
  if (auto hold = dyn_cast_or_null<HoldOp>(root))
    pipe = hold.getPipe();
  if (!pipe)
    return emitOpError("R1: takes a slot that was neither acquired nor held");
  return verifyEdge(*this, pipe.getDefiningOp<PipeOp>(), getEdge(), getPart());
}

LogicalResult ViewOp::verify() {
  SlotType from = getSlot().getType(), to = getResult().getType();
  if (from.getMemory() != to.getMemory())
    return emitOpError("views ") << stringifyMemory(from.getMemory()) << " as "
                                 << stringifyMemory(to.getMemory());
  bool tmem = from.getMemory() == Memory::tmem;
  int64_t size = tmem ? to.getColumns() : to.getBytes();
  int64_t space = tmem ? from.getColumns() : from.getBytes();
  int64_t at = getAt();
  if (at < 0 || at > space || size > space - at)
    return emitOpError("ends at ")
           << at + size << " of " << space << (tmem ? " columns" : " bytes");
  // A swizzle pattern of 8 rows begins at its own multiples in every slot.
  int64_t pattern = 8 * to.getSwizzle();
  if (pattern && (at % pattern || from.getBytes() % pattern))
    return emitOpError("begins where a swizzle of ")
           << to.getSwizzle() << " bytes doesn't: slots of " << from.getBytes()
           << " bytes, from byte " << at;
  return success();
}

LogicalResult BarrierArriveOp::verify() {
  if (failed(
          verifyWord(*this, "arrival", getBy(),
                     {"lane", "warp", "together", "mma", "mma_pair", "tma"})))
    return failure();
  if (getBy() == "tma" && !getBytes())
    return emitOpError("announces no bytes");
  if (getAt())
    return verifyWord(*this, "place", *getAt(), {"leader", "peer", "both"});
  return success();
}

LogicalResult FenceOp::verify() {
  return verifyWord(
      *this, "kind", getKind(),
      {"async_proxy", "tmem_before", "tmem_after", "tmem_store", "bulk_read"});
}

/// A variable holds values of one type.
static LogicalResult verifyHolds(Operation *op, VarType variable, Type type) {
  if (variable.getType() == type)
    return success();
  return op->emitOpError("moves ")
         << type << ", the variable holds " << variable.getType();
}

LogicalResult VarOp::verify() {
  return verifyHolds(*this, getResult().getType(), getInit().getType());
}

LogicalResult GetOp::verify() {
  return verifyHolds(*this, getVar().getType(), getResult().getType());
}

LogicalResult SetOp::verify() {
  return verifyHolds(*this, getVar().getType(), getValue().getType());
}
