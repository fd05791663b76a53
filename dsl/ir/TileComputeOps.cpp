// Verifiers of copies, products and fragments.
#include "dsl/ir/Tile.h"
#include "dsl/lang/Limits.h"

using namespace mlir;
using namespace tile::ir;
using tile::ir::detail::verifyWord;

static bool is16Bit(Type type) { return type.isBF16() || type.isF16(); }

static Type elementOf(Type type) {
  if (auto slot = dyn_cast<SlotType>(type))
    return slot.getElement();
  return getElementTypeOrSelf(type);
}

static int64_t bytesOf(Type element) {
  return element.getIntOrFloatBitWidth() / 8;
}

/// A box of the tensor is the slot.
static LogicalResult verifyCopy(Operation *op, Value tensor, SlotType slot,
                                size_t coords, uint64_t rowDim) {
  constexpr int64_t mostRows = 256, mostDims = 5; // of a TMA box
  auto declared = tensor.getDefiningOp<TensorOp>();
  size_t rank = declared.getDims().size();
  if (coords != rank || rank > mostDims)
    return op->emitOpError("gives ")
           << coords << " coordinates for a tensor of rank " << rank
           << ", which may be at most " << mostDims;
  if (slot.getMemory() == Memory::tmem)
    return op->emitOpError("is between global and shared memory, not tensor "
                           "memory");
  if (slot.getElement() != declared.getElement())
    return op->emitOpError("is between a tensor of ")
           << declared.getElement() << " and a slot of " << slot.getElement();
  if (slot.getRows() > mostRows)
    return op->emitOpError("has ")
           << slot.getRows() << " rows; TMA moves at most " << mostRows;
  if (slot.getMemory() == Memory::smem && rowDim + 1 >= rank)
    return op->emitOpError("takes its rows from dim ")
           << int64_t(rowDim) << " of a tensor of rank " << rank
           << "; the last dim gives the columns";
  return success();
}

LogicalResult CopyInOp::verify() {
  return verifyCopy(*this, getTensor(), getSlot().getType(), getCoords().size(),
                    getRowDim());
}

LogicalResult CopyOutOp::verify() {
  return verifyCopy(*this, getTensor(), getSlot().getType(), getCoords().size(),
                    getRowDim());
}

/// tcgen05.mma reads 16-bit operands of one type, a from shared or tensor
/// memory, b from shared memory, and accumulates in tensor memory.
static LogicalResult verifyOperands(MmaOp op, SlotType a, SlotType b,
                                    SlotType d) {
  bool places = a.getMemory() != Memory::rows &&
                b.getMemory() == Memory::smem && d.getMemory() == Memory::tmem;
  bool types = is16Bit(a.getElement()) && a.getElement() == b.getElement() &&
               d.getElement().isF32();
  bool majors = a.getMemory() == Memory::smem || !op.getTransposedA();
  if (places && types && majors)
    return success();
  return op.emitOpError("multiplies ")
         << a << " by " << b << " into " << d
         << "; a and b are both bf16 or both f16, b in shared memory, a there "
            "or, not transposed, in tensor memory, d f32 in tensor memory";
}

