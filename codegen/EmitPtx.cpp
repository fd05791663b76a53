#include "codegen/EmitPtx.h"
#include "codegen/LlvmPipeline.h"
#include "codegen/Target.h"
#include "mlir/Conversion/NVVMToLLVM/NVVMToLLVM.h"
#include "mlir/Dialect/LLVMIR/Transforms/Passes.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/NVVM/NVVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Target/TargetMachine.h"

namespace tile {

void registerLlvmTranslation(mlir::MLIRContext &context) {
  mlir::DialectRegistry registry;
  mlir::registerBuiltinDialectTranslation(registry);
  mlir::registerLLVMDialectTranslation(registry);
  mlir::registerNVVMDialectTranslation(registry);
  mlir::registerConvertNVVMToLLVMInterface(registry);
  context.appendDialectRegistry(registry);
}

void addLlvmPreparation(mlir::OpPassManager &pm) {
  pm.addPass(mlir::createConvertNVVMToLLVMPass());
  mlir::LLVM::DIScopeForLLVMFuncOpPassOptions scope;
  scope.emissionKind = mlir::LLVM::DIEmissionKind::DebugDirectivesOnly;
  pm.addPass(mlir::LLVM::createDIScopeForLLVMFuncOpPass(scope));
}

LlvmModule::LlvmModule() = default;
LlvmModule::LlvmModule(LlvmModule &&) noexcept = default;

LlvmModule::~LlvmModule() {
  // The module refers to the context.
  module.reset();
}

llvm::Expected<LlvmModule> LlvmModule::translate(mlir::ModuleOp source,
                                                 Arch arch) {
  LlvmModule result;
  result.machine = createTargetMachine(arch);
  setTarget(source, *result.machine);
  result.context = std::make_unique<llvm::LLVMContext>();
  result.module =
      mlir::translateModuleToLLVMIR(source, *result.context, "kernel");
  if (!result.module)
    return llvm::createStringError(
        "the lowered module can't be translated to LLVM IR");
  markInlineAsmConvergent(*result.module);
  forgetIntrinsicEffects(*result.module);
  runLlvmPipeline(*result.module, *result.machine);
  return result;
}

std::string LlvmModule::print() const {
  std::string text;
  llvm::raw_string_ostream out(text);
  module->print(out, nullptr);
  return text;
}

std::string LlvmModule::emitPtx() && {
  llvm::SmallString<0> text;
  llvm::raw_svector_ostream out(text);
  llvm::legacy::PassManager passes;
  [[maybe_unused]] bool cannot = machine->addPassesToEmitFile(
      passes, out, nullptr, llvm::CodeGenFileType::AssemblyFile);
  assert(!cannot && "NVPTX emits assembly");
  passes.run(*module);
  return text.str().str();
}

} // namespace tile
