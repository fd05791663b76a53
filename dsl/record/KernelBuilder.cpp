#include "dsl/lang/KernelBuilder.h"
#include "dsl/record/Finish.h"
#include "dsl/record/Recorder.h"
#include "mlir/IR/Verifier.h"

using namespace mlir;

namespace tile {

std::string_view name(Arch arch) {
  return arch == Arch::sm_90a ? "sm_90a" : "sm_100a";
}

std::string_view name(DType type) {
  constexpr std::string_view names[] = {"bf16", "f16", "f32", "i32"};
  return names[static_cast<int>(type)];
}

int Request::get(const std::string &flag, int fallback) const {
  auto found = schedule.find(flag);
  return found == schedule.end() ? fallback : found->second;
}

Kernel::Kernel(std::unique_ptr<Impl> impl) : pimpl(std::move(impl)) {}
Kernel::Kernel(Kernel &&) noexcept = default;
Kernel &Kernel::operator=(Kernel &&) noexcept = default;
Kernel::~Kernel() = default;

KernelBuilder::KernelBuilder(const KernelInfo &info, Where where)
    : rec(std::make_unique<Recorder>(info, where)) {}
KernelBuilder::~KernelBuilder() = default;

static ArrayAttr strings(OpBuilder &b, const std::vector<std::string> &values) {
  SmallVector<StringRef> refs(values.begin(), values.end());
  return b.getStrArrayAttr(refs);
}

Tensor KernelBuilder::tensor(const std::string &name, const char *role,
                             DType type, const std::vector<std::string> &dims,
                             int rowDim, Where where) {
  OpBuilder &b = rec->builder;
  auto op = ir::TensorOp::create(b, rec->at(where),
                                 ir::TensorType::get(b.getContext()), name,
                                 role, rec->type(type), strings(b, dims));
  return Tensor(rec->wrap(op.getResult()), dims.size(), rowDim);
}

Tensor KernelBuilder::input(const std::string &name, DType type,
                            const std::vector<std::string> &dims, int rowDim,
                            Where where) {
  return tensor(name, "input", type, dims, rowDim, where);
}

Tensor KernelBuilder::output(const std::string &name, DType type,
                             const std::vector<std::string> &dims, int rowDim,
                             Where where) {
  return tensor(name, "output", type, dims, rowDim, where);
}

Tensor KernelBuilder::inout(const std::string &name, DType type,
                            const std::vector<std::string> &dims, int rowDim,
                            Where where) {
  return tensor(name, "inout", type, dims, rowDim, where);
}

RowTensor KernelBuilder::rowTensor(const std::string &name, const char *role,
                                   const std::vector<std::string> &dims,
                                   Where where) {
  Tensor result = tensor(name, role, DType::f32, dims, 0, where);
  OpBuilder &b = rec->builder;
  return RowTensor(rec->wrap(ir::PointerOp::create(
      b, rec->here(), b.getI64Type(), Recorder::unwrap(result.raw()))));
}

RowTensor KernelBuilder::rowInput(const std::string &name,
                                  const std::vector<std::string> &dims,
                                  Where where) {
  return rowTensor(name, "input", dims, where);
}

RowTensor KernelBuilder::rowOutput(const std::string &name,
                                   const std::vector<std::string> &dims,
                                   Where where) {
  return rowTensor(name, "output", dims, where);
}

/// The address of a tensor that is all zeros when the kernel starts.
Handle KernelBuilder::cleared(const std::string &name,
                              const std::vector<std::string> &dims,
                              Where where) {
  Tensor result = tensor(name, "scratch", DType::i32, dims, 0, where);
  OpBuilder &b = rec->builder;
  Value value = Recorder::unwrap(result.raw());
  value.getDefiningOp<ir::TensorOp>().setZeroed(true);
  return rec->wrap(
      ir::PointerOp::create(b, rec->here(), b.getI64Type(), value));
}

Counters KernelBuilder::counters(const std::string &name,
                                 const std::vector<std::string> &dims,
                                 Where where) {
  return Counters(cleared(name, dims, where));
}

Int KernelBuilder::size(const std::string &expression, Where where) {
  OpBuilder &b = rec->builder;
  return Int(rec->wrap(
      ir::ScalarOp::create(b, rec->at(where), b.getI32Type(), expression)));
}

Scalar KernelBuilder::scalar(const std::string &expression, Where where) {
  OpBuilder &b = rec->builder;
  return {rec->wrap(
      ir::ScalarOp::create(b, rec->at(where), b.getF32Type(), expression))};
}

Row KernelBuilder::rowConstant(double value, int rows) {
  OpBuilder &b = rec->builder;
  auto type = rec->fragmentType(rows, 0, b.getF32Type());
  return {rec->wrap(arith::ConstantOp::create(
      b, rec->here(), DenseElementsAttr::get(type, b.getF32FloatAttr(value))))};
}

Frag KernelBuilder::constant(double value, int rows, int cols) {
  OpBuilder &b = rec->builder;
  auto type = rec->fragmentType(rows, cols, b.getF32Type());
  return {rec->wrap(arith::ConstantOp::create(
      b, rec->here(), DenseElementsAttr::get(type, b.getF32FloatAttr(value))))};
}

Turn KernelBuilder::turn(int copies, Where where) {
  int first = namedBarriers;
  namedBarriers += copies;
  if (namedBarriers > namedBarriersOfCta)
    rec->error(where) << "needs " << namedBarriers << " of the "
                      << namedBarriersOfCta << " named barriers of a CTA";
  return Turn(rec.get(), first, copies);
}

Handle KernelBuilder::declarePipe(const std::string &name, SlotSpec spec,
                                  int depth, int copies,
                                  const std::vector<std::string> &edges,
                                  std::vector<int> parts, Where where) {
  if (depth < 1 || copies < 1)
    rec->error(where) << "pipe '" << name << "' has depth " << depth << " and "
                      << copies << " copies; each must be at least 1";
  OpBuilder &b = rec->builder;
  auto type = ir::PipeType::get(b.getContext(), rec->slotType(spec, where));
  DenseI64ArrayAttr partsAttr;
  if (!parts.empty())
    partsAttr = b.getDenseI64ArrayAttr(
        SmallVector<int64_t>(parts.begin(), parts.end()));
  auto op = ir::PipeOp::create(b, rec->at(where), type, b.getStringAttr(name),
                               b.getI64IntegerAttr(std::max(depth, 1)),
                               b.getI64IntegerAttr(std::max(copies, 1)),
                               strings(b, edges), partsAttr, IntegerAttr(),
                               IntegerAttr(), IntegerAttr(), StringAttr());
  return rec->wrap(op.getResult());
}

Ring<Smem> KernelBuilder::ring(const std::string &name, SlotSpec spec,
                               int depth, int copies, Where where) {
  return Ring<Smem>(
      declarePipe(name, spec, depth, copies, {"full", "empty"}, {}, where),
      spec);
}

Ring<Rows> KernelBuilder::rowRing(const std::string &name, int count, int depth,
                                  int copies, Where where) {
  SlotSpec spec = rows(count);
  return Ring<Rows>(
      declarePipe(name, spec, depth, copies, {"full", "empty"}, {}, where),
      spec);
}

Duplex<Tmem> KernelBuilder::duplex(const std::string &name, SlotSpec out,
                                   SlotSpec back, int copies,
                                   const std::vector<int> &chunks,
                                   Where where) {
  std::vector<int> parts;
  if (chunks.size() > 1)
    parts = {1, int(chunks.size())};
  return Duplex<Tmem>(
      declarePipe(name, out, 1, copies, {"out", "back"}, parts, where), out,
      back);
}

Cycle<Smem> KernelBuilder::smemCycle(const std::string &name, SlotSpec spec,
                                     const std::vector<std::string> &handOvers,
                                     int depth, Where where) {
  return Cycle<Smem>(declarePipe(name, spec, depth, 1, handOvers, {}, where),
                     spec, handOvers.size());
}

Cycle<Tmem> KernelBuilder::tmemCycle(const std::string &name, SlotSpec spec,
                                     const std::vector<std::string> &handOvers,
                                     Where where) {
  return Cycle<Tmem>(declarePipe(name, spec, 1, 1, handOvers, {}, where), spec,
                     handOvers.size());
}

void KernelBuilder::walk(
    const std::string &grid, Int count,
    const std::function<std::vector<Int>(Int index)> &coords, Where where) {
  recordWalk(grid, count, Handle(), coords, where);
}

void KernelBuilder::walkByTicket(
    const std::string &tiles,
    const std::function<std::vector<Int>(Int index)> &coords, Where where) {
  Handle tickets = cleared("tickets", {"1"}, where);
  recordWalk(tiles, size(tiles, where), tickets, coords, where);
}

void KernelBuilder::recordWalk(
    const std::string &grid, Int count, Handle tickets,
    const std::function<std::vector<Int>(Int index)> &coords, Where where) {
  OpBuilder &b = rec->builder;
  if (!rec->op.getBody().getOps<ir::WalkOp>().empty())
    rec->error(where) << "a kernel has one walk; this is the second";
  Value total = Recorder::unwrap(count.staged(*rec));
  auto op = ir::WalkOp::create(b, rec->at(where), total, grid,
                               tickets ? Recorder::unwrap(tickets) : Value());
  OpBuilder::InsertionGuard guard(b);
  Block &block = op.getBody().emplaceBlock();
  Value index = block.addArgument(b.getI32Type(), rec->here());
  b.setInsertionPointToEnd(&block);
  SmallVector<Value> values;
  for (Int value : coords(Int(rec->wrap(index))))
    values.push_back(Recorder::unwrap(value.staged(*rec)));
  ir::YieldOp::create(b, rec->at(where), values);
}

void KernelBuilder::role(const std::string &name, RoleSpec spec,
                         const Body &body, Where where) {
  OpBuilder &b = rec->builder;
  auto walks = rec->op.getBody().getOps<ir::WalkOp>();
  if (walks.empty()) {
    rec->error(where) << "role '" << name
                      << "' comes before the walk; declare the walk first";
    return;
  }
  Location loc = rec->at(where);
  auto op = ir::RoleOp::create(b, loc, name, spec.warps, spec.registers,
                               spec.copies, IntegerAttr());
  op.setLeader(spec.leader);
  OpBuilder::InsertionGuard guard(b);
  Block &block = op.getBody().emplaceBlock();
  b.setInsertionPointToEnd(&block);
  Int copy(rec->wrap(block.addArgument(b.getI32Type(), loc)));
  std::vector<Int> coords;
  Operation *yield = (*walks.begin()).getBody().front().getTerminator();
  for (Value value : yield->getOperands())
    coords.push_back(Int(rec->wrap(block.addArgument(value.getType(), loc))));
  body(spec.copies > 1 ? copy : Int(0), coords);
  rec->expectLoops(0);
  b.setInsertionPointToEnd(&block);
  ir::YieldOp::create(b, rec->at(where));
}

void KernelBuilder::overlapLaunch() {
  rec->op->setAttr("programmatic_launch", rec->builder.getUnitAttr());
}

Range KernelBuilder::loop(Int begin, Int end, Where where) {
  return pieces({{begin, end}}, where);
}

Range KernelBuilder::pieces(std::vector<Range::Piece> pieces, Where where) {
  return Range(*rec, std::move(pieces), where);
}

Kernel KernelBuilder::build() {
  for (const char *missing : {"walk", "role"}) {
    bool found = llvm::any_of(rec->op.getBody().front(), [&](Operation &op) {
      return op.getName().stripDialect() == missing;
    });
    if (found || !rec->kernel->valid)
      continue;
    rec->op.emitError("kernel '")
        << rec->op.getSymName() << "' has no " << missing;
    rec->kernel->valid = false;
  }
  std::unique_ptr<Kernel::Impl> impl = std::move(rec->kernel);
  if (impl->valid &&
      (failed(checkScopes(rec->op)) || failed(verify(*impl->module))))
    impl->valid = false;
  if (impl->valid)
    orderValues(rec->op.getBody().front());
  return Kernel(std::move(impl));
}

} // namespace tile
