#include "codegen/LlvmPipeline.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/Transforms/InstCombine/InstCombine.h"
#include "llvm/Transforms/Scalar/ADCE.h"
#include "llvm/Transforms/Scalar/EarlyCSE.h"
#include "llvm/Transforms/Scalar/SROA.h"
#include "llvm/Transforms/Scalar/SimplifyCFG.h"

namespace tile {
namespace {

/// Branches keep their shape where a block has effects: no sinking or hoisting
/// of common instructions, no speculation, no switch tables.
llvm::SimplifyCFGOptions controlFlowOptions() {
  return llvm::SimplifyCFGOptions()
      .bonusInstThreshold(1)
      .forwardSwitchCondToPhi(false)
      .convertSwitchToLookupTable(false)
      .needCanonicalLoops(true)
      .hoistCommonInsts(false)
      .sinkCommonInsts(false)
      .speculateBlocks(false);
}

llvm::FunctionPassManager cleanUpPasses() {
  llvm::FunctionPassManager passes;
  passes.addPass(llvm::SROAPass(llvm::SROAOptions::PreserveCFG));
  passes.addPass(llvm::EarlyCSEPass(/*UseMemorySSA=*/false));
  passes.addPass(llvm::InstCombinePass());
  passes.addPass(llvm::SimplifyCFGPass(controlFlowOptions()));
  passes.addPass(llvm::EarlyCSEPass(/*UseMemorySSA=*/false));
  passes.addPass(llvm::ADCEPass());
  return passes;
}

} // namespace

void markInlineAsmConvergent(llvm::Module &module) {
  for (llvm::Function &function : module) {
    for (llvm::Instruction &instruction : llvm::instructions(function)) {
      auto *call = llvm::dyn_cast<llvm::CallInst>(&instruction);
      if (!call)
        continue;
      auto *assembly =
          llvm::dyn_cast<llvm::InlineAsm>(call->getCalledOperand());
      if (assembly && assembly->hasSideEffects())
        call->setConvergent();
    }
  }
}

void forgetIntrinsicEffects(llvm::Module &module) {
  for (llvm::Function &function : module) {
    if (!function.getName().starts_with("llvm.nvvm.") ||
        function.doesNotAccessMemory())
      continue;
    function.setMemoryEffects(llvm::MemoryEffects::unknown());
    function.removeFnAttr(llvm::Attribute::NoSync);
    for (llvm::Argument &argument : function.args())
      for (auto kind : {llvm::Attribute::ReadOnly, llvm::Attribute::WriteOnly,
                        llvm::Attribute::ReadNone})
        argument.removeAttr(kind);
  }
}

void runLlvmPipeline(llvm::Module &module, llvm::TargetMachine &machine) {
  llvm::PassBuilder builder(&machine);
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager components;
  llvm::ModuleAnalysisManager modules;
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(components);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, components, modules);
  llvm::ModulePassManager passes;
  passes.addPass(llvm::createModuleToFunctionPassAdaptor(cleanUpPasses()));
  passes.run(module, modules);
}

} // namespace tile
