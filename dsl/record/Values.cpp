// Arithmetic on recorded values.
#include "dsl/record/Recorder.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;

namespace tile {

namespace {
/// Both sides of an elementwise op, broadcast to the larger one's type.
struct Operands {
  Recorder &recorder;
  Value a, b;
};
} // namespace

static int rankOf(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  return type ? type.getRank() : 0;
}

static Value broadcastTo(Recorder &recorder, Value value, Type like) {
  auto target = dyn_cast<RankedTensorType>(like);
  if (!target || rankOf(value) == target.getRank())
    return value;
  auto type = RankedTensorType::get(target.getShape(),
                                    getElementTypeOrSelf(value.getType()),
                                    target.getEncoding());
  return ir::BroadcastOp::create(recorder.builder, recorder.here(), type,
                                 value);
}

/// "128x64 of f32", "128 rows of i32", "i32".
static std::string shapeText(Type type) {
  std::string text;
  llvm::raw_string_ostream out(text);
  if (auto tensor = dyn_cast<RankedTensorType>(type)) {
    llvm::interleave(tensor.getShape(), out, "x");
    out << (tensor.getRank() == 1 ? " rows of " : " of ");
  }
  out << getElementTypeOrSelf(type);
  return text;
}

static Operands together(Handle a, Handle b) {
  Recorder &recorder = *a.recorder;
  Value x = Recorder::unwrap(a), y = Recorder::unwrap(b);
  Type like = rankOf(x) >= rankOf(y) ? x.getType() : y.getType();
  Operands operands{recorder, broadcastTo(recorder, x, like),
                    broadcastTo(recorder, y, like)};
  if (operands.a.getType() != operands.b.getType()) {
    recorder.errorHere() << "combines " << shapeText(x.getType()) << " with "
                         << shapeText(y.getType());
    operands.b = operands.a;
  }
  return operands;
}

Handle detail::everywhere(Handle scalar, Handle like) {
  Recorder &recorder = *like.recorder;
  return recorder.wrap(broadcastTo(recorder, Recorder::unwrap(scalar),
                                   Recorder::unwrap(like).getType()));
}

template <class FloatOp, class IntOp> static Value create(Operands &o) {
  if (isa<FloatType>(getElementTypeOrSelf(o.a.getType())))
    return FloatOp::create(o.recorder.builder, o.recorder.here(), o.a, o.b);
  return IntOp::create(o.recorder.builder, o.recorder.here(), o.a, o.b);
}

Handle detail::arith(Arith op, Handle a, Handle b) {
  using namespace mlir::arith;
  Operands o = together(a, b);
  switch (op) {
  case Arith::add:
    return o.recorder.wrap(create<AddFOp, AddIOp>(o));
  case Arith::sub:
    return o.recorder.wrap(create<SubFOp, SubIOp>(o));
  case Arith::mul:
    return o.recorder.wrap(create<MulFOp, MulIOp>(o));
  case Arith::div:
    return o.recorder.wrap(create<DivFOp, DivSIOp>(o));
  case Arith::rem:
    return o.recorder.wrap(create<RemFOp, RemSIOp>(o));
  case Arith::min:
    return o.recorder.wrap(create<MinNumFOp, MinSIOp>(o));
  case Arith::max:
    return o.recorder.wrap(create<MaxNumFOp, MaxSIOp>(o));
  case Arith::land:
    return o.recorder.wrap(create<AddFOp, AndIOp>(o));
  case Arith::lor:
    return o.recorder.wrap(create<AddFOp, OrIOp>(o));
  }
  llvm_unreachable("all operations handled");
}

Handle detail::compare(Compare op, Handle a, Handle b) {
  using namespace mlir::arith;
  static constexpr CmpFPredicate floats[] = {
      CmpFPredicate::OLT, CmpFPredicate::OLE, CmpFPredicate::OEQ,
      CmpFPredicate::UNE, CmpFPredicate::OGE, CmpFPredicate::OGT};
  static constexpr CmpIPredicate ints[] = {
      CmpIPredicate::slt, CmpIPredicate::sle, CmpIPredicate::eq,
      CmpIPredicate::ne,  CmpIPredicate::sge, CmpIPredicate::sgt};
  Operands o = together(a, b);
  OpBuilder &builder = o.recorder.builder;
  Location loc = o.recorder.here();
  if (isa<FloatType>(getElementTypeOrSelf(o.a.getType())))
    return o.recorder.wrap(
        CmpFOp::create(builder, loc, floats[int(op)], o.a, o.b));
  return o.recorder.wrap(CmpIOp::create(builder, loc, ints[int(op)], o.a, o.b));
}

Handle detail::constantLike(Handle like, double value) {
  Recorder &recorder = *like.recorder;
  Type type = Recorder::unwrap(like).getType();
  Type element = getElementTypeOrSelf(type);
  TypedAttr attr =
      isa<FloatType>(element)
          ? TypedAttr(recorder.builder.getFloatAttr(element, value))
          : TypedAttr(recorder.builder.getIntegerAttr(element, int64_t(value)));
  if (auto shaped = dyn_cast<ShapedType>(type))
    attr = DenseElementsAttr::get(shaped, attr);
  return recorder.wrap(
      arith::ConstantOp::create(recorder.builder, recorder.here(), attr));
}

Handle detail::select(Handle condition, Handle a, Handle b) {
  Operands o = together(a, b);
  return o.recorder.wrap(
      arith::SelectOp::create(o.recorder.builder, o.recorder.here(),
                              Recorder::unwrap(condition), o.a, o.b));
}

Handle detail::fma(Handle a, Handle b, Handle c) {
  Recorder &recorder = *a.recorder;
  Value x = Recorder::unwrap(a);
  Value y = broadcastTo(recorder, Recorder::unwrap(b), x.getType());
  Value z = broadcastTo(recorder, Recorder::unwrap(c), x.getType());
  return recorder.wrap(
      math::FmaOp::create(recorder.builder, recorder.here(), x, y, z));
}

Handle detail::approx(const char *function, Handle x) {
  Recorder &recorder = *x.recorder;
  Value value = Recorder::unwrap(x);
  return recorder.wrap(ir::ApproxOp::create(recorder.builder, recorder.here(),
                                            value.getType(), function, value));
}

Rounded cast(DType type, Frag x, Where where) {
  Recorder &recorder = *x.handle.recorder;
  Value value = Recorder::unwrap(x.handle);
  auto from = cast<RankedTensorType>(value.getType());
  return {recorder.wrap(
      arith::TruncFOp::create(recorder.builder, recorder.at(where),
                              from.clone(recorder.type(type)), value))};
}

Frag exp2(Frag x, Exp2Split split, Where where) {
  Recorder &recorder = *x.handle.recorder;
  Value value = Recorder::unwrap(x.handle);
  return {recorder.wrap(ir::Exp2Op::create(
      recorder.builder, recorder.at(where), value.getType(), value,
      split.degree, split.share, split.period, split.begin, split.end))};
}

Row exp2(Row x, Where where) {
  return {exp2(Frag{x.handle}, {}, where).handle};
}

static Row reduce(const char *kind, Frag x, Row init, bool partial,
                  Where where) {
  Recorder &recorder = *x.handle.recorder;
  Value start = Recorder::unwrap(init.handle);
  return {recorder.wrap(ir::RowReduceOp::create(
      recorder.builder, recorder.at(where), start.getType(), kind,
      Recorder::unwrap(x.handle), start, partial))};
}

Row rowMax(Frag x, Row init, Where where) {
  return reduce("max", x, init, false, where);
}

Row rowSumPartial(Frag x, Row init, Where where) {
  return reduce("sum", x, init, true, where);
}

Row combined(Row partialSum, Where where) {
  Recorder &recorder = *partialSum.handle.recorder;
  Value value = Recorder::unwrap(partialSum.handle);
  return {recorder.wrap(ir::QuadCombineOp::create(
      recorder.builder, recorder.at(where), value.getType(), "sum", value))};
}

FragOf<int> columnIndex(Frag like, Where where) {
  Recorder &recorder = *like.handle.recorder;
  auto type =
      llvm::cast<RankedTensorType>(Recorder::unwrap(like.handle).getType());
  return {recorder.wrap(
      ir::ColumnIndexOp::create(recorder.builder, recorder.at(where),
                                type.clone(recorder.builder.getI32Type())))};
}

RowOf<int> rowIndex(Row like, Where where) {
  Recorder &recorder = *like.handle.recorder;
  auto type =
      llvm::cast<RankedTensorType>(Recorder::unwrap(like.handle).getType());
  return {recorder.wrap(
      ir::RowIndexOp::create(recorder.builder, recorder.at(where),
                             type.clone(recorder.builder.getI32Type())))};
}

Handle detail::declareVariable(Handle init) {
  Recorder &recorder = *init.recorder;
  Value value = Recorder::unwrap(init);
  return recorder.wrap(ir::VarOp::create(
      recorder.builder, recorder.here(),
      ir::VarType::get(recorder.builder.getContext(), value.getType()), value));
}

Handle detail::readVariable(Handle variable) {
  Recorder &recorder = *variable.recorder;
  Value value = Recorder::unwrap(variable);
  return recorder.wrap(ir::GetOp::create(
      recorder.builder, recorder.here(),
      llvm::cast<ir::VarType>(value.getType()).getType(), value));
}

void detail::writeVariable(Handle variable, Handle value) {
  Recorder &recorder = *variable.recorder;
  ir::SetOp::create(recorder.builder, recorder.here(),
                    Recorder::unwrap(variable), Recorder::unwrap(value));
}

} // namespace tile
