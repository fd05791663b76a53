// A product of a warpgroup is one piece of inline assembly: wgmma.fence, K / 16
// wgmma.mma_async, commit_group. Between its instructions nothing can touch
// the accumulators; ptxas would run them one after the other (C7510).
#include "passes/FragmentLayout.h"
#include "passes/MatrixDescriptor.h"
#include "passes/Stage.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;

namespace tile {
#define GEN_PASS_DEF_LOWERWARPGROUPMMA
#include "passes/Passes.h.inc"

namespace {
constexpr int64_t kStep = 16; // 16-bit elements of one instruction

/// Writes assembly whose operands are collected on the way: accumulators
/// first, in place, then what is only read.
struct Assembly {
  Emit e;
  std::string text, constraints;
  SmallVector<Value> inputs;
  int64_t accumulators = 0;

  void line(const Twine &code) { text += (code + "\n").str(); }
  void constrain(StringRef constraint) {
    if (!constraints.empty())
      constraints += ",";
    constraints += constraint;
  }
  /// `count` f32 outputs; `begin` gives their values before, where it isn't
  /// null.
  void accumulate(int64_t count, Value begin) {
    accumulators = count;
    for (int64_t i = 0; i < count; ++i)
      constrain("=&f");
    for (int64_t i = 0; begin && i < count; ++i) {
      constrain(std::to_string(i));
      inputs.push_back(extractElement(e, begin, i));
    }
  }
  /// Operand text of an input; tied inputs have numbers of their own.
  std::string input(Value value, StringRef constraint) {
    constrain(constraint);
    inputs.push_back(value);
    return "$" + std::to_string(accumulators + inputs.size() - 1);
  }
  std::string list(int64_t first, int64_t count) {
    std::string result = "{";
    for (int64_t i = 0; i < count; ++i)
      result += (i ? ", $" : "$") + std::to_string(first + i);
    return result + "}";
  }
  /// The outputs as a vector.
  Value emit(Type result) {
    constrain("~{memory}");
    Type f32 = e.b.getF32Type();
    SmallVector<Type> members(accumulators, f32);
    auto type = LLVM::LLVMStructType::getLiteral(e.b.getContext(), members);
    Value all = LLVM::InlineAsmOp::create(e.b, e.loc, TypeRange{type}, inputs,
                                          text, constraints, true, false,
                                          LLVM::TailCallKind::None,
                                          LLVM::AsmDialectAttr(), ArrayAttr())
                    .getResult(0);
    SmallVector<Value> elements;
    for (int64_t i = 0; i < accumulators; ++i)
      elements.push_back(LLVM::ExtractValueOp::create(e.b, e.loc, all, i));
    return vector::FromElementsOp::create(e.b, e.loc, result, elements);
  }
};

struct LowerWarpgroupMma : impl::LowerWarpgroupMmaBase<LowerWarpgroupMma> {
  void runOnOperation() override {
    if (failed(expectVectors(getOperation())))
      return signalPassFailure();
    SmallVector<ir::WarpgroupMmaOp> products;
    SmallVector<ir::AwaitOp> awaits;
    getOperation().walk([&](ir::WarpgroupMmaOp op) { products.push_back(op); });
    getOperation().walk([&](ir::AwaitOp op) { awaits.push_back(op); });
    // Awaits first: they look at the products that they wait for.
    for (ir::AwaitOp op : awaits)
      lower(op);
    for (ir::WarpgroupMmaOp op : products)
      lower(op);
  }

