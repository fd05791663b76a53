// Columns are given out in declaration order, but for pipes that lie in others.
// The allocation is the power of two above, at least 32.
#include "dsl/lang/Limits.h"
#include "passes/Emit.h"
#include "llvm/ADT/StringMap.h"

using namespace mlir;

namespace tile {
#define GEN_PASS_DEF_ASSIGNTMEM
#include "passes/Passes.h.inc"

namespace {
struct AssignTmem : impl::AssignTmemBase<AssignTmem> {
  void runOnOperation() override {
    int64_t next = 0;
    Builder b(&getContext());
    llvm::StringMap<int64_t> columnOf;
    for (ir::PipeOp pipe : pipesIn(getOperation(), ir::Memory::tmem)) {
      int64_t columns = pipe.getSlotType().getColumns() * pipe.getDepth() *
                        pipe.getInstances();
      if (pipe.getOver())
        continue;
      pipe.setColumn(next);
      columnOf[pipe.getName()] = next;
      next += columns;
      if (next <= tmemColumnsOfSm)
        continue;
      pipe.emitError("tensor memory overflows: pipe '")
          << pipe.getName() << "' ends at column " << next << " of "
          << tmemColumnsOfSm;
      return signalPassFailure();
    }
    for (ir::PipeOp pipe : pipesIn(getOperation(), ir::Memory::tmem))
      if (pipe.getOver())
        pipe.setColumn(columnOf.lookup(*pipe.getOver()) +
                       int64_t(pipe.getOverColumn()));
    int64_t allocated = next ? 32 : 0;
    while (allocated < next)
      allocated *= 2;
    getOperation()->setAttr("tmem_columns", b.getI64IntegerAttr(allocated));
  }
};
} // namespace
} // namespace tile
