// Order between CTAs.
#include "dsl/lang/Counters.h"
#include "dsl/record/Recorder.h"

namespace tile {

void Counters::wait(Int index, Int value, Where where) const {
  Recorder &recorder = *base.recorder;
  mlir::Location loc = recorder.at(where);
  mlir::Value at = Recorder::unwrap(index.staged(recorder));
  ir::CounterWaitOp::create(recorder.builder, loc, Recorder::unwrap(base), at,
                            Recorder::unwrap(value.staged(recorder)));
}

void Counters::post(Int index, Where where) const {
  Recorder &recorder = *base.recorder;
  mlir::Location loc = recorder.at(where);
  ir::CounterPostOp::create(recorder.builder, loc, Recorder::unwrap(base),
                            Recorder::unwrap(index.staged(recorder)));
}

} // namespace tile
