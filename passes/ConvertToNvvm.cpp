// What is left of the tile dialect has one NVVM spelling each.
#include "passes/FragmentLayout.h"
#include "passes/Stage.h"

using namespace mlir;

namespace tile {
#define GEN_PASS_DEF_CONVERTTONVVM
#include "passes/Passes.h.inc"

namespace {

/// Of a barrier that the peer CTA arrives at, or waits at: the pair's.
NVVM::MemScopeKindAttr scope(Emit e, bool pair) {
  return NVVM::MemScopeKindAttr::get(e.b.getContext(),
                                     pair ? NVVM::MemScopeKind::CLUSTER
                                          : NVVM::MemScopeKind::CTA);
}

/// Spins on try_wait, which suspends the thread for a while by itself.
void wait(Emit e, ir::BarrierWaitOp op) {
  Value barrier = e.pointer(op.getBarrier(), 3);
  auto loop = scf::WhileOp::create(e.b, e.loc, TypeRange(), ValueRange());
  Block *before = e.b.createBlock(&loop.getBefore());
  e.b.setInsertionPointToEnd(before);
  Value done = NVVM::MBarrierTryWaitOp::create(
      e.b, e.loc, e.b.getI1Type(), barrier, op.getParity(), Value(),
      scope(e, op.getPair()), e.b.getBoolAttr(false));
  Value again = arith::XOrIOp::create(
      e.b, e.loc, done, arith::ConstantIntOp::create(e.b, e.loc, 1, 1));
  scf::ConditionOp::create(e.b, e.loc, again, ValueRange());
  Block *after = e.b.createBlock(&loop.getAfter());
  e.b.setInsertionPointToEnd(after);
  scf::YieldOp::create(e.b, e.loc);
}

void arriveOnce(Emit e, Value barrier, bool pair) {
  NVVM::MBarrierArriveOp::create(e.b, e.loc, Type(), barrier, Value(),
                                 scope(e, pair), e.b.getBoolAttr(false));
}

/// The barrier that an arrival is meant for.
Value barrierOf(Emit e, ir::BarrierArriveOp op) {
  StringRef at = op.getAt().value_or("");
  if (at == "leader")
    return e.inCta(op.getBarrier(), e.i32(0));
  return at == "peer" ? e.inPeer(op.getBarrier())
                      : e.pointer(op.getBarrier(), 3);
}

void commit(Emit e, ir::BarrierArriveOp op) {
  Value everyCta;
  if (op.getAt() == "both")
    everyCta = arith::ConstantIntOp::create(e.b, e.loc, 0b11, 16);
  NVVM::Tcgen05CommitOp::create(
      e.b, e.loc, e.pointer(op.getBarrier(), 3), everyCta,
      NVVM::CTAGroupKindAttr::get(e.b.getContext(),
                                  op.getBy() == "mma_pair"
                                      ? NVVM::CTAGroupKind::CTA_2
                                      : NVVM::CTAGroupKind::CTA_1));
}

void arrive(Emit e, ir::BarrierArriveOp op) {
  if (op.getBy() == "mma" || op.getBy() == "mma_pair")
    return commit(e, op);
  bool pair = op.getAt().has_value();
  Value barrier = barrierOf(e, op);
  if (op.getBy() == "tma") {
    NVVM::MBarrierArriveExpectTxOp::create(
        e.b, e.loc, Type(), barrier, e.i32(*op.getBytes()), scope(e, pair),
        e.b.getBoolAttr(false), Value());
  } else if (op.getBy() == "lane") {
    arriveOnce(e, barrier, pair);
  } else {
    if (op.getBy() == "warp")
      NVVM::SyncWarpOp::create(e.b, e.loc, e.i32(-1));
    Value elected =
        NVVM::ElectSyncOp::create(e.b, e.loc, e.b.getI1Type(), Value());
    auto branch = scf::IfOp::create(e.b, e.loc, elected, false);
    e.b.setInsertionPointToStart(branch.thenBlock());
    arriveOnce(e, barrier, pair);
  }
}

void fence(Emit e, ir::FenceOp op) {
  MLIRContext *context = e.b.getContext();
  StringRef kind = op.getKind();
  if (kind == "async_proxy") {
    NVVM::FenceProxyOp::create(
        e.b, e.loc,
        NVVM::ProxyKindAttr::get(context, NVVM::ProxyKind::async_shared),
        NVVM::SharedSpaceAttr::get(context, NVVM::SharedSpace::shared_cta));
  } else if (kind == "tmem_before" || kind == "tmem_after") {
    NVVM::Tcgen05FenceOp::create(
        e.b, e.loc,
        NVVM::Tcgen05FenceKindAttr::get(
            context, kind == "tmem_before"
                         ? NVVM::Tcgen05FenceKind::BEFORE_THREAD_SYNC
                         : NVVM::Tcgen05FenceKind::AFTER_THREAD_SYNC));
  } else if (kind == "tmem_store") {
    NVVM::Tcgen05WaitOp::create(
        e.b, e.loc,
        NVVM::Tcgen05WaitKindAttr::get(context, NVVM::Tcgen05WaitKind::STORE));
  } else {
    NVVM::CpAsyncBulkWaitGroupOp::create(e.b, e.loc, 0, e.b.getUnitAttr());
  }
}

/// Barrier `first` + i joins copy i, which waits, and the copy before it.
void turn(Emit e, ir::TurnOp op) {
  constexpr int64_t threads = 256; // of two warpgroups
  Value index = op.getIndex();
  if (op.getKind() == "wait") {
    NVVM::BarrierOp::create(e.b, e.loc, TypeRange(),
                            e.add(index, op.getFirst()), e.i32(threads), {},
                            Value());
    return;
  }
  Value next = e.add(index, 1);
  Value wrapped = arith::SelectOp::create(
      e.b, e.loc, e.equal(next, op.getCount()), e.i32(0), next);
  NVVM::BarrierArriveOp::create(e.b, e.loc, e.add(wrapped, op.getFirst()),
                                e.i32(threads));
}

/// Address of a counter in global memory.
Value counterAddress(Emit e, Value base, Value index) {
  Value wide = arith::ExtSIOp::create(e.b, e.loc, e.b.getI64Type(), index);
  Value bytes = arith::MulIOp::create(e.b, e.loc, wide, e.i64(4));
  return arith::AddIOp::create(e.b, e.loc, base, bytes);
}

/// Spins on ld.acquire. What the acquire orders are this thread's accesses;
/// the proxy fence adds the TMA copies that it issues from here on.
void wait(Emit e, ir::CounterWaitOp op) {
  Value address = LLVM::IntToPtrOp::create(
      e.b, e.loc, LLVM::LLVMPointerType::get(e.b.getContext(), 1),
      counterAddress(e, op.getBase(), op.getIndex()));
  auto loop = scf::WhileOp::create(e.b, e.loc, TypeRange(), ValueRange());
  OpBuilder::InsertionGuard guard(e.b);
  e.b.createBlock(&loop.getBefore());
  Value now = LLVM::LoadOp::create(
      e.b, e.loc, e.b.getI32Type(), address, /*alignment=*/4,
      /*isVolatile=*/false, /*isNonTemporal=*/false, /*isInvariant=*/false,
      /*isInvariantGroup=*/false, LLVM::AtomicOrdering::acquire, "device");
  Value other = arith::CmpIOp::create(e.b, e.loc, arith::CmpIPredicate::ne, now,
                                      op.getValue());
  scf::ConditionOp::create(e.b, e.loc, other, ValueRange());
  e.b.createBlock(&loop.getAfter());
  scf::YieldOp::create(e.b, e.loc);
  e.b.setInsertionPointAfter(loop);
  NVVM::FenceProxyOp::create(
      e.b, e.loc,
      NVVM::ProxyKindAttr::get(e.b.getContext(), NVVM::ProxyKind::async_global),
      NVVM::SharedSpaceAttr());
}

/// The end of a bulk operation is a fence between the proxies by itself; a
/// group whose sources alone were read may still write. LLVM 22 prints
/// atomicrmw's `release` as a relaxed atom, hence the assembly.
void post(Emit e, ir::CounterPostOp op) {
  NVVM::CpAsyncBulkWaitGroupOp::create(e.b, e.loc, 0, UnitAttr());
  LLVM::InlineAsmOp::create(
      e.b, e.loc, TypeRange(),
      ValueRange{counterAddress(e, op.getBase(), op.getIndex())},
      "red.release.gpu.global.add.u32 [$0], 1;", "l,~{memory}", true, false,
      LLVM::TailCallKind::None, LLVM::AsmDialectAttr(), ArrayAttr());
}

Value approximate(Emit e, StringRef function, Value x) {
  if (function == "tanh") {
    return LLVM::InlineAsmOp::create(
               e.b, e.loc, TypeRange{x.getType()}, ValueRange{x},
               "tanh.approx.f32 $0, $1;", "=f,f", false, false,
               LLVM::TailCallKind::None, LLVM::AsmDialectAttr(), ArrayAttr())
        .getResult(0);
  }
  StringRef name = function == "rcp" ? "llvm.nvvm.rcp.approx.ftz.f"
                                     : "llvm.nvvm.lg2.approx.ftz.f";
  return LLVM::CallIntrinsicOp::create(e.b, e.loc, x.getType(),
                                       e.b.getStringAttr(name), ValueRange{x})
      .getResult(0);
}

Value approximate(Emit e, ir::ApproxOp op) {
  auto type = dyn_cast<VectorType>(op.getValue().getType());
  if (!type)
    return approximate(e, op.getFunction(), op.getValue());
  SmallVector<Value> elements;
  for (int64_t i = 0; i < type.getNumElements(); ++i)
    elements.push_back(
        approximate(e, op.getFunction(), extractElement(e, op.getValue(), i)));
  return vector::FromElementsOp::create(e.b, e.loc, type, elements);
}

struct ConvertToNvvm : impl::ConvertToNvvmBase<ConvertToNvvm> {
  void runOnOperation() override {
    if (failed(expectFunctions(getOperation())))
      return signalPassFailure();
    SmallVector<Operation *> ops;
    getOperation().walk([&](Operation *op) {
      if (isa_and_nonnull<ir::TileDialect>(op->getDialect()))
        ops.push_back(op);
    });
    for (Operation *op : llvm::reverse(ops)) {
      OpBuilder b(op);
      Emit e{b, op->getLoc()};
      if (auto waitOp = dyn_cast<ir::BarrierWaitOp>(op))
        wait(e, waitOp);
      else if (auto arriveOp = dyn_cast<ir::BarrierArriveOp>(op))
        arrive(e, arriveOp);
      else if (auto fenceOp = dyn_cast<ir::FenceOp>(op))
        fence(e, fenceOp);
      else if (auto counterWait = dyn_cast<ir::CounterWaitOp>(op))
        wait(e, counterWait);
      else if (auto counterPost = dyn_cast<ir::CounterPostOp>(op))
        post(e, counterPost);
      else if (auto turnOp = dyn_cast<ir::TurnOp>(op))
        turn(e, turnOp);
      else if (auto rank = dyn_cast<ir::RankOp>(op))
        rank.getResult().replaceAllUsesWith(e.rank());
      else if (auto approx = dyn_cast<ir::ApproxOp>(op))
        approx.getResult().replaceAllUsesWith(approximate(e, approx));
      else if (!op->use_empty() || !isMemoryEffectFree(op)) {
        op->emitError("'") << op->getName() << "' is left after lowering";
        return signalPassFailure();
      }
      op->erase();
    }
  }
};
} // namespace
} // namespace tile
