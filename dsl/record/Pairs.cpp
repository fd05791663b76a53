// CTAs in pairs, and slots that lie in others.
#include "dsl/lang/KernelBuilder.h"
#include "dsl/record/Recorder.h"

using namespace mlir;

namespace tile {

Int KernelBuilder::pair(Where where) {
  if (rec->op->hasAttr("pair") ||
      !rec->op.getBody().getOps<ir::WalkOp>().empty())
    rec->error(where) << "CTAs are paired once, before the walk";
  rec->op->setAttr("pair", rec->builder.getUnitAttr());
  return Int(rec->wrap(ir::RankOp::create(rec->builder, rec->at(where),
                                          rec->builder.getI32Type())));
}

void KernelBuilder::overlay(const Duplex<Tmem> &inner,
                            const Duplex<Tmem> &outer, int column,
                            Where where) {
  auto pipeOf = [](const Duplex<Tmem> &duplex) {
    return Recorder::unwrap(duplex.raw()).getDefiningOp<ir::PipeOp>();
  };
  ir::PipeOp in = pipeOf(inner), out = pipeOf(outer);
  auto columns = [](ir::PipeOp pipe) {
    return pipe.getSlotType().getColumns() * int64_t(pipe.getInstances());
  };
  if (in == out || out.getOver() || column < 0 ||
      column + columns(in) > columns(out)) {
    rec->error(where) << "'" << in.getName() << "' has " << columns(in)
                      << " columns and can't lie in '" << out.getName()
                      << "', which has " << columns(out)
                      << " of its own, from column " << column << " on";
  }
  in.setOver(out.getName());
  in.setOverColumn(column);
}

} // namespace tile
