#include "dsl/record/Recorder.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;

namespace tile {

/// "file:line:column: error: text", as compilers write it.
static void print(Diagnostic &diagnostic) {
  if (auto at = diagnostic.getLocation()->findInstanceOf<FileLineColLoc>())
    llvm::errs() << at.getFilename().getValue() << ":" << at.getLine() << ":"
                 << at.getColumn() << ": ";
  bool isError = diagnostic.getSeverity() == DiagnosticSeverity::Error;
  llvm::errs() << (isError ? "error: " : "note: ") << diagnostic << "\n";
  for (Diagnostic &note : diagnostic.getNotes())
    print(note);
}

static std::unique_ptr<Kernel::Impl> makeImpl() {
  DialectRegistry registry;
  registry.insert<ir::TileDialect, arith::ArithDialect, math::MathDialect,
                  scf::SCFDialect>();
  auto impl = std::make_unique<Kernel::Impl>();
  impl->context =
      std::make_unique<MLIRContext>(registry, MLIRContext::Threading::DISABLED);
  impl->context->loadAllAvailableDialects();
  impl->context->printOpOnDiagnostic(false);
  // Until a compiler that knows where its errors go installs its own.
  impl->context->getDiagEngine().registerHandler(print);
  impl->module = ModuleOp::create(UnknownLoc::get(impl->context.get()));
  return impl;
}

Recorder::Recorder(const KernelInfo &info, Where where)
    : kernel(makeImpl()), builder(kernel->context.get()), request(info.request),
      location(UnknownLoc::get(kernel->context.get())) {
  const Request &r = info.request;
  auto named = [&](const char *name, Attribute value) {
    return builder.getNamedAttr(name, value);
  };
  auto key = builder.getDictionaryAttr(
      {named("kernel", builder.getStringAttr(info.name)),
       named("dtype", builder.getStringAttr(name(r.dtype))),
       named("head_dim", builder.getI64IntegerAttr(r.headDim)),
       named("head_dim_v", builder.getI64IntegerAttr(r.headDimV)),
       named("causal", builder.getBoolAttr(r.causal))});
  builder.setInsertionPointToEnd(kernel->module->getBody());
  op = ir::KernelOp::create(
      builder, at(where), info.name, name(r.arch),
      builder.getDictionaryAttr(
          {named("op", builder.getStringAttr(info.op)), named("key", key)}));
  builder.setInsertionPointToEnd(&op.getBody().emplaceBlock());
}

Location Recorder::at(Where where) {
  location = FileLineColLoc::get(builder.getContext(), where.file_name(),
                                 where.line(), where.column());
  return location;
}

InFlightDiagnostic Recorder::error(Where where) {
  kernel->valid = false;
  return emitError(at(where));
}

std::size_t Recorder::openLoop(Where where) {
  loops.push_back(where);
  return loops.size();
}

void Recorder::expectLoops(std::size_t depth) {
  if (loops.size() <= depth)
    return;
  error(loops[depth]) << "this staged loop is left by break or return; its "
                         "body stands for every iteration";
  loops.resize(depth);
}

void Recorder::expectHeld(const SlotRef &slot, Where where) {
  if (slot.over)
    error(where) << "a slot is used after it was released or moved";
}

InFlightDiagnostic Recorder::errorHere() {
  kernel->valid = false;
  return emitError(location);
}

Value Recorder::i32(int value) {
  return arith::ConstantIntOp::create(builder, location, value, 32);
}

Type Recorder::type(DType type) {
  switch (type) {
  case DType::bf16:
    return builder.getBF16Type();
  case DType::f16:
    return builder.getF16Type();
  case DType::f32:
    return builder.getF32Type();
  case DType::i32:
    return builder.getI32Type();
  }
  llvm_unreachable("all types handled");
}

/// The widest swizzle span that divides a row of the tile, in bytes.
static int64_t swizzleOf(const SlotSpec &spec) {
  if (spec.memory != SlotSpec::Memory::smem)
    return 0;
  for (int span : {128, 64, 32})
    if (spec.cols * bytesOf(spec.type) % span == 0)
      return span;
  return 0;
}

ir::SlotType Recorder::slotType(const SlotSpec &spec, Where where) {
  auto memory = static_cast<ir::Memory>(spec.memory);
  int64_t rows = spec.rows, cols = spec.cols;
  auto slot = ir::SlotType::getChecked([&] { return error(where); },
                                       builder.getContext(), memory, rows, cols,
                                       type(spec.type), swizzleOf(spec));
  if (slot)
    return slot;
  // After an error, some slot of that memory, to go on with.
  bool perRow = memory == ir::Memory::rows;
  return slotType({spec.memory, DType::f32, 128, perRow ? 1 : 128}, where);
}

RankedTensorType Recorder::fragmentType(int rows, int cols, Type element) {
  Attribute layout =
      request.arch == Arch::sm_90a
          ? Attribute(ir::QuadLayoutAttr::get(builder.getContext()))
          : Attribute(ir::RowLayoutAttr::get(builder.getContext()));
  SmallVector<int64_t> shape{rows};
  if (cols)
    shape.push_back(cols);
  return RankedTensorType::get(shape, element, layout);
}

} // namespace tile
