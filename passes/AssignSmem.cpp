// Barriers first, then the tensor-memory address and the ticket, row
// statistics, and the tiles at multiples of 1024 bytes, so that swizzle
// patterns start at 0.
#include "dsl/lang/Limits.h"
#include "passes/Emit.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace tile {
#define GEN_PASS_DEF_ASSIGNSMEM
#include "passes/Passes.h.inc"

namespace {
struct AssignSmem : impl::AssignSmemBase<AssignSmem> {
  void runOnOperation() override {
    ir::KernelOp kernel = getOperation();
    Builder b(&getContext());
    int64_t next = 0;
    for (ir::PipeOp pipe : kernel.getBody().getOps<ir::PipeOp>()) {
      pipe.setBarriers(next);
      next += 8 * pipe.getNumBarriers();
    }
    kernel->setAttr("tmem_slot", b.getI64IntegerAttr(next));
    kernel->setAttr("ticket_slot", b.getI64IntegerAttr(next + 4));
    next += 8;
    place(ir::Memory::rows, 128, next);
    place(ir::Memory::smem, 1024, next);
    kernel->setAttr("smem_bytes", b.getI64IntegerAttr(next));
    if (next > sharedBytesOfCta)
      report(next);
  }

  void place(ir::Memory memory, int64_t alignment, int64_t &next) {
    for (ir::PipeOp pipe : pipesIn(getOperation(), memory)) {
      next = llvm::alignTo(next, alignment);
      pipe.setOffset(next);
      next += bytesOf(pipe);
    }
  }

  static int64_t bytesOf(ir::PipeOp pipe) {
    return pipe.getSlotType().getBytes() * pipe.getDepth() *
           pipe.getInstances();
  }

  void report(int64_t needed) {
    InFlightDiagnostic diagnostic =
        getOperation().emitError("shared memory overflows: needs ")
        << needed << " bytes of " << sharedBytesOfCta;
    for (ir::PipeOp pipe : pipesIn(getOperation(), ir::Memory::smem))
      diagnostic.attachNote(pipe.getLoc())
          << "'" << pipe.getName() << "' takes " << bytesOf(pipe) << " bytes";
    signalPassFailure();
  }
};
} // namespace
} // namespace tile
