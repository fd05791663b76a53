// Counts, from the recorded ops, what a tile costs: once, and for each step of
// a role's loop. Sibling loops are pieces of one range, so a step costs the
// largest of them.
#include "passes/Stage.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;

namespace tile {
#define GEN_PASS_DEF_COUNTWORK
#include "passes/Passes.h.inc"

namespace {

using Counts = llvm::MapVector<StringRef, int64_t>;

int64_t multiplyFlops(ir::MmaOp op) {
  ir::SlotType d = op.getD().getType();
  return 2 * d.getRows() * d.getCols() * int64_t(op.getKEnd() - op.getKBegin());
}

/// A warpgroup's product has 64 rows.
int64_t multiplyFlops(ir::WarpgroupMmaOp op) {
  auto b = cast<ir::SlotType>(op.getB().getType());
  return 2 * 64 * b.getRows() * b.getCols();
}

int64_t elements(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor && tensor.getRank() == 2 ? tensor.getNumElements() : 0;
}

void count(Operation *op, Counts &counts) {
  if (auto mma = dyn_cast<ir::MmaOp>(op))
    counts["MMA FLOPs"] += multiplyFlops(mma);
  if (auto mma = dyn_cast<ir::WarpgroupMmaOp>(op))
    counts["MMA FLOPs"] += multiplyFlops(mma);
  if (auto copy = dyn_cast<ir::CopyInOp>(op))
    counts["bytes read by TMA"] +=
        cast<ir::SlotType>(copy.getSlot().getType()).getBytes();
  if (auto copy = dyn_cast<ir::CopyOutOp>(op))
    counts["bytes written by TMA"] +=
        cast<ir::SlotType>(copy.getSlot().getType()).getBytes();
  if (auto exp = dyn_cast<ir::Exp2Op>(op))
    if (int64_t n = elements(exp.getType()))
      counts["exponentials"] += n;
}

struct CountWork : impl::CountWorkBase<CountWork> {
  void runOnOperation() override {
    if (failed(expectRecorded(getOperation())))
      return signalPassFailure();
    SmallVector<Attribute> work;
    for (ir::RoleOp role : getOperation().getBody().getOps<ir::RoleOp>())
      countRole(role, work);
    getOperation()->setAttr("work", Builder(&getContext()).getArrayAttr(work));
  }

private:
  void countRole(ir::RoleOp role, SmallVectorImpl<Attribute> &work) {
    Counts once, step;
    for (Operation &op : role.getBody().front()) {
      Counts here;
      op.walk([&](Operation *inner) { count(inner, here); });
      for (auto [what, amount] : here) {
        if (isa<scf::ForOp>(op))
          step[what] = std::max(step[what], amount);
        else
          once[what] += amount;
      }
    }
    Counts all = step;
    for (auto [what, amount] : once)
      all.insert({what, 0});
    Builder b(&getContext());
    for (auto [what, amount] : all) {
      work.push_back(b.getDictionaryAttr(
          {b.getNamedAttr("role", role.getNameAttr()),
           b.getNamedAttr("what", b.getStringAttr(what)),
           b.getNamedAttr("per_tile", number(b, once.lookup(what), role)),
           b.getNamedAttr("per_step", number(b, step.lookup(what), role))}));
    }
  }

  static Attribute number(Builder &b, int64_t amount, ir::RoleOp role) {
    return b.getI64IntegerAttr(amount * int64_t(role.getCopies()));
  }
};
} // namespace
} // namespace tile
