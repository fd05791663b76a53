// An MMA over K elements is a sequence of K / 16 tcgen05.mma. Descriptors and
// the instruction descriptor are built as MatrixDescriptor.h says.
#include "passes/Emit.h"
#include "passes/MatrixDescriptor.h"
#include "passes/Stage.h"

using namespace mlir;

namespace tile {
#define GEN_PASS_DEF_LOWERMMA
#include "passes/Passes.h.inc"

namespace {
constexpr int64_t kStep = 16; // 16-bit elements of one instruction

/// Zero, in a way that ptxas can't see: x & (x + 1) & 1 for the loop's counter
/// or the tile's first coordinate. Added to a descriptor it keeps those of a
/// loop-invariant operand from being hoisted, all at once, into the few
/// registers of an MMA role. The salt differs between MMAs, so that two with
/// the same operand do not share its descriptors for as long as both last.
Value opaqueZero(Emit e, Operation *op, int64_t salt) {
  Value x;
  if (auto loop = op->getParentOfType<scf::ForOp>())
    x = loop.getInductionVar();
  else if (auto role = op->getParentOfType<ir::RoleOp>();
           role && role.getBody().getNumArguments() > 1)
    x = role.getBody().getArgument(1);
  if (!x)
    return e.i32(0);
  return LLVM::InlineAsmOp::create(
             e.b, e.loc, TypeRange{e.b.getI32Type()},
             ValueRange{e.add(x, salt)},
             "{ .reg .b32 t; add.s32 t, $1, 1; and.b32 t, t, $1; "
             "and.b32 $0, t, 1; }",
             "=r,r", false, false, LLVM::TailCallKind::None,
             LLVM::AsmDialectAttr(), ArrayAttr())
      .getResult(0);
}

/// An operand in shared memory or, for A, tensor memory.
struct Operand {
  Emit e;
  Value slot;
  bool mnMajor;
  Value zero;
  std::optional<Descriptor> first = {};

  ir::SlotType type() const { return cast<ir::SlotType>(slot.getType()); }
  bool inTmem() const { return type().getMemory() == ir::Memory::tmem; }
  int64_t majorExtent() const {
    return mnMajor ? type().getCols() : type().getRows();
  }
  /// The operand of the instruction that starts at element k.
  Value at(int64_t k) {
    if (inTmem())
      return e.pointer(e.add(addressOf(slot), k / 2), 6);
    if (!first) {
      first = tcgen05Descriptor(e, addressOf(slot), type(), mnMajor);
      first->low = e.add(first->low, zero);
    }
    return first->at(e, descriptorOffset(type(), mnMajor, k));
  }
};

struct LowerMma : impl::LowerMmaBase<LowerMma> {
  void runOnOperation() override {
    if (failed(expectAddresses(getOperation())))
      return signalPassFailure();
    getOperation().walk([&](ir::MmaOp op) { lower(op); });
  }

  int64_t count = 0;

  void lower(ir::MmaOp op) {
    OpBuilder b(op);
    Emit e{b, op.getLoc()};
    MLIRContext *context = &getContext();
    Value zero = opaqueZero(e, op, count++);
    Operand a{e, op.getA(), op.getTransposedA(), zero};
    Operand bOperand{e, op.getB(), op.getTransposedB(), zero};
    // A pair's instruction counts the rows of a and b in both CTAs.
    int64_t ctas = op.getPair() ? 2 : 1;
    Value idesc = e.i32(instructionDescriptor(
        a.type().getElement().isBF16(), a.mnMajor, bOperand.mnMajor,
        ctas * a.majorExtent(), ctas * bOperand.majorExtent()));
    auto group = NVVM::CTAGroupKindAttr::get(
        context,
        op.getPair() ? NVVM::CTAGroupKind::CTA_2 : NVVM::CTAGroupKind::CTA_1);
    Value accumulator = e.pointer(addressOf(op.getD()), 6);
    Value accumulate = op.getAccumulate();
    for (int64_t k = op.getKBegin(); k < int64_t(op.getKEnd()); k += kStep) {
      NVVM::Tcgen05MMAOp::create(
          b, e.loc,
          NVVM::Tcgen05MMAKindAttr::get(context, NVVM::Tcgen05MMAKind::F16),
          group,
          NVVM::Tcgen05MMACollectorOpAttr::get(
              context, NVVM::Tcgen05MMACollectorOp::DISCARD),
          UnitAttr(), accumulator, a.at(k), bOperand.at(k), idesc, accumulate,
          Value(), Value());
      accumulate = arith::ConstantIntOp::create(b, e.loc, 1, 1);
    }
    op.erase();
  }
};
} // namespace
} // namespace tile
