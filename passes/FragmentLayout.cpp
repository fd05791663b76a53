#include "passes/FragmentLayout.h"

using namespace mlir;

namespace tile {

Type threadType(Type type) {
  if (auto variable = dyn_cast<ir::VarType>(type))
    return ir::VarType::get(type.getContext(), threadType(variable.getType()));
  if (!isFragment(type))
    return type;
  auto tensor = cast<RankedTensorType>(type);
  bool perRow = tensor.getRank() == 1;
  if (isQuad(type))
    return VectorType::get({perRow ? 2 : tensor.getShape()[1] / 2},
                           tensor.getElementType());
  if (perRow)
    return tensor.getElementType();
  return VectorType::get({tensor.getShape()[1]}, tensor.getElementType());
}

Value threadInRole(Emit e) {
  Value tid = NVVM::ThreadIdXOp::create(e.b, e.loc, e.b.getI32Type());
  return arith::AndIOp::create(e.b, e.loc, tid, e.i32(127));
}

Value quadRow(Emit e, int64_t half) {
  // 16 (t / 32) + (t % 32) / 4 + 8 half (PTX ISA, wgmma).
  Value t = threadInRole(e);
  auto shifted = [&](Value v, int64_t by) -> Value {
    return arith::ShRUIOp::create(e.b, e.loc, v, e.i32(by));
  };
  Value warp = e.mul(shifted(t, 5), 16);
  Value lane = arith::AndIOp::create(e.b, e.loc, t, e.i32(31));
  return e.add(e.add(warp, shifted(lane, 2)), 8 * half);
}

Value extractSlice(Emit e, Value vector, int64_t begin, int64_t count) {
  auto type = cast<VectorType>(vector.getType());
  if (begin == 0 && count == type.getNumElements())
    return vector;
  return vector::ExtractStridedSliceOp::create(
      e.b, e.loc, vector, ArrayRef<int64_t>{begin}, ArrayRef<int64_t>{count},
      ArrayRef<int64_t>{1});
}

Value extractElement(Emit e, Value vector, int64_t index) {
  return vector::ExtractOp::create(e.b, e.loc, vector,
                                   ArrayRef<int64_t>{index});
}

Value concatenate(Emit e, ArrayRef<Value> pieces) {
  if (pieces.size() == 1)
    return pieces[0];
  int64_t total = 0;
  for (Value piece : pieces)
    total += cast<VectorType>(piece.getType()).getNumElements();
  auto type = cast<VectorType>(pieces[0].getType());
  Value result = LLVM::PoisonOp::create(
      e.b, e.loc, VectorType::get({total}, type.getElementType()));
  int64_t at = 0;
  for (Value piece : pieces) {
    result = vector::InsertStridedSliceOp::create(
        e.b, e.loc, piece, result, ArrayRef<int64_t>{at}, ArrayRef<int64_t>{1});
    at += cast<VectorType>(piece.getType()).getNumElements();
  }
  return result;
}

static Value fold(Emit e, StringRef kind, Value a, Value c) {
  if (kind == "max")
    return arith::MaxNumFOp::create(e.b, e.loc, a, c);
  return arith::AddFOp::create(e.b, e.loc, a, c);
}

/// Sums go in packed pairs (add.f32x2), four chains of them.
static Value sumPairs(Emit e, ArrayRef<Value> elements, Value init) {
  auto pairType = VectorType::get({2}, elements[0].getType());
  auto pair = [&](Value a, Value c) -> Value {
    return vector::FromElementsOp::create(e.b, e.loc, pairType,
                                          ValueRange{a, c});
  };
  SmallVector<Value> chains;
  for (size_t i = 0; i + 1 < elements.size(); i += 2) {
    Value next = pair(elements[i], elements[i + 1]);
    if (chains.size() < 4)
      chains.push_back(next);
    else
      chains[i / 2 % 4] = fold(e, "sum", chains[i / 2 % 4], next);
  }
  Value total = chains[0];
  for (Value chain : ArrayRef(chains).drop_front())
    total = fold(e, "sum", total, chain);
  Value both =
      fold(e, "sum", extractElement(e, total, 0), extractElement(e, total, 1));
  return fold(e, "sum", init, both);
}

Value foldRow(Emit e, StringRef kind, ArrayRef<Value> elements, Value init) {
  if (kind == "sum" && elements.size() % 2 == 0)
    return sumPairs(e, elements, init);
  SmallVector<Value> chains{init};
  for (auto [i, element] : llvm::enumerate(elements)) {
    if (chains.size() < 4)
      chains.push_back(element);
    else
      chains[i % 4] = fold(e, kind, chains[i % 4], element);
  }
  Value total = chains[0];
  for (Value chain : ArrayRef(chains).drop_front())
    total = fold(e, kind, total, chain);
  return total;
}

Value combineQuad(Emit e, StringRef kind, Value value) {
  for (int64_t distance : {1, 2}) {
    Value other = NVVM::ShflOp::create(e.b, e.loc, value.getType(), e.i32(-1),
                                       value, e.i32(distance), e.i32(31),
                                       NVVM::ShflKind::bfly, UnitAttr());
    value = fold(e, kind, value, other);
  }
  return value;
}

} // namespace tile
