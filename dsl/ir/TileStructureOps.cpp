// Verifiers of kernels, parameters, pipes and roles.
#include "dsl/ir/Tile.h"
#include "dsl/lang/Limits.h"

using namespace mlir;
using namespace tile::ir;

LogicalResult KernelOp::verify() {
  if (getArch() != "sm_100a" && getArch() != "sm_90a")
    return emitOpError("is for '")
           << getArch() << "', there are sm_100a and sm_90a";
  return success();
}

/// F1: what a warpgroup can hold. Row layout: thread t has row t of 128. Quad:
/// the accumulator of a wgmma, 64 rows and pairs of 8 columns.
static LogicalResult verifyShape(Operation *op, Type type) {
  if (auto variable = dyn_cast<VarType>(type))
    return verifyShape(op, variable.getType());
  if (!isFragment(type))
    return success();
  auto tensor = cast<RankedTensorType>(type);
  int64_t rows = isQuad(type) ? 64 : 128, step = isQuad(type) ? 8 : 1;
  bool fits = tensor.hasStaticShape() && tensor.getRank() >= 1 &&
              tensor.getRank() <= 2 && tensor.getDimSize(0) == rows;
  if (fits && tensor.getRank() == 2)
    fits = tensor.getDimSize(1) > 0 && tensor.getDimSize(1) % step == 0;
  if (fits)
    return success();
  InFlightDiagnostic error = op->emitError("F1: ") << type;
  error << " is nothing that a warpgroup holds: " << rows << " rows";
  if (isQuad(type))
    error << ", and columns in steps of " << step;
  return error;
}

static LogicalResult verifyFragments(Operation *op) {
  for (Type type : op->getResultTypes())
    if (failed(verifyShape(op, type)))
      return failure();
  for (Region &region : op->getRegions()) {
    for (Block &block : region)
      for (Type type : block.getArgumentTypes())
        if (failed(verifyShape(op, type)))
          return failure();
  }
  auto constant = dyn_cast<arith::ConstantOp>(op);
  if (constant && isFragment(constant.getType()) &&
      !isa<SplatElementsAttr>(constant.getValue()))
    return op->emitError("F1: a constant fragment has one value for all of its "
                         "elements");
  return success();
}

