// mlir-opt for this project: the dialects of a kernel and every pass that
// fa4-gen runs.
#include "codegen/Dialects.h"
#include "codegen/EmitPtx.h"
#include "mlir/Conversion/NVVMToLLVM/NVVMToLLVM.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "mlir/Transforms/Passes.h"
#include "passes/Pipelines.h"

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  tile::insertDialects(registry);
  mlir::registerConvertNVVMToLLVMInterface(registry);
  mlir::registerTransformsPasses();
  mlir::registerPass([] { return mlir::createConvertNVVMToLLVMPass(); });
  mlir::PassPipelineRegistration<>(
      "prepare-llvm", "What fa4-gen runs between the stages nvvm and llvm",
      tile::addLlvmPreparation);
  tile::registerTilePasses();
  return mlir::asMainReturnCode(
      mlir::MlirOptMain(argc, argv, "fa4-opt: passes of fa4-gen\n", registry));
}
