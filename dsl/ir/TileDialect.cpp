// Registration, types and verifiers of the tile dialect.
#include "dsl/ir/Tile.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tile::ir;

#include "dsl/ir/TileDialect.cpp.inc"
#include "dsl/ir/TileEnums.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "dsl/ir/TileAttrs.cpp.inc"

#define GET_TYPEDEF_CLASSES
#include "dsl/ir/TileTypes.cpp.inc"

#define GET_OP_CLASSES
#include "dsl/ir/TileOps.cpp.inc"

void TileDialect::initialize() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "dsl/ir/TileAttrs.cpp.inc"
      >();
  addTypes<
#define GET_TYPEDEF_LIST
#include "dsl/ir/TileTypes.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "dsl/ir/TileOps.cpp.inc"
      >();
}

static int64_t elementBytes(Type type) {
  return type.getIntOrFloatBitWidth() / 8;
}

int64_t SlotType::getBytes() const {
  return getRows() * getCols() * elementBytes(getElement());
}

int64_t SlotType::getColumns() const {
  return getCols() * elementBytes(getElement()) / 4;
}

int64_t SlotType::getPanelCols() const {
  return getSwizzle() ? getSwizzle() / elementBytes(getElement()) : getCols();
}

int64_t SlotType::getPanels() const { return getCols() / getPanelCols(); }

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

LogicalResult PipeOp::verify() {
  if (getDepth() < 1 || getInstances() < 1)
    return emitOpError("needs at least 1 slot, has depth ")
           << getDepth() << " and " << getInstances() << " instances";
  if (getEdges().size() < 2)
    return emitOpError("needs at least 2 edges: one out, one back");
  if (getParts() && getParts()->size() != getEdges().size())
    return emitOpError("has parts for ")
           << getParts()->size() << " of its " << getEdges().size() << " edges";
  SlotType slot = getSlotType();
  if (slot.getSwizzle() && slot.getCols() % slot.getPanelCols())
    return emitOpError("has ")
           << slot.getCols() << " columns, not a multiple of a panel's "
           << slot.getPanelCols();
  return success();
}

LogicalResult AcquireOp::verify() {
  auto pipe = getPipe().getDefiningOp<PipeOp>();
  if (!pipe)
    return emitOpError("needs a pipe of the kernel");
  if (getEdge() >= pipe.getEdges().size())
    return emitOpError("names edge ")
           << getEdge() << " of a pipe with " << pipe.getEdges().size();
  return success();
}

LogicalResult MmaOp::verify() {
  SlotType a = getA().getType(), b = getB().getType(), d = getD().getType();
  int64_t m = getTransposedA() ? a.getCols() : a.getRows();
  int64_t ka = getTransposedA() ? a.getRows() : a.getCols();
  int64_t n = getTransposedB() ? b.getCols() : b.getRows();
  int64_t kb = getTransposedB() ? b.getRows() : b.getCols();
  if (ka != kb)
    return emitOpError("multiplies K = ") << ka << " by K = " << kb;
  if (getPair()) {
    n *= 2; // of both CTAs
    if (m == 64)
      m = 128, n /= 2;
    if (m != 128)
      return emitOpError("multiplies ")
             << m << " rows of each CTA of a pair; there are 64 or 128";
    if (n % 32 || n > 256)
      return emitOpError("writes ")
             << n << " columns; a pair writes up to 256 in steps of 32";
  }
  if (d.getRows() != m || d.getCols() != n)
    return emitOpError("writes ") << m << "x" << n << " to a slot of "
                                  << d.getRows() << "x" << d.getCols();
  if (getKBegin() % 16 || getKEnd() % 16 || getKBegin() >= getKEnd() ||
      (int64_t)getKEnd() > ka)
    return emitOpError("multiplies k ")
           << getKBegin() << " to " << getKEnd()
           << ", not a range of whole 16-steps of " << ka;
  return success();
}

/// Rows and columns of a slot or a fragment.
static std::pair<int64_t, int64_t> shapeOf(Type type) {
  if (auto slot = dyn_cast<SlotType>(type))
    return {slot.getRows(), slot.getCols()};
  auto shaped = cast<ShapedType>(type);
  // A distributed fragment: 64 rows, two of them in each thread.
  if (isa<VectorType>(type))
    return {64, shaped.getNumElements() * 2};
  return {shaped.getDimSize(0), shaped.getDimSize(1)};
}

