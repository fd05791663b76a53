// From a module in the LLVM and NVVM dialects to LLVM IR and PTX, in process.
#pragma once
#include "dsl/lang/Types.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/Support/Error.h"
#include <memory>
#include <string>

namespace llvm {
class LLVMContext;
class Module;
class TargetMachine;
} // namespace llvm

namespace tile {

/// Lets `context` translate the LLVM and NVVM dialects to LLVM IR. Must come
/// before the passes of `addLlvmPreparation` run.
void registerLlvmTranslation(mlir::MLIRContext &context);

/// Adds what a module of stage nvvm needs before it can be translated: NVVM
/// ops that are inline assembly become it, and every function gets a debug
/// scope so that its locations reach PTX as `.loc`. The scope asks for
/// directives only: anything more makes ptxas compile for debugging.
void addLlvmPreparation(mlir::OpPassManager &pm);

/// One kernel as LLVM IR, and the machine that it is meant for.
class LlvmModule {
public:
  /// Translates a prepared module, marks inline assembly convergent and runs
  /// the pipeline of LlvmPipeline.h. Changes the target attributes of `module`.
  static llvm::Expected<LlvmModule> translate(mlir::ModuleOp module, Arch arch);

  LlvmModule(LlvmModule &&) noexcept;
  ~LlvmModule();

  /// The IR as text.
  std::string print() const;

  /// PTX text, from NVPTX at its highest level. Consumes the module: LLVM's
  /// code generation rewrites it.
  std::string emitPtx() &&;

private:
  LlvmModule();
  std::unique_ptr<llvm::TargetMachine> machine;
  std::unique_ptr<llvm::LLVMContext> context;
  std::unique_ptr<llvm::Module> module;
};

} // namespace tile
