// One function: set up barriers and tensor memory, branch by warp to the
// roles, each walking the tiles, and free what was allocated.
#include "dsl/lang/Limits.h"
#include "mlir/IR/IRMapping.h"
#include "passes/LaunchInfo.h"
#include "passes/Stage.h"

using namespace mlir;

namespace tile {
#define GEN_PASS_DEF_LOWERROLES
#include "passes/Passes.h.inc"

namespace {

constexpr StringRef sharedMemory = "shared_memory";

/// Lowers one kernel. `e` appends to the function.
struct KernelLowering {
  ir::KernelOp kernel;
  const WarpPlan &plan;
  OpBuilder b;
  Emit e;
  IRMapping values;
  Value warp, smemBase, tmemBase;

  KernelLowering(ir::KernelOp kernel, const WarpPlan &plan)
      : kernel(kernel), plan(plan), b(kernel), e{b, kernel.getLoc()} {}

  void run();

private:
  LLVM::LLVMFuncOp createFunction();
  void bindParameters(LLVM::LLVMFuncOp function);
  void cloneShared();
  void setUp();
  void initBarriers();
  void drawTicket();
  void waitForPrevious();
  void dispatch(size_t group);
  void emitGroup(const WarpPlan::Group &group);
  void emitRole(ir::RoleOp role);
  void emitElected(ir::RoleOp role);
  void emitTiles(ir::RoleOp role);
  void emitBody(ir::RoleOp role, Value index, Value copy);
  void passFirstTurns(ir::RoleOp role, Value copy);
  void tearDown();
  int64_t attribute(StringRef name) {
    return kernel->getAttrOfType<IntegerAttr>(name).getInt();
  }
  bool paired() { return kernel->hasAttr("pair"); }
  NVVM::CTAGroupKindAttr ctaGroup() {
    return NVVM::CTAGroupKindAttr::get(b.getContext(),
                                       paired() ? NVVM::CTAGroupKind::CTA_2
                                                : NVVM::CTAGroupKind::CTA_1);
  }
  void syncCtas();
  bool usesTmem() { return attribute("tmem_columns") > 0; }
  ir::WalkOp walk() { return *kernel.getBody().getOps<ir::WalkOp>().begin(); }
  Value loadTicket();
  Value elect() {
    return NVVM::ElectSyncOp::create(b, e.loc, b.getI1Type(), Value());
  }
  void syncWarp() { NVVM::SyncWarpOp::create(b, e.loc, e.i32(-1)); }
  /// Appends `body` under a condition; `otherwise` where it does not hold.
  void when(Value condition, function_ref<void()> body,
            function_ref<void()> otherwise = nullptr);
};

bool isParameter(Operation &op) {
  return isa<ir::TensorMapOp, ir::PointerOp, ir::ScalarOp>(op);
}

} // namespace

void KernelLowering::when(Value condition, function_ref<void()> body,
                          function_ref<void()> otherwise) {
  auto branch = scf::IfOp::create(b, e.loc, condition, bool(otherwise));
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(branch.thenBlock());
  body();
  if (!otherwise)
    return;
  b.setInsertionPointToStart(branch.elseBlock());
  otherwise();
}

LLVM::LLVMFuncOp KernelLowering::createFunction() {
  SmallVector<Type> types;
  for (Operation &op : kernel.getBody().front())
    if (isParameter(op))
      types.push_back(op.getResult(0).getType());
  auto type = LLVM::LLVMFunctionType::get(
      LLVM::LLVMVoidType::get(b.getContext()), types);
  auto function = LLVM::LLVMFuncOp::create(b, e.loc, kernel.getSymName(), type);
  function->setAttr("nvvm.kernel", b.getUnitAttr());
  function->setAttr("nvvm.reqntid",
                    b.getDenseI32ArrayAttr({int32_t(plan.threads), 1, 1}));
  function->setAttr("nvvm.minctasm", b.getI32IntegerAttr(1));
  // Many roles make a switch; compares keep its branches uniform for ptxas,
  // and an indirect branch would cost more than it saves once a launch.
  function.setPassthroughAttr(
      b.getArrayAttr(b.getStrArrayAttr({"no-jump-tables", "true"})));
  if (paired())
    function->setAttr("nvvm.cluster_dim", b.getDenseI32ArrayAttr({2, 1, 1}));
  return function;
}

void KernelLowering::bindParameters(LLVM::LLVMFuncOp function) {
  auto bytes = LLVM::LLVMArrayType::get(b.getI8Type(), 128);
  unsigned index = 0;
  for (Operation &op : kernel.getBody().front()) {
    if (!isParameter(op))
      continue;
    values.map(op.getResult(0), function.getArgument(index));
    if (isa<ir::TensorMapOp>(op)) {
      function.setArgAttr(index, "llvm.byval", TypeAttr::get(bytes));
      function.setArgAttr(index, "llvm.align", b.getI64IntegerAttr(64));
      function.setArgAttr(index, "nvvm.grid_constant", b.getUnitAttr());
    }
    ++index;
  }
}

/// Computations that the walk and the roles share, again in each role: a value
/// from before the branch would occupy a register in every one of them.
void KernelLowering::cloneShared() {
  for (Operation &op : kernel.getBody().front())
    if (!isParameter(op) &&
        !isa<ir::TensorOp, ir::PipeOp, ir::WalkOp, ir::RoleOp, ir::VarOp>(op))
      b.clone(op, values);
}

void KernelLowering::initBarriers() {
  for (ir::PipeOp pipe : kernel.getBody().getOps<ir::PipeOp>()) {
    auto counts = pipe->getAttrOfType<DenseI64ArrayAttr>("counts");
    int64_t slots = pipe.getDepth() * pipe.getInstances();
    for (int64_t edge = 0; edge < counts.size(); ++edge) {
      for (int64_t i = 0; i < pipe.getEdgeParts(edge) * slots; ++i) {
        int64_t at =
            *pipe.getBarriers() + 8 * (pipe.getBarrierIndex(edge, 0) + i);
        NVVM::MBarrierInitOp::create(b, e.loc,
                                     e.pointer(e.add(smemBase, at), 3),
                                     e.i32(counts[edge]), Value());
      }
    }
  }
  NVVM::FenceMbarrierInitOp::create(b, e.loc);
}

/// A barrier of all threads, of both CTAs of a pair.
void KernelLowering::syncCtas() {
  if (!paired()) {
    NVVM::BarrierOp::create(b, e.loc);
    return;
  }
  NVVM::ClusterArriveOp::create(b, e.loc, b.getUnitAttr());
  NVVM::ClusterWaitOp::create(b, e.loc, b.getUnitAttr());
}

void KernelLowering::setUp() {
  Value symbol = LLVM::AddressOfOp::create(
      b, e.loc, LLVM::LLVMPointerType::get(b.getContext(), 3), sharedMemory);
  smemBase = LLVM::PtrToIntOp::create(b, e.loc, b.getI32Type(), symbol);
  Value tid = NVVM::ThreadIdXOp::create(b, e.loc, b.getI32Type());
  Value own = arith::ShRUIOp::create(b, e.loc, tid, e.i32(5));
  // Uniform for ptxas: every lane takes lane 0's value.
  warp =
      NVVM::ShflOp::create(b, e.loc, b.getI32Type(), e.i32(-1), own, e.i32(0),
                           e.i32(31), NVVM::ShflKind::idx, UnitAttr());
  Value slot = e.pointer(e.add(smemBase, attribute("tmem_slot")), 3);
  when(e.equal(warp, 0), [&] {
    if (usesTmem()) {
      NVVM::Tcgen05AllocOp::create(
          b, e.loc, slot, e.i32(attribute("tmem_columns")), ctaGroup());
      NVVM::Tcgen05RelinquishAllocPermitOp::create(b, e.loc, ctaGroup());
    }
    when(elect(), [&] { initBarriers(); });
    syncWarp();
  });
  // The counter is clear from here on: clearing it may be what is waited for.
  if (walk().getTickets()) {
    waitForPrevious();
    drawTicket();
  }
  // tcgen05.alloc is synchronous: no tcgen05.fence around the barrier. A peer
  // may arrive at this CTA's barriers from here on.
  syncCtas();
  if (!usesTmem())
    return;
  // All columns can only start at 0; a constant keeps the addresses of the
  // accumulators out of the MMA role's few registers.
  if (attribute("tmem_columns") == tmemColumnsOfSm)
    tmemBase = e.i32(0);
  else
    tmemBase = LLVM::LoadOp::create(b, e.loc, b.getI32Type(), slot, 4);
}

/// One thread draws, of a pair one of the leader's; the barrier of the setup
/// hands the number to all.
void KernelLowering::drawTicket() {
  Value drawer = e.equal(warp, 0);
  if (paired())
    drawer = arith::AndIOp::create(b, e.loc, drawer, e.equal(e.rank(), 0));
  when(drawer, [&] {
    when(elect(), [&] {
      Value counter = LLVM::IntToPtrOp::create(
          b, e.loc, LLVM::LLVMPointerType::get(b.getContext(), 1),
          values.lookup(walk().getTickets()));
      Value ticket = LLVM::AtomicRMWOp::create(
          b, e.loc, LLVM::AtomicBinOp::add, counter, e.i32(1),
          LLVM::AtomicOrdering::monotonic, "device");
      Value slot = e.pointer(e.add(smemBase, attribute("ticket_slot")), 3);
      LLVM::StoreOp::create(b, e.loc, ticket, slot);
    });
    syncWarp();
  });
}

Value KernelLowering::loadTicket() {
  Value at = e.add(smemBase, attribute("ticket_slot"));
  Value slot = paired() ? e.inCta(at, e.i32(0)) : e.pointer(at, 3);
  return LLVM::LoadOp::create(b, e.loc, b.getI32Type(), slot);
}

/// Every thread waits: what the previous grid wrote is visible to those that
/// waited. The next grid waits for this one's end likewise, so it may start
/// its own setup at once.
void KernelLowering::waitForPrevious() {
  if (!kernel->hasAttr("programmatic_launch"))
    return;
  for (auto kind : {NVVM::GridDepActionKind::wait,
                    NVVM::GridDepActionKind::launch_dependents})
    NVVM::GriddepcontrolOp::create(b, e.loc, kind);
}

/// Branches by warp, in the order of the groups.
void KernelLowering::dispatch(size_t group) {
  const WarpPlan::Group &here = plan.groups[group];
  if (group + 1 == plan.groups.size())
    return emitGroup(here);
  when(
      e.less(warp, here.firstWarp + here.warps), [&] { emitGroup(here); },
      [&] { dispatch(group + 1); });
}

void KernelLowering::emitGroup(const WarpPlan::Group &group) {
  if (plan.reallocates) {
    NVVM::SetMaxRegisterOp::create(b, e.loc, group.registers,
                                   group.registers > plan.launchRegisters
                                       ? NVVM::SetMaxRegisterAction::increase
                                       : NVVM::SetMaxRegisterAction::decrease);
  }
  ir::RoleOp first = group.roles.front();
  if (group.roles.size() == 1 && first.getWarps() % 4 == 0)
    return emitRole(first);
  for (ir::RoleOp role : group.roles) {
    assert(role.getCopies() == 1 && role.getWarps() == 1 &&
           "small roles are single warps");
    when(e.equal(warp, *role.getFirstWarp()), [&] { emitRole(role); });
  }
}

void KernelLowering::emitRole(ir::RoleOp role) {
  if (role.getLeader())
    return when(e.equal(e.rank(), 0), [&] { emitElected(role); });
  emitElected(role);
}

void KernelLowering::emitElected(ir::RoleOp role) {
  if (!role.getElected())
    return emitTiles(role);
  when(elect(), [&] { emitTiles(role); });
  syncWarp();
}

/// The last copy passes each turn to copy 0, once.
void KernelLowering::passFirstTurns(ir::RoleOp role, Value copy) {
  llvm::SmallDenseMap<int64_t, int64_t> turns;
  role.getBody().walk(
      [&](ir::TurnOp op) { turns[op.getFirst()] = op.getCount(); });
  for (auto [first, count] : turns)
    when(e.equal(copy, count - 1), [&] {
      ir::TurnOp::create(b, e.loc, "pass", e.i32(count - 1), first, count);
    });
}

void KernelLowering::emitTiles(ir::RoleOp role) {
  Type i32 = b.getI32Type();
  cloneShared();
  // Variables that outlive a tile stand before the role in the kernel.
  for (ir::VarOp variable : kernel.getBody().getOps<ir::VarOp>()) {
    if (llvm::any_of(variable->getUsers(), [&](Operation *user) {
          return role->isProperAncestor(user);
        }))
      b.clone(*variable, values);
  }
  Value copy = e.i32(0);
  if (role.getCopies() > 1)
    copy = arith::DivUIOp::create(b, e.loc,
                                  e.add(warp, -int64_t(*role.getFirstWarp())),
                                  e.i32(role.getWarps()));
  passFirstTurns(role, copy);
  // As many CTAs as tickets: one tile, no loop.
  if (walk().getTickets())
    return emitBody(role, loadTicket(), copy);
  Value first = NVVM::BlockIdXOp::create(b, e.loc, i32);
  Value step = NVVM::GridDimXOp::create(b, e.loc, i32);
  if (paired()) { // tiles are the pair's
    first = arith::ShRUIOp::create(b, e.loc, first, e.i32(1));
    step = arith::ShRUIOp::create(b, e.loc, step, e.i32(1));
  }
  auto loop = scf::ForOp::create(b, e.loc, first,
                                 values.lookup(walk().getCount()), step);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  emitBody(role, loop.getInductionVar(), copy);
}

/// What the role does for the tile at `index`.
void KernelLowering::emitBody(ir::RoleOp role, Value index, Value copy) {
  Block &walkBody = walk().getBody().front();
  values.map(walkBody.getArgument(0), index);
  for (Operation &op : walkBody.without_terminator())
    b.clone(op, values);
  Block &body = role.getBody().front();
  values.map(body.getArgument(0), copy);
  for (auto [argument, coord] :
       llvm::zip(body.getArguments().drop_front(),
                 walkBody.getTerminator()->getOperands()))
    values.map(argument, values.lookupOrDefault(coord));
  for (Operation &op : body.without_terminator())
    b.clone(op, values);
}

void KernelLowering::tearDown() {
  // A CTA stays until its peer is done with its memory, too.
  if (usesTmem() || paired())
    syncCtas();
  if (usesTmem()) {
    // Every role has waited for its accesses, and dealloc is synchronous.
    // The thread's index is read again: `warp` would stay in a register
    // throughout every role.
    Value tid =
        LLVM::InlineAsmOp::create(b, e.loc, TypeRange{b.getI32Type()},
                                  ValueRange(), "mov.u32 $0, %tid.x;", "=r",
                                  true, false, LLVM::TailCallKind::None,
                                  LLVM::AsmDialectAttr(), ArrayAttr())
            .getResult(0);
    when(e.less(tid, 32), [&] {
      NVVM::Tcgen05DeallocOp::create(b, e.loc, e.pointer(tmemBase, 6),
                                     e.i32(attribute("tmem_columns")),
                                     ctaGroup());
    });
  }
  LLVM::ReturnOp::create(b, e.loc, ValueRange());
}

void KernelLowering::run() {
  LLVM::LLVMFuncOp function = createFunction();
  b.setInsertionPointToEnd(function.addEntryBlock(b));
  bindParameters(function);
  setUp();
  if (!walk().getTickets())
    waitForPrevious();
  dispatch(0);
  tearDown();
  function.walk([&](Operation *op) {
    if (isa<ir::SmemBaseOp>(op))
      op->getResult(0).replaceAllUsesWith(smemBase);
    else if (isa<ir::TmemBaseOp>(op))
      op->getResult(0).replaceAllUsesWith(tmemBase);
    else
      return;
    op->erase();
  });
}

namespace {
struct LowerRoles : impl::LowerRolesBase<LowerRoles> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    for (ir::KernelOp kernel : module.getOps<ir::KernelOp>())
      if (failed(expectLowered(kernel)))
        return signalPassFailure();
    OpBuilder b(module.getBodyRegion());
    auto bytes = LLVM::LLVMArrayType::get(b.getI8Type(), 0);
    LLVM::GlobalOp::create(b, module.getLoc(), bytes, false,
                           LLVM::Linkage::External, sharedMemory, Attribute(),
                           1024, 3);
    for (ir::KernelOp kernel :
         llvm::make_early_inc_range(module.getOps<ir::KernelOp>())) {
      if (!kernel.getInfo().getAs<StringAttr>("op") ||
          !kernel.getInfo().getAs<DictionaryAttr>("key")) {
        kernel.emitError("needs `op` and `key` in its info, for the manifest");
        return signalPassFailure();
      }
      FailureOr<WarpPlan> plan = planWarps(kernel);
      if (failed(plan))
        return signalPassFailure();
      module->setAttr("tile.launch", describeLaunch(kernel, *plan));
      KernelLowering(kernel, *plan).run();
      kernel.erase();
    }
  }
};
} // namespace
} // namespace tile