  void lower(ir::AwaitOp op);
  void lower(ir::WarpgroupMmaOp op);
};

/// Registers of a 16-bit A fragment: its packed pairs, in order (PTX ISA,
/// wgmma).
SmallVector<Value> packed(Emit e, Value fragment) {
  int64_t words = cast<VectorType>(fragment.getType()).getNumElements() / 2;
  Value all = vector::BitCastOp::create(
      e.b, e.loc, VectorType::get({words}, e.b.getI32Type()), fragment);
  SmallVector<Value> result;
  for (int64_t i = 0; i < words; ++i)
    result.push_back(extractElement(e, all, i));
  return result;
}

/// Descriptor of a slot from M or N `begin` on, as a 64-bit operand. In a slot
/// that has these as columns it starts a panel.
Value descriptorOf(Emit e, Value slot, Value begin, bool mnMajor) {
  auto type = cast<ir::SlotType>(slot.getType());
  Value address = addressOf(slot);
  int64_t panelStep = type.getRows() * type.getSwizzle() / type.getPanelCols();
  if (begin)
    address =
        e.add(address, e.mul(begin, mnMajor ? panelStep : type.getSwizzle()));
  return wgmmaDescriptor(e, address, type, mnMajor).at(e, 0);
}

/// What was computed before `op`, in its block, and is used after it.
SmallVector<Value> computedBefore(ir::AwaitOp op) {
  SmallVector<Value> result;
  Block *block = op->getBlock();
  auto isUsedAfter = [&](Operation *user) {
    Operation *here = block->findAncestorOpInBlock(*user);
    return here && op->isBeforeInBlock(here);
  };
  for (Operation &other : llvm::make_range(block->begin(), op->getIterator())) {
    if (other.getNumResults() != 1 || other.hasTrait<OpTrait::ConstantLike>() ||
        isa<ir::WarpgroupMmaOp, ir::AwaitOp>(other))
      continue;
    Value value = other.getResult(0);
    auto type = dyn_cast<VectorType>(value.getType());
    if (type && type.getElementType().isF32() &&
        llvm::any_of(value.getUsers(), isUsedAfter))
      result.push_back(value);
  }
  return result;
}

} // namespace

void LowerWarpgroupMma::lower(ir::AwaitOp op) {
  OpBuilder b(op);
  Emit e{b, op.getLoc()};
  auto product = op.getValue().getDefiningOp<ir::WarpgroupMmaOp>();
  Assembly assembly{e, {}, {}, {}};
  auto type = cast<VectorType>(op.getValue().getType());
  assembly.line("wgmma.wait_group.sync.aligned " + Twine(op.getPending()) +
                ";");
  assembly.accumulate(type.getNumElements(), op.getValue());
  // Named here, A's registers are not reused while the product reads them.
  if (isa<VectorType>(product.getA().getType()))
    for (Value word : packed(e, product.getA()))
      assembly.input(word, "r");
  // Named too: LLVM would sink a softmax to its use behind the wait, and it
  // would no longer run beside the product.
  for (Value value : computedBefore(op))
    for (int64_t i = 0, n = cast<VectorType>(value.getType()).getNumElements();
         i < n; ++i)
      assembly.input(extractElement(e, value, i), "f");
  op.getResult().replaceAllUsesWith(assembly.emit(type));
  op.erase();
}

void LowerWarpgroupMma::lower(ir::WarpgroupMmaOp op) {
  OpBuilder b(op);
  Emit e{b, op.getLoc()};
  auto type = cast<VectorType>(op.getD().getType());
  auto bSlot = cast<ir::SlotType>(op.getB().getType());
  int64_t n = type.getNumElements() * 2;
  int64_t k = op.getTransposedB() ? bSlot.getRows() : bSlot.getCols();
  Assembly assembly{e, {}, {}, {}};
  assembly.accumulate(type.getNumElements(), op.getC());
  bool inRegisters = isa<VectorType>(op.getA().getType());
  std::string d = assembly.list(0, type.getNumElements()), a;
  int64_t firstWord = assembly.accumulators + assembly.inputs.size();
  if (inRegisters)
    for (Value word : packed(e, op.getA()))
      assembly.input(word, "r");
  else
    a = assembly.input(
        descriptorOf(e, op.getA(), op.getRowBegin(), op.getTransposedA()), "l");
  std::string bText = assembly.input(
      descriptorOf(e, op.getB(), op.getColBegin(), op.getTransposedB()), "l");
  assembly.line("{ .reg .b64 da, db; .reg .pred p;");
  assembly.line("wgmma.fence.sync.aligned;");
  assembly.line(llvm::formatv("setp.ne.b32 p, {0}, 0;", op.getC() ? 1 : 0));
  StringRef element = bSlot.getElement().isBF16() ? "bf16" : "f16";
  for (int64_t at = 0; at < k; at += kStep) {
    std::string aText = "da";
    if (inRegisters)
      aText = assembly.list(firstWord + at / kStep * 4, 4);
    else {
      assembly.line(llvm::formatv(
          "add.s64 da, {0}, {1};", a,
          descriptorOffset(cast<ir::SlotType>(op.getA().getType()),
                           op.getTransposedA(), at)));
    }
    assembly.line(
        llvm::formatv("add.s64 db, {0}, {1};", bText,
                      descriptorOffset(bSlot, op.getTransposedB(), at)));
    assembly.line(llvm::formatv(
        "wgmma.mma_async.sync.aligned.m64n{0}k16.f32.{1}.{1} {2}, {3}, db, "
        "p, 1, 1{4}, {5};",
        n, element, d, aText,
        inRegisters           ? ""
        : op.getTransposedA() ? ", 1"
                              : ", 0",
        op.getTransposedB() ? 1 : 0));
    if (at == 0 && !op.getC())
      assembly.line("setp.ne.b32 p, 1, 0;");
  }
  assembly.line("wgmma.commit_group.sync.aligned;");
  assembly.line("}");
  op.getD().replaceAllUsesWith(assembly.emit(type));
  op.erase();
}

} // namespace tile
