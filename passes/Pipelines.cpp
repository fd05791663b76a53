#include "passes/Pipelines.h"
#include "mlir/Conversion/ArithToLLVM/ArithToLLVM.h"
#include "mlir/Conversion/ControlFlowToLLVM/ControlFlowToLLVM.h"
#include "mlir/Conversion/MathToLLVM/MathToLLVM.h"
#include "mlir/Conversion/NVVMToLLVM/NVVMToLLVM.h"
#include "mlir/Conversion/ReconcileUnrealizedCasts/ReconcileUnrealizedCasts.h"
#include "mlir/Conversion/SCFToControlFlow/SCFToControlFlow.h"
#include "mlir/Conversion/VectorToLLVM/ConvertVectorToLLVMPass.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"
#include "passes/Passes.h"
#include "passes/Stage.h"

using namespace mlir;

namespace tile {

/// Per kernel: roles are still apart, so each phase sees who does what.
static void lowerKernel(OpPassManager &pm) {
  // Before anything is lowered: its reports speak of roles and pipes.
  pm.addPass(createVerifyProtocol());
  pm.addPass(createCSEPass());
  // The recorded program is the last to show whole multiplies and copies.
  pm.addPass(createCountWork());
  // Sizes first: everything after it works on addresses.
  pm.addPass(createAssignTmem());
  pm.addPass(createAssignSmem());
  // Before copies and MMAs are lowered, since arrivals follow from them.
  pm.addPass(createLowerRings());
  pm.addPass(createLowerCopies());
  pm.addPass(createLowerMma());
  pm.addPass(createDistributeFragments());
  // Needs the registers that a thread holds, so after distribution.
  pm.addPass(createLowerWarpgroupMma());
  // Likewise the columns.
  pm.addPass(createExpandExp2());
  pm.addPass(createVerifyLowered());
}

static void lowerModule(OpPassManager &pm) {
  pm.addPass(createLowerRoles());
  // The tile loops exist now: variables can become their carried values.
  pm.addPass(createPromoteVars());
  // A ring that is taken as often in a tile as it is deep stands at the same
  // slot at every tile: its addresses become constants.
  pm.addPass(createSCCPPass());
  pm.addPass(createConvertToNvvm());
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createCSEPass());
  pm.addPass(createSCFToControlFlowPass());
  pm.addPass(createConvertVectorToLLVMPass());
  pm.addPass(createConvertMathToLLVMPass());
  pm.addPass(createArithToLLVMConversionPass());
  pm.addPass(createConvertControlFlowToLLVMPass());
  pm.addPass(createConvertNVVMToLLVMPass());
  pm.addPass(createReconcileUnrealizedCastsPass());
  pm.addPass(createCSEPass());
}

void buildPipeline(OpPassManager &pm, Stage from, Stage to) {
  if (from == Stage::tile && to > Stage::tile)
    lowerKernel(pm.nest<ir::KernelOp>());
  if (from < Stage::nvvm && to == Stage::nvvm)
    lowerModule(pm);
}

Stage stageOf(ModuleOp module) {
  bool placed = llvm::any_of(module.getOps<ir::KernelOp>(), isPlaced);
  WalkResult left = module.walk([](Operation *op) {
    return isa_and_nonnull<ir::TileDialect>(op->getDialect())
               ? WalkResult::interrupt()
               : WalkResult::advance();
  });
  if (!left.wasInterrupted())
    return Stage::nvvm;
  return placed ? Stage::lowered : Stage::tile;
}

StringRef name(Stage stage) {
  constexpr StringRef names[] = {"tile", "lowered", "nvvm"};
  return names[static_cast<int>(stage)];
}

void registerTilePasses() {
  registerTileLoweringPasses();
  PassPipelineRegistration<>("tile-to-lowered",
                             "barriers, addresses and per-thread vectors",
                             [](OpPassManager &pm) {
                               buildPipeline(pm, Stage::tile, Stage::lowered);
                             });
  PassPipelineRegistration<>(
      "tile-to-nvvm", "one function in the LLVM and NVVM dialects",
      [](OpPassManager &pm) { buildPipeline(pm, Stage::tile, Stage::nvvm); });
}

} // namespace tile
