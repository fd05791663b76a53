// Columns are given out in declaration order. The allocation is the power of
// two above, at least 32.
#include "passes/Emit.h"

using namespace mlir;

namespace tile {
#define GEN_PASS_DEF_ASSIGNTMEM
#include "passes/Passes.h.inc"

namespace {
struct AssignTmem : impl::AssignTmemBase<AssignTmem> {
  void runOnOperation() override {
    int64_t next = 0;
    Builder b(&getContext());
    for (ir::PipeOp pipe : pipesIn(getOperation(), ir::Memory::tmem)) {
      int64_t columns = pipe.getSlotType().getColumns() * pipe.getDepth() *
                        pipe.getInstances();
      pipe.setColumn(next);
      next += columns;
      if (next <= maxTmemColumns)
        continue;
      pipe.emitError("tensor memory overflows: pipe '")
          << pipe.getName() << "' ends at column " << next << " of "
          << maxTmemColumns;
      return signalPassFailure();
    }
    int64_t allocated = next ? 32 : 0;
    while (allocated < next)
      allocated *= 2;
    getOperation()->setAttr("tmem_columns", b.getI64IntegerAttr(allocated));
  }
};
} // namespace
} // namespace tile
