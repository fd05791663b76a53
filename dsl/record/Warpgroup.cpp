// Products with accumulators in registers, and turns.
#include "dsl/record/Recorder.h"

using namespace mlir;

namespace tile {

static Pending startWith(const WarpgroupProduct &p, Value c, Where where) {
  Recorder &recorder = *p.a.recorder;
  Location loc = recorder.at(where);
  Value b = Recorder::unwrap(p.b.slot);
  auto slot = llvm::cast<ir::SlotType>(b.getType());
  int64_t n = p.columns       ? p.columns
              : p.bTransposed ? slot.getRows()
                              : slot.getCols();
  Value row, column;
  if (!p.aInRegisters && !(p.row.isHost() && p.row.hostValue() == 0))
    row = Recorder::unwrap(p.row.staged(recorder));
  if (p.columns)
    column = Recorder::unwrap(p.column.staged(recorder));
  // b is K x N as written; the op's transposedB marks MN-major.
  auto op = ir::WarpgroupMmaOp::create(
      recorder.builder, loc,
      recorder.fragmentType(64, n, recorder.builder.getF32Type()),
      Recorder::unwrap(p.a), b, c, row, column, p.aTransposed, !p.bTransposed);
  return Pending(recorder.wrap(op.getD()));
}

Pending start(const WarpgroupProduct &product, Where where) {
  return startWith(product, Value(), where);
}

Pending start(const WarpgroupProduct &product, Frag c, Where where) {
  return startWith(product, Recorder::unwrap(c.handle), where);
}

Frag await(Pending &&pending, int later, Where where) {
  Recorder &recorder = *pending.raw().recorder;
  Value value = Recorder::unwrap(pending.raw());
  return {recorder.wrap(ir::AwaitOp::create(
      recorder.builder, recorder.at(where), value.getType(), value, later))};
}

void Turn::record(const char *kind, Int copy, Where where) const {
  Location loc = recorder->at(where);
  ir::TurnOp::create(recorder->builder, loc, kind,
                     Recorder::unwrap(copy.staged(*recorder)), first, copies);
}

void Turn::wait(Int copy, Where where) const { record("wait", copy, where); }
void Turn::pass(Int copy, Where where) const { record("pass", copy, where); }

} // namespace tile