LogicalResult MmaOp::verify() {
  SlotType a = getA().getType(), b = getB().getType(), d = getD().getType();
  int64_t m = getTransposedA() ? a.getCols() : a.getRows();
  int64_t ka = getTransposedA() ? a.getRows() : a.getCols();
  int64_t n = getTransposedB() ? b.getCols() : b.getRows();
  int64_t kb = getTransposedB() ? b.getRows() : b.getCols();
  if (failed(verifyOperands(*this, a, b, d)))
    return failure();
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
  if (m != 128 || n % 16 || n > 256)
    return emitOpError("gives ")
           << m << "x" << n << "; M is 128, N at most 256 in steps of 16";
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

/// wgmma reads 16-bit operands of one type, b in shared memory, a there or in
/// registers, and accumulates in registers.
static LogicalResult verifyOperands(WarpgroupMmaOp op) {
  auto isSmem = [](Type type) {
    auto slot = dyn_cast<SlotType>(type);
    return slot && slot.getMemory() == Memory::smem;
  };
  Type a = op.getA().getType(), b = op.getB().getType();
  bool inRegisters = !isa<SlotType>(a);
  Type element = isSmem(b) ? elementOf(b) : Type();
  if (!element || !is16Bit(element) || elementOf(a) != element ||
      (!inRegisters && !isSmem(a)))
    return op.emitOpError("multiplies ")
           << a << " by " << b << "; both are bf16 or both f16, b in shared "
           << "memory, a there or in registers";
  for (Type type : {a, op.getD().getType()})
    if (isFragment(type) && !isQuad(type))
      return op.emitOpError("takes fragments in the quad layout, not ") << type;
  if (op.getC() && op.getC().getType() != op.getD().getType())
    return op.emitOpError("adds ")
           << op.getC().getType() << " to " << op.getD().getType();
  if (inRegisters && (op.getTransposedA() || op.getRowBegin()))
    return op.emitOpError("takes all of a fragment, as it is");
  return success();
}

LogicalResult WarpgroupMmaOp::verify() {
  if (failed(verifyOperands(*this)))
    return failure();
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
  if (int64_t pending = getPending(); pending < 0 || pending > 7)
    return emitOpError("W1: leaves ")
           << pending << " products in flight; wgmma.wait_group takes 0 to 7";
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

/// Columns of a fragment, as an access of a slot sees them.
struct Columns {
  int64_t begin, count;
  bool quad;
};

/// Columns that a slot has, in the steps in which threads can reach them.
static LogicalResult verifyColumns(Operation *op, SlotType slot,
                                   Columns columns, int64_t step) {
  int64_t space =
      slot.getMemory() == Memory::rows ? slot.getRows() : slot.getCols();
  if (columns.begin < 0 || columns.count > space ||
      columns.begin > space - columns.count)
    return op->emitOpError("reaches columns ")
           << columns.begin << " to " << columns.begin + columns.count
           << " of a slot with " << space;
  if (columns.begin % step || columns.count % step)
    return op->emitOpError("reaches columns ")
           << columns.begin << " to " << columns.begin + columns.count
           << " where threads hold " << step << " at a time";
  return success();
}

/// Registers of one tcgen05.ld or st: a power of two; longer ones are several
/// of 32.
static LogicalResult verifyTmem(Operation *op, SlotType slot, Columns columns,
                                bool lastMayBeShort) {
  int64_t perWord = 4 / bytesOf(slot.getElement());
  if (failed(verifyColumns(op, slot, columns, perWord)))
    return failure();
  int64_t words = columns.count / perWord;
  int64_t rest = words > 32 ? words % 32 : words;
  bool fits = rest == 0 ||
              (llvm::isPowerOf2_64(rest) && (lastMayBeShort || words <= 32));
  if (columns.quad || !fits) {
    return op->emitOpError("moves ")
           << words << " registers a thread"
           << (columns.quad ? " in the quad layout" : "")
           << "; tensor memory moves 1, 2, 4, 8, 16 or multiples of 32 in the "
              "row layout";
  }
  return success();
}

/// Values of a row slot: one a thread, in the row layout.
static LogicalResult verifyPerRow(Operation *op, SlotType slot, Type type) {
  auto tensor = cast<RankedTensorType>(type);
  if (slot.getMemory() == Memory::rows && tensor.getElementType().isF32() &&
      !isQuad(type) && tensor.getDimSize(0) == slot.getRows())
    return success();
  return op->emitOpError("moves ") << type << ", but a slot " << slot
                                   << " holds one f32 of each thread's row";
}

static LogicalResult verifyElements(Operation *op, SlotType slot, Type type) {
  if (elementOf(type) == slot.getElement())
    return success();
  return op->emitOpError("moves ")
         << elementOf(type) << " from or to a slot of " << slot.getElement();
}

LogicalResult LoadOp::verify() {
  SlotType slot = getSlot().getType();
  Type type = getResult().getType();
  if (isFragment(type, 1))
    return verifyPerRow(*this, slot, type);
  auto tensor = cast<RankedTensorType>(type);
  if (failed(verifyElements(*this, slot, type)))
    return failure();
  Columns columns{int64_t(getColBegin()), tensor.getDimSize(1), isQuad(type)};
  if (slot.getMemory() == Memory::rows)
    return verifyColumns(*this, slot, columns, columns.quad ? 8 : 4);
  if (tensor.getDimSize(0) != slot.getRows())
    return emitOpError("loads ")
           << tensor.getDimSize(0) << " rows of a slot with " << slot.getRows();
  if (slot.getMemory() == Memory::smem)
    return verifyColumns(*this, slot, columns,
                         columns.quad ? 8 : 16 / bytesOf(slot.getElement()));
  if (!slot.getElement().isF32())
    return emitOpError("loads ")
           << slot.getElement() << " from tensor memory; it takes f32";
  return verifyTmem(*this, slot, columns, /*lastMayBeShort=*/false);
}

LogicalResult StoreOp::verify() {
  SlotType slot = getSlot().getType();
  Type type = getValue().getType();
  if (isFragment(type, 1) && !getRowBegin())
    return verifyPerRow(*this, slot, type);
  auto tensor = cast<RankedTensorType>(type);
  if (tensor.getRank() != 2 || slot.getMemory() == Memory::rows)
    return emitOpError("stores ") << type << " to a slot " << slot;
  if (failed(verifyElements(*this, slot, type)))
    return failure();
  bool part = getRowBegin() && slot.getMemory() == Memory::smem;
  if (part ? tensor.getDimSize(0) > slot.getRows()
           : getRowBegin() || tensor.getDimSize(0) != slot.getRows())
    return emitOpError("stores ")
           << tensor.getDimSize(0) << " rows to a slot with " << slot.getRows();
  Columns columns{int64_t(getColBegin()), tensor.getDimSize(1), isQuad(type)};
  if (slot.getMemory() == Memory::tmem)
    return verifyTmem(*this, slot, columns, /*lastMayBeShort=*/true);
  int64_t bytes = bytesOf(slot.getElement());
  return verifyColumns(*this, slot, columns,
                       columns.quad ? (bytes == 2 ? 16 : 8) : 16 / bytes);
}

LogicalResult SliceOp::verify() {
  auto from = cast<RankedTensorType>(getValue().getType());
  auto to = cast<RankedTensorType>(getResult().getType());
  int64_t begin = getColBegin(), count = to.getDimSize(1);
  if (from.clone({from.getDimSize(0), count}) != to)
    return emitOpError("makes ") << to << " from " << from;
  int64_t step = isQuad(from) ? 8 : 1;
  if (begin < 0 || begin > from.getDimSize(1) - count || begin % step)
    return emitOpError("takes columns ")
           << begin << " to " << begin + count << " of " << from.getDimSize(1)
           << ", which come in steps of " << step;
  return success();
}

LogicalResult BroadcastOp::verify() {
  auto to = cast<RankedTensorType>(getResult().getType());
  Type from = getValue().getType();
  bool fits = elementOf(from) == to.getElementType();
  if (isFragment(from))
    fits &= to.getRank() == 2 && to.clone({to.getDimSize(0)}) == from;
  if (!fits)
    return emitOpError("makes ") << to << " from " << from;
  return success();
}

LogicalResult RowReduceOp::verify() {
  auto value = cast<RankedTensorType>(getValue().getType());
  if (value.clone({value.getDimSize(0)}) != getInit().getType())
    return emitOpError("folds ") << value << " into " << getInit().getType();
  return verifyWord(*this, "kind", getKind(), {"max", "sum"});
}

LogicalResult QuadCombineOp::verify() {
  return verifyWord(*this, "kind", getKind(), {"max", "sum"});
}

LogicalResult ApproxOp::verify() {
  return verifyWord(*this, "function", getFunction(), {"log2", "rcp", "tanh"});
}

/// All operands of a global access are of the same rows.
static LogicalResult verifyRows(Operation *op, Type value, Type index,
                                Type mask) {
  auto like = cast<RankedTensorType>(value);
  for (Type type : {index, mask}) {
    auto rows = cast<RankedTensorType>(type);
    if (rows.clone(like.getElementType()) != like)
      return op->emitOpError("has ") << rows << " beside " << like;
  }
  return success();
}

LogicalResult StoreGlobalOp::verify() {
  return verifyRows(*this, getValue().getType(), getIndex().getType(),
                    getMask().getType());
}

LogicalResult LoadGlobalOp::verify() {
  return verifyRows(*this, getOtherwise().getType(), getIndex().getType(),
                    getMask().getType());
}

LogicalResult TurnOp::verify() {
  constexpr uint64_t barriers = namedBarriersOfCta;
  if (getFirst() < 1 || getCount() < 1 || getFirst() >= barriers ||
      getCount() > barriers - getFirst())
    return emitOpError("L4: takes named barriers from ")
           << int64_t(getFirst()) << " on for " << int64_t(getCount())
           << " copies; a CTA has 1 to " << barriers - 1 << " to give";
  return verifyWord(*this, "kind", getKind(), {"wait", "pass"});
}
