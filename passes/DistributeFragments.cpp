// Fragments are tensors with a layout, so elementwise ops apply to them as
// they are: changing the type of every value distributes those. Only ops that
// know rows and columns are rewritten.
#include "passes/FragmentLayout.h"
#include "passes/FragmentMemory.h"
#include "passes/Stage.h"

using namespace mlir;

namespace tile {
#define GEN_PASS_DEF_DISTRIBUTEFRAGMENTS
#include "passes/Passes.h.inc"

namespace {
struct DistributeFragments
    : impl::DistributeFragmentsBase<DistributeFragments> {
  void runOnOperation() override {
    if (failed(expectAddresses(getOperation())))
      return signalPassFailure();
    SmallVector<Operation *> special;
    getOperation().walk([&](Operation *op) {
      if (op->getDialect() == getContext().getLoadedDialect("tile") ||
          isa<arith::ConstantOp>(op))
        special.push_back(op);
    });
    // Rewritten in order, while operands still show their layouts through
    // `layouts`; then every remaining value changes its type.
    getOperation().walk([&](Operation *op) {
      for (Value result : op->getResults())
        remember(result);
      for (Region &region : op->getRegions())
        for (Block &block : region)
          for (Value argument : block.getArguments())
            remember(argument);
    });
    for (auto &[value, type] : layouts)
      value.setType(threadType(type));
    for (Operation *op : special)
      rewrite(op);
  }

private:
  void remember(Value value) {
    auto variable = dyn_cast<ir::VarType>(value.getType());
    if (isFragment(value.getType()) ||
        (variable && isFragment(variable.getType())))
      layouts.push_back({value, value.getType()}),
          original[value] = value.getType();
  }
  Type layoutOf(Value value) const { return original.lookup(value); }

  void rewrite(Operation *op);
  Value broadcast(Emit e, ir::BroadcastOp op);
  Value reduce(Emit e, ir::RowReduceOp op);
  Value combineLanes(Emit e, ir::QuadCombineOp op);
  Value columns(Emit e, ir::ColumnIndexOp op);
  Value rows(Emit e, ir::RowIndexOp op);
  void constant(arith::ConstantOp op);
  void storeGlobal(Emit e, ir::StoreGlobalOp op);
  Value loadGlobal(Emit e, ir::LoadGlobalOp op);
  Value any(Emit e, ir::AnyOp op);

  SmallVector<std::pair<Value, Type>> layouts;
  DenseMap<Value, Type> original;
};
} // namespace

void DistributeFragments::rewrite(Operation *op) {
  OpBuilder b(op);
  Emit e{b, op->getLoc()};
  Value result;
  if (auto constantOp = dyn_cast<arith::ConstantOp>(op))
    return constant(constantOp);
  if (auto load = dyn_cast<ir::LoadOp>(op))
    result = loadSlot(e, load, layoutOf(load.getResult()));
  else if (auto store = dyn_cast<ir::StoreOp>(op))
    storeSlot(e, store, layoutOf(store.getValue()));
  else if (auto slice = dyn_cast<ir::SliceOp>(op)) {
    result = extractSlice(e, slice.getValue(),
                          slice.getColBegin() /
                              (isQuad(layoutOf(slice.getValue())) ? 2 : 1),
                          cast<VectorType>(slice.getType()).getNumElements());
  } else if (auto spread = dyn_cast<ir::BroadcastOp>(op)) {
    result = broadcast(e, spread);
  } else if (auto fold = dyn_cast<ir::RowReduceOp>(op)) {
    result = reduce(e, fold);
  } else if (auto combine = dyn_cast<ir::QuadCombineOp>(op)) {
    result = combineLanes(e, combine);
  } else if (auto column = dyn_cast<ir::ColumnIndexOp>(op)) {
    result = columns(e, column);
  } else if (auto row = dyn_cast<ir::RowIndexOp>(op)) {
    result = rows(e, row);
  } else if (auto anyOp = dyn_cast<ir::AnyOp>(op)) {
    result = any(e, anyOp);
  } else if (auto store = dyn_cast<ir::StoreGlobalOp>(op)) {
    storeGlobal(e, store);
  } else if (auto load = dyn_cast<ir::LoadGlobalOp>(op)) {
    result = loadGlobal(e, load);
  } else {
    return;
  }
  if (result) {
    original[result] = layoutOf(op->getResult(0));
    op->getResult(0).replaceAllUsesWith(result);
  }
  op->erase();
}

void DistributeFragments::constant(arith::ConstantOp op) {
  Type type = op.getResult().getType();
  auto dense = dyn_cast<DenseElementsAttr>(op.getValue());
  if (!dense || op.getValue().getType() == type)
    return;
  if (auto vector = dyn_cast<VectorType>(type))
    op.setValueAttr(
        DenseElementsAttr::get(vector, dense.getSplatValue<Attribute>()));
  else
    op.setValueAttr(cast<TypedAttr>(dense.getSplatValue<Attribute>()));
}

Value DistributeFragments::broadcast(Emit e, ir::BroadcastOp op) {
  Type type = op.getResult().getType();
  Value value = op.getValue();
  auto target = dyn_cast<VectorType>(type);
  if (!target)
    return value;
  if (!isa<VectorType>(value.getType()))
    return vector::BroadcastOp::create(e.b, e.loc, target, value);
  // Quad: element i belongs to row (i / 2) % 2 of the thread's two.
  SmallVector<Value> elements;
  Value rows[2] = {extractElement(e, value, 0), extractElement(e, value, 1)};
  for (int64_t i = 0; i < target.getNumElements(); ++i)
    elements.push_back(rows[i / 2 % 2]);
  return vector::FromElementsOp::create(e.b, e.loc, target, elements);
}

Value DistributeFragments::reduce(Emit e, ir::RowReduceOp op) {
  Value value = op.getValue();
  int64_t count = cast<VectorType>(value.getType()).getNumElements();
  auto fold = [&](Value init, auto keep) {
    SmallVector<Value> elements;
    for (int64_t i = 0; i < count; ++i)
      if (keep(i))
        elements.push_back(extractElement(e, value, i));
    return foldRow(e, op.getKind(), elements, init);
  };
  if (!isQuad(layoutOf(value)))
    return fold(op.getInit(), [](int64_t) { return true; });
  SmallVector<Value> rows;
  for (int64_t half : {0, 1}) {
    Value init = extractElement(e, op.getInit(), half);
    // The four lanes of a row would each add a sum's start.
    bool startsLater = op.getKind() == "sum" && !op.getPartial();
    Value start = init;
    if (startsLater)
      start = arith::ConstantOp::create(e.b, e.loc,
                                        e.b.getFloatAttr(init.getType(), 0));
    Value row = fold(start, [&](int64_t i) { return i / 2 % 2 == half; });
    if (!op.getPartial())
      row = combineQuad(e, op.getKind(), row);
    if (startsLater)
      row = arith::AddFOp::create(e.b, e.loc, init, row);
    rows.push_back(row);
  }
  return vector::FromElementsOp::create(e.b, e.loc, op.getResult().getType(),
                                        rows);
}

/// In the row layout a thread holds its whole row.
Value DistributeFragments::combineLanes(Emit e, ir::QuadCombineOp op) {
  Value value = op.getValue();
  if (!isQuad(layoutOf(value)))
    return value;
  SmallVector<Value> rows;
  for (int64_t half : {0, 1})
    rows.push_back(
        combineQuad(e, op.getKind(), extractElement(e, value, half)));
  return vector::FromElementsOp::create(e.b, e.loc, value.getType(), rows);
}

Value DistributeFragments::columns(Emit e, ir::ColumnIndexOp op) {
  auto type = cast<VectorType>(op.getResult().getType());
  bool quad = isQuad(layoutOf(op.getResult()));
  SmallVector<int32_t> index;
  for (int64_t i = 0; i < type.getNumElements(); ++i)
    index.push_back(quad ? i % 2 + 8 * (i / 4) : i);
  Value fixed = arith::ConstantOp::create(
      e.b, e.loc, DenseElementsAttr::get(type, ArrayRef(index)));
  if (!quad)
    return fixed;
  Value lane = arith::AndIOp::create(e.b, e.loc, threadInRole(e), e.i32(3));
  Value own = vector::BroadcastOp::create(e.b, e.loc, type, e.mul(lane, 2));
  return arith::AddIOp::create(e.b, e.loc, fixed, own);
}

Value DistributeFragments::rows(Emit e, ir::RowIndexOp op) {
  if (!isQuad(layoutOf(op.getResult())))
    return threadInRole(e);
  return vector::FromElementsOp::create(
      e.b, e.loc, op.getResult().getType(),
      ValueRange{quadRow(e, 0), quadRow(e, 1)});
}

Value DistributeFragments::any(Emit e, ir::AnyOp op) {
  Value condition = op.getCondition();
  if (isa<VectorType>(condition.getType()))
    condition =
        arith::OrIOp::create(e.b, e.loc, extractElement(e, condition, 0),
                             extractElement(e, condition, 1));
  return NVVM::VoteSyncOp::create(e.b, e.loc, e.b.getI1Type(), e.i32(-1),
                                  condition, NVVM::VoteSyncKind::any);
}

static Value globalElement(Emit e, Value base, Value index) {
  Value wide = arith::ExtSIOp::create(e.b, e.loc, e.b.getI64Type(), index);
  Value bytes = arith::MulIOp::create(e.b, e.loc, wide, e.i64(4));
  return e.pointer(arith::AddIOp::create(e.b, e.loc, base, bytes), 1);
}

Value DistributeFragments::loadGlobal(Emit e, ir::LoadGlobalOp op) {
  auto loadOne = [&](Value index, Value mask, Value otherwise) -> Value {
    auto branch =
        scf::IfOp::create(e.b, e.loc, otherwise.getType(), mask, true);
    OpBuilder::InsertionGuard guard(e.b);
    e.b.setInsertionPointToStart(branch.thenBlock());
    Value loaded =
        LLVM::LoadOp::create(e.b, e.loc, otherwise.getType(),
                             globalElement(e, op.getBase(), index), 4);
    scf::YieldOp::create(e.b, e.loc, loaded);
    e.b.setInsertionPointToStart(branch.elseBlock());
    scf::YieldOp::create(e.b, e.loc, otherwise);
    return branch.getResult(0);
  };
  if (!isQuad(layoutOf(op.getResult())))
    return loadOne(op.getIndex(), op.getMask(), op.getOtherwise());
  // Each of the four lanes that share a row loads it.
  SmallVector<Value> rows;
  for (int64_t half : {0, 1})
    rows.push_back(loadOne(extractElement(e, op.getIndex(), half),
                           extractElement(e, op.getMask(), half),
                           extractElement(e, op.getOtherwise(), half)));
  return vector::FromElementsOp::create(e.b, e.loc, op.getResult().getType(),
                                        rows);
}

void DistributeFragments::storeGlobal(Emit e, ir::StoreGlobalOp op) {
  auto storeOne = [&](Value value, Value index, Value mask) {
    auto branch = scf::IfOp::create(e.b, e.loc, mask, false);
    OpBuilder::InsertionGuard guard(e.b);
    e.b.setInsertionPointToStart(branch.thenBlock());
    LLVM::StoreOp::create(e.b, e.loc, value,
                          globalElement(e, op.getBase(), index), 4);
  };
  if (!isQuad(layoutOf(op.getValue())))
    return storeOne(op.getValue(), op.getIndex(), op.getMask());
  // One of the four lanes that share a row stores it.
  Value lane = arith::AndIOp::create(e.b, e.loc, threadInRole(e), e.i32(3));
  Value first = e.equal(lane, 0);
  for (int64_t half : {0, 1}) {
    storeOne(extractElement(e, op.getValue(), half),
             extractElement(e, op.getIndex(), half),
             arith::AndIOp::create(e.b, e.loc, first,
                                   extractElement(e, op.getMask(), half)));
  }
}

} // namespace tile