LogicalResult KernelOp::verifyRegions() {
  auto walks = getBody().getOps<WalkOp>();
  if (!walks.empty() && std::next(walks.begin()) != walks.end())
    return (*std::next(walks.begin()))
        .emitOpError("is the second of its kernel; all roles share one walk");
  WalkResult result = getBody().walk([](Operation *op) {
    return failed(verifyFragments(op)) ? WalkResult::interrupt()
                                       : WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}

LogicalResult TensorOp::verify() {
  for (StringRef role : {"input", "output", "inout", "scratch"}) {
    if (getRole() != role)
      continue;
    Type element = getElement();
    if (!element.isBF16() && !element.isF16() && !element.isF32() &&
        !element.isInteger(32))
      return emitOpError("has elements ")
             << element << ", there are bf16, f16, f32 and i32";
    if (getDims().empty())
      return emitOpError("has no dims");
    return success();
  }
  return emitOpError("is '")
         << getRole() << "', not input, output, inout or scratch";
}

LogicalResult TensorMapOp::verify() {
  auto tensor = getTensor().getDefiningOp<TensorOp>();
  if (getResult().getType().getDialect().getNamespace() != "llvm")
    return emitOpError("is a pointer parameter, not ") << getResult().getType();
  if (getBox().size() != tensor.getDims().size())
    return emitOpError("has a box of ")
           << getBox().size() << " dims for a tensor of "
           << tensor.getDims().size();
  return success();
}

int64_t PipeOp::getEdgeParts(int64_t edge) {
  return getParts() ? (*getParts())[edge] : 1;
}

int64_t PipeOp::getBarrierIndex(int64_t edge, int64_t part) {
  int64_t index = part;
  for (int64_t e = 0; e < edge; ++e)
    index += getEdgeParts(e);
  return index * getInstances() * getDepth();
}

int64_t PipeOp::getNumBarriers() {
  return getBarrierIndex(getEdges().size(), 0);
}

/// M2: an overlay lies in columns that the other pipe has.
static LogicalResult verifyOverlay(PipeOp pipe) {
  auto columns = [](PipeOp p) {
    return p.getSlotType().getColumns() * int64_t(p.getDepth()) *
           int64_t(p.getInstances());
  };
  for (PipeOp other : pipe->getParentOfType<KernelOp>().getOps<PipeOp>()) {
    if (other.getName() != *pipe.getOver() || other.getOver() ||
        other.getSlotType().getMemory() != Memory::tmem)
      continue;
    int64_t at = pipe.getOverColumn(), space = columns(other);
    if (at < 0 || at > space || columns(pipe) > space - at)
      return pipe.emitOpError("M2: ends at column ")
             << at + columns(pipe) << " of the " << space << " of '"
             << *pipe.getOver() << "'";
    return success();
  }
  return pipe.emitOpError("M2: lies over '")
         << *pipe.getOver() << "', which has no columns of its own";
}

LogicalResult PipeOp::verify() {
  constexpr uint64_t most = 1024, mostParts = 32;
  if (getDepth() < 1 || getInstances() < 1 || getDepth() > most ||
      getInstances() > most)
    return emitOpError("R1: needs 1 to ")
           << most << " slots, has depth " << getDepth() << " and "
           << getInstances() << " instances";
  if (getEdges().size() < 2)
    return emitOpError("R1: needs at least 2 edges: one out, one back");
  if (getOver() && failed(verifyOverlay(*this)))
    return failure();
  if (!getParts())
    return success();
  ArrayRef<int64_t> partsOfEdges = *getParts();
  if (partsOfEdges.size() != getEdges().size())
    return emitOpError("R1: has parts for ")
           << partsOfEdges.size() << " of its " << getEdges().size()
           << " edges";
  for (int64_t parts : partsOfEdges)
    if (parts < 1 || uint64_t(parts) > mostParts)
      return emitOpError("R1: hands an edge over in ")
             << parts << " parts; there can be 1 to " << mostParts;
  return success();
}

LogicalResult WalkOp::verifyRegions() {
  Block &block = getBody().front();
  if (block.getNumArguments() != 1 ||
      !block.getArgument(0).getType().isInteger(32))
    return emitOpError("L1: takes the tile's index, one i32");
  if (!isa<YieldOp>(block.getTerminator()))
    return emitOpError("L1: ends with a tile.yield");
  return success();
}

LogicalResult RoleOp::verify() {
  if (getLeader() && !isOfPair(*this))
    return emitOpError("leads, but CTAs aren't paired");
  constexpr int64_t most = 1024; // far more than tile-lower-roles can place
  int64_t copies = getCopies(), warps = getWarps(), registers = getRegisters();
  bool single = warps == 1 && copies == 1;
  if (!single && (warps != 4 || copies < 1 || copies > most))
    return emitOpError("L2: has ")
           << copies << " x " << warps
           << " warps; a role is one warp, or copies of 4 warps";
  if (registers % 8 || registers < fewestRegisters || registers > 256)
    return emitOpError("L3: asks for ")
           << registers
           << " registers; setmaxnreg takes multiples of 8 from 24 to 256";
  return success();
}

/// L1: a role knows its copy and what the walk yields; in a kernel without a
/// walk, a piece of IR in a test, anything.
static LogicalResult verifyArguments(RoleOp role) {
  Block &block = role.getBody().front();
  auto end = dyn_cast<YieldOp>(block.getTerminator());
  if (!end || end.getNumOperands() > 0)
    return role.emitOpError("L1: ends with a tile.yield of nothing");
  if (block.getNumArguments() < 1 ||
      !block.getArgument(0).getType().isInteger(32))
    return role.emitOpError("L1: takes the index of its copy first, an i32");
  for (WalkOp walk : role->getParentOfType<KernelOp>().getOps<WalkOp>()) {
    TypeRange yielded =
        walk.getBody().front().getTerminator()->getOperandTypes();
    if (TypeRange(block.getArgumentTypes()).drop_front() != yielded)
      return role.emitOpError("L1: takes ")
             << block.getNumArguments() - 1
             << " values of the walk, which yields " << yielded.size();
  }
  return success();
}

Operation *RoleOp::firstUseOfThreads() {
  Operation *found = nullptr;
  getBody().walk([&](Operation *op) {
    if (!isa<LoadOp, StoreOp, WarpgroupMmaOp, StoreGlobalOp, LoadGlobalOp,
             AnyOp>(op))
      return WalkResult::advance();
    found = op;
    return WalkResult::interrupt();
  });
  return found;
}

/// L6: fragments take the threads of a warpgroup, copies and MMAs one thread.
static LogicalResult verifyThreads(RoleOp role) {
  Operation *threads = role.firstUseOfThreads();
  if (role.getLeader() && threads)
    return role.emitOpError("leads and works on fragments; the leader's role "
                            "multiplies for both CTAs");
  if (threads && role.getWarps() != 4)
    return threads->emitError("L6: role '")
           << role.getName()
           << "' is one warp; fragments and rows take roles of 4 warps";
  if (!threads && role.getWarps() == 1)
    return success();
  WalkResult result = role.getBody().walk([&](Operation *op) {
    if (!isa<CopyInOp, CopyOutOp, CopyPeerOp, MmaOp>(op))
      return WalkResult::advance();
    InFlightDiagnostic error = op->emitError("L6: role '")
                               << role.getName()
                               << "' has 4 warps, each thread of which would "
                                  "issue this; copies and MMAs belong into a "
                                  "role of one warp";
    if (threads)
      error.attachNote(threads->getLoc()) << "this takes all of its threads";
    return WalkResult::interrupt();
  });
  return failure(result.wasInterrupted());
}

LogicalResult RoleOp::verifyRegions() {
  if (failed(verifyArguments(*this)))
    return failure();
  return verifyThreads(*this);
}
