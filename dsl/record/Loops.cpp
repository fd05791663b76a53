// Staged control flow.
#include "dsl/record/Recorder.h"

using namespace mlir;

namespace tile {

Range::Iterator &Range::Iterator::operator++() {
  OpBuilder &builder = range->recorder->builder;
  if (open) {
    auto loop =
        llvm::cast<scf::ForOp>(builder.getInsertionBlock()->getParentOp());
    builder.setInsertionPointAfter(loop);
  }
  open = false;
  ++at;
  return *this;
}

bool Range::Iterator::operator!=(std::nullptr_t) {
  if (at == range->pieces.size())
    return false;
  const Piece &piece = range->pieces[at];
  Recorder &recorder = *range->recorder;
  Location loc = recorder.at(range->where);
  if (piece.single) {
    step = {piece.begin, piece.id};
    return true;
  }
  auto loop = scf::ForOp::create(
      recorder.builder, loc, Recorder::unwrap(piece.begin.staged(recorder)),
      Recorder::unwrap(piece.end.staged(recorder)), recorder.i32(1));
  recorder.builder.setInsertionPointToStart(loop.getBody());
  step = {Int(recorder.wrap(loop.getInductionVar())), piece.id};
  open = true;
  return true;
}

void when(Bool condition, const std::function<void()> &body, Where where) {
  if (condition.isHost()) {
    if (condition.hostValue())
      body();
    return;
  }
  Handle handle = condition.stagedOrEmpty();
  Recorder &recorder = *handle.recorder;
  auto branch = scf::IfOp::create(recorder.builder, recorder.at(where),
                                  Recorder::unwrap(handle), false);
  OpBuilder::InsertionGuard guard(recorder.builder);
  recorder.builder.setInsertionPointToStart(branch.thenBlock());
  body();
}

Bool any(RowOf<bool> condition, Where where) {
  Recorder &recorder = *condition.handle.recorder;
  return Bool(recorder.wrap(ir::AnyOp::create(
      recorder.builder, recorder.at(where), recorder.builder.getI1Type(),
      Recorder::unwrap(condition.handle))));
}

} // namespace tile