LogicalResult WarpgroupMmaOp::verify() {
  auto [rows, k] = shapeOf(getA().getType());
  if (getTransposedA())
    std::swap(rows, k);
  auto [bRows, bCols] = shapeOf(getB().getType());
  auto [m, n] = shapeOf(getD().getType());
  int64_t kb = getTransposedB() ? bRows : bCols;
  int64_t nb = getTransposedB() ? bCols : bRows;
  if (k != kb)
    return emitOpError("multiplies K = ") << k << " by K = " << kb;
  bool part = getColBegin() && n <= nb;
  if (m != 64 || (n != nb && !part) || rows < 64)
    return emitOpError("gives ")
           << m << "x" << n << " from " << rows << " rows of a and " << nb
           << " columns of b; a warpgroup gives 64 rows";
  if (k % 16 || n % 8 || n > 256)
    return emitOpError("needs K in steps of 16 and at most 256 columns in "
                       "steps of 8, has K = ")
           << k << " and " << n << " columns";
  // Columns are cut where a panel ends.
  auto wholePanels = [](Type type, int64_t cols) {
    auto slot = dyn_cast<SlotType>(type);
    return slot && slot.getSwizzle() == 128 && cols % slot.getPanelCols() == 0;
  };
  if ((getTransposedA() && !wholePanels(getA().getType(), m)) ||
      (part && getTransposedB() && !wholePanels(getB().getType(), n)))
    return emitOpError("takes columns that aren't whole panels of 128 bytes");
  for (Operation *user : getD().getUsers()) {
    if (!isa<AwaitOp>(user))
      return emitOpError("W1: is used before it is awaited")
                 .attachNote(user->getLoc())
             << "here";
  }
  return success();
}

LogicalResult AwaitOp::verify() {
  if (!isa_and_nonnull<WarpgroupMmaOp>(getValue().getDefiningOp()))
    return emitOpError("W1: awaits what isn't in flight");
  return success();
}

LogicalResult Exp2Op::verify() {
  int64_t degree = getDegree(), share = getShare(), period = getPeriod();
  if (degree < 3 || degree > 5)
    return emitOpError("has a polynomial of degree ")
           << degree << ", there are degrees 3, 4 and 5";
  if (period < 2 || period % 2 || share < 0 || share % 2 || share > period)
    return emitOpError("gives the polynomial ")
           << share << " of " << period
           << " columns; both must be even, the period at least 2";
  return success();
}

/// A lowered kernel has no op of its own any more.
static bool isOfPair(Operation *op) {
  auto kernel = op->getParentOfType<KernelOp>();
  return !kernel || kernel->hasAttr("pair");
}

LogicalResult RankOp::verify() {
  if (!isOfPair(*this))
    return emitOpError("asks for a rank where CTAs aren't paired");
  return success();
}

LogicalResult CopyPeerOp::verify() {
  if (!isOfPair(*this))
    return emitOpError("names a peer where CTAs aren't paired");
  SlotType slot = getSlot().getType();
  int64_t from = getFrom(), count = getCount();
  if (slot.getMemory() != Memory::smem || slot.getPanels() != 1)
    return emitOpError("copies rows of a slot that isn't one panel of shared "
                       "memory");
  // A pattern of 8 rows is copied as it is.
  if (from < 0 || count < 1 || from % 8 || count % 8 ||
      from + count > slot.getRows())
    return emitOpError("copies rows ")
           << from << " to " << from + count << " of a slot with "
           << slot.getRows() << "; whole groups of 8 can be copied";
  return success();
}

LogicalResult RoleOp::verify() {
  if (getLeader() && !isOfPair(*this))
    return emitOpError("leads, but CTAs aren't paired");
  if (getLeader() && !isWithoutFragments())
    return emitOpError("leads and works on fragments; the leader's role "
                       "multiplies for both CTAs");
  bool single = getWarps() == 1 && getCopies() == 1;
  if (!single && getWarps() != 4)
    return emitOpError("has ")
           << getCopies() << " x " << getWarps()
           << " warps; a role is one warp, or copies of 4 warps";
  if (getRegisters() % 8 || getRegisters() < 24 || getRegisters() > 256)
    return emitOpError("asks for ")
           << getRegisters()
           << " registers; setmaxnreg takes multiples of 8 from 24 to 256";
  return success();
}

bool RoleOp::isWithoutFragments() {
  return !getBody()
              .walk([](Operation *op) {
                return isa<LoadOp, StoreOp, WarpgroupMmaOp, StoreGlobalOp,
                           LoadGlobalOp, AnyOp>(op)
                           ? WalkResult::interrupt()
                           : WalkResult::advance();
              })
              .wasInterrupted();
}
