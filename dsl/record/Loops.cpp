// Staged control flow.
#include "dsl/record/Recorder.h"

using namespace mlir;

namespace tile {

Range::Iterator &Range::Iterator::operator++() {
  Recorder &recorder = *range->recorder;
  recorder.expectLoops(depth);
  if (loop)
    recorder.builder.setInsertionPointAfter(
        static_cast<Operation *>(const_cast<void *>(loop)));
  loop = nullptr;
  ++at;
  return *this;
}

bool Range::Iterator::operator!=(std::nullptr_t) {
  Recorder &recorder = *range->recorder;
  if (depth == 0)
    depth = recorder.openLoop(range->where);
  if (at == range->pieces.size()) {
    recorder.closeLoop();
    return false;
  }
  const Piece &piece = range->pieces[at];
  Location loc = recorder.at(range->where);
  if (piece.single) {
    step = {piece.begin, piece.id};
    return true;
  }
  auto op = scf::ForOp::create(
      recorder.builder, loc, Recorder::unwrap(piece.begin.staged(recorder)),
      Recorder::unwrap(piece.end.staged(recorder)), recorder.i32(1));
  recorder.builder.setInsertionPointToStart(op.getBody());
  step = {Int(recorder.wrap(op.getInductionVar())), piece.id};
  loop = op.getOperation();
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
  std::size_t depth = recorder.loopDepth();
  body();
  recorder.expectLoops(depth);
}

Bool any(RowOf<bool> condition, Where where) {
  Recorder &recorder = *condition.handle.recorder;
  return Bool(recorder.wrap(ir::AnyOp::create(
      recorder.builder, recorder.at(where), recorder.builder.getI1Type(),
      Recorder::unwrap(condition.handle))));
}

} // namespace tile
