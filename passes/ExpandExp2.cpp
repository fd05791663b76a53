// 2^x by MUFU, or by Cody-Waite range reduction and a polynomial on the FMA
// units (FlashAttention-4): x = floor(x) + f, 2^f by Horner, the exponent added
// in the integer unit. Pairs of columns go through packed f32x2 instructions.
#include "passes/FragmentLayout.h"
#include "passes/Stage.h"

using namespace mlir;

namespace tile {
#define GEN_PASS_DEF_EXPANDEXP2
#include "passes/Passes.h.inc"

namespace {

/// Minimax coefficients of 2^f on [0, 1), c0 = 1, highest last.
ArrayRef<float> coefficients(int64_t degree) {
  static constexpr float third[] = {1, 0.695146143436431884765625f,
                                    0.227564394474029541015625f,
                                    0.077119089663028717041015625f};
  static constexpr float fourth[] = {
      1, 0.693042695522308349609375f, 0.2412912547588348388671875f,
      0.052225358784198760986328125f, 0.013434938155114650726318359375f};
  static constexpr float fifth[] = {1,
                                    0.693151414394378662109375f,
                                    0.24016360938549041748046875f,
                                    0.055802188186813688f,
                                    0.009014526597f,
                                    0.001868101535f};
  if (degree == 3)
    return third;
  if (degree == 4)
    return fourth;
  return fifth;
}

struct ExpandExp2 : impl::ExpandExp2Base<ExpandExp2> {
  void runOnOperation() override {
    if (failed(expectVectors(getOperation())))
      return signalPassFailure();
    packed = getOperation().getArch() != "sm_90a";
    getOperation().walk([&](ir::Exp2Op op) {
      OpBuilder b(op);
      Emit e{b, op.getLoc()};
      Value result = expand(e, op);
      op.getResult().replaceAllUsesWith(result);
      op.erase();
    });
  }

private:
  bool packed = true;

  static bool usesPolynomial(ir::Exp2Op op, int64_t column) {
    int64_t period = op.getPeriod(), share = op.getShare();
    return column >= int64_t(op.getBegin()) && column < int64_t(op.getEnd()) &&
           column % period >= period - share;
  }

  Value expand(Emit e, ir::Exp2Op op) {
    auto type = dyn_cast<VectorType>(op.getValue().getType());
    if (!type)
      return mufu(e, op.getValue());
    SmallVector<Value> elements;
    for (int64_t i = 0; i < type.getNumElements(); ++i) {
      bool pair = i + 1 < type.getNumElements() && i % 2 == 0;
      if (pair && usesPolynomial(op, i)) {
        Value two =
            polynomial(e, extractSlice(e, op.getValue(), i, 2), op.getDegree());
        elements.push_back(extractElement(e, two, 0));
        elements.push_back(extractElement(e, two, 1));
        ++i;
        continue;
      }
      elements.push_back(mufu(e, extractElement(e, op.getValue(), i)));
    }
    return vector::FromElementsOp::create(e.b, e.loc, type, elements);
  }

  static Value mufu(Emit e, Value x) {
    return LLVM::CallIntrinsicOp::create(
               e.b, e.loc, e.b.getF32Type(),
               e.b.getStringAttr("llvm.nvvm.ex2.approx.ftz.f32"), ValueRange{x})
        .getResult(0);
  }

  static Value splat(Emit e, Type type, float value) {
    return arith::ConstantOp::create(
        e.b, e.loc,
        DenseElementsAttr::get(cast<ShapedType>(type),
                               e.b.getF32FloatAttr(value)));
  }

  /// x + 1.5 * 2^23 rounded down: floor(x) in the low mantissa bits.
  Value addRoundingDown(Emit e, Value x, float magic) {
    auto type = cast<VectorType>(x.getType());
    if (packed) {
      Type i64 = e.b.getI64Type();
      Value bits = LLVM::BitcastOp::create(e.b, e.loc, i64, x);
      Value both =
          LLVM::BitcastOp::create(e.b, e.loc, i64, splat(e, type, magic));
      Value sum =
          LLVM::InlineAsmOp::create(
              e.b, e.loc, TypeRange{i64}, ValueRange{bits, both},
              "add.rm.ftz.f32x2 $0, $1, $2;", "=l,l,l", false, false,
              LLVM::TailCallKind::None, LLVM::AsmDialectAttr(), ArrayAttr())
              .getResult(0);
      return LLVM::BitcastOp::create(e.b, e.loc, type, sum);
    }
    SmallVector<Value> sums;
    Value one =
        arith::ConstantOp::create(e.b, e.loc, e.b.getF32FloatAttr(magic));
    for (int64_t i : {0, 1}) {
      sums.push_back(LLVM::CallIntrinsicOp::create(
                         e.b, e.loc, e.b.getF32Type(),
                         e.b.getStringAttr("llvm.nvvm.add.rm.ftz.f"),
                         ValueRange{extractElement(e, x, i), one})
                         .getResult(0));
    }
    return vector::FromElementsOp::create(e.b, e.loc, type, sums);
  }

  Value polynomial(Emit e, Value x, int64_t degree) {
    Type type = x.getType();
    constexpr float magic = 12582912.0f; // 1.5 * 2^23
    x = arith::MaxNumFOp::create(e.b, e.loc, x, splat(e, type, -127.0f));
    Value shifted = addRoundingDown(e, x, magic);
    Value floor =
        arith::SubFOp::create(e.b, e.loc, shifted, splat(e, type, magic));
    Value fraction = arith::SubFOp::create(e.b, e.loc, x, floor);
    ArrayRef<float> c = coefficients(degree);
    Value sum = splat(e, type, c.back());
    for (float next : llvm::reverse(c.drop_back()))
      sum =
          math::FmaOp::create(e.b, e.loc, sum, fraction, splat(e, type, next));
    auto ints = VectorType::get({2}, e.b.getI32Type());
    Value exponent = arith::ShLIOp::create(
        e.b, e.loc, arith::BitcastOp::create(e.b, e.loc, ints, shifted),
        arith::ConstantOp::create(
            e.b, e.loc,
            DenseElementsAttr::get(ints, e.b.getI32IntegerAttr(23))));
    Value bits = arith::AddIOp::create(
        e.b, e.loc, exponent, arith::BitcastOp::create(e.b, e.loc, ints, sum));
    return arith::BitcastOp::create(e.b, e.loc, type, bits);
  }
};
} // namespace
} // namespace tile
