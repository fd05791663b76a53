// Registration and types of the tile dialect.
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

/// What each memory can hold (M1, M2).
static LogicalResult verifyMemory(function_ref<InFlightDiagnostic()> emitError,
                                  Memory memory, int64_t rows, int64_t cols,
                                  Type element, int64_t swizzle) {
  constexpr int64_t lanes = 128; // of tensor memory
  int64_t bytes = cols * elementBytes(element);
  switch (memory) {
  case Memory::smem:
    if ((swizzle != 32 && swizzle != 64 && swizzle != 128) || bytes % swizzle) {
      return emitError() << "M1: a row of " << bytes
                         << " bytes in shared memory needs a swizzle of 32, 64 "
                            "or 128 bytes that divides it, not "
                         << swizzle;
    }
    if (rows % 8)
      return emitError() << "M1: " << rows
                         << " rows in shared memory are not a multiple of the "
                            "8 of a swizzle pattern";
    return success();
  case Memory::tmem:
    if (rows != lanes || bytes % 4 || swizzle)
      return emitError() << "M2: " << rows << " rows of " << bytes
                         << " bytes don't fit tensor memory, which has "
                         << lanes << " lanes and columns of 4 bytes";
    return success();
  case Memory::rows:
    if (cols != 1 || !element.isF32() || swizzle)
      return emitError() << "M1: row statistics are one unswizzled f32 a row";
    return success();
  }
  llvm_unreachable("all memories handled");
}

LogicalResult SlotType::verify(function_ref<InFlightDiagnostic()> emitError,
                               Memory memory, int64_t rows, int64_t cols,
                               Type element, int64_t swizzle) {
  constexpr int64_t most = 1 << 16;
  if (rows < 1 || cols < 1 || rows > most || cols > most)
    return emitError() << "M1: a slot of " << rows << " x " << cols
                       << " elements; each must be from 1 to " << most;
  if (!element.isBF16() && !element.isF16() && !element.isF32() &&
      !element.isInteger(32))
    return emitError() << "M1: a slot has elements bf16, f16, f32 or i32, not "
                       << element;
  return verifyMemory(emitError, memory, rows, cols, element, swizzle);
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

bool tile::ir::isFragment(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor &&
         isa_and_nonnull<RowLayoutAttr, QuadLayoutAttr>(tensor.getEncoding());
}

bool tile::ir::isFragment(Type type, int64_t rank) {
  return isFragment(type) && cast<RankedTensorType>(type).getRank() == rank;
}

bool tile::ir::isQuad(Type type) {
  return isa<QuadLayoutAttr>(cast<RankedTensorType>(type).getEncoding());
}

bool tile::ir::isVector(Type type) {
  auto vector = dyn_cast<VectorType>(type);
  return vector && vector.getRank() == 1 && !vector.isScalable();
}

Operation *tile::ir::rootOf(Value slot) {
  while (auto view = slot.getDefiningOp<ViewOp>())
    slot = view.getSlot();
  return slot.getDefiningOp();
}

LogicalResult tile::ir::detail::verifyHandles(Operation *op) {
  for (Value operand : op->getOperands()) {
    Operation *maker = operand.getDefiningOp();
    bool known =
        TypeSwitch<Type, bool>(operand.getType())
            .Case([&](SlotType) {
              return isa_and_nonnull<AcquireOp, HoldOp, ViewOp, SlotAtOp>(
                  maker);
            })
            .Case([&](PipeType) { return isa_and_nonnull<PipeOp>(maker); })
            .Case([&](TensorType) { return isa_and_nonnull<TensorOp>(maker); })
            .Case([&](VarType) { return isa_and_nonnull<VarOp>(maker); })
            .Default(true);
    if (!known)
      return op->emitOpError("takes a ")
             << operand.getType()
             << " that no op of the dialect has made for it";
  }
  return success();
}

LogicalResult tile::ir::detail::verifyInRole(Operation *op) {
  if (op->getParentOfType<RoleOp>())
    return success();
  return op->emitOpError("stands outside of a role");
}

LogicalResult tile::ir::detail::verifyWord(Operation *op, StringRef what,
                                           StringRef text,
                                           ArrayRef<StringRef> known) {
  if (llvm::is_contained(known, text))
    return success();
  InFlightDiagnostic error = op->emitOpError("has the ")
                             << what << " '" << text << "', there are ";
  llvm::interleaveComma(known, error);
  return error;
}
