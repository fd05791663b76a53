#include "codegen/Compile.h"
#include "codegen/Diagnostics.h"
#include "codegen/EmitPtx.h"
#include "codegen/Manifest.h"
#include "dsl/record/Recorded.h"
#include "mlir/IR/AsmState.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Support/Timing.h"
#include "passes/Pipelines.h"
#include "llvm/ADT/StringSwitch.h"
#include <mutex>

namespace tile {
namespace {

Stage stageFor(Output output) {
  switch (output) {
  case Output::tile:
    return Stage::tile;
  case Output::lowered:
    return Stage::lowered;
  default:
    return Stage::nvvm;
  }
}

mlir::LogicalResult runPasses(mlir::ModuleOp module, Output output,
                              mlir::TimingScope &timing) {
  registerMlirFlags();
  mlir::PassManager pm(module.getContext());
  if (failed(mlir::applyPassManagerCLOptions(pm)))
    return mlir::failure();
  buildPipeline(pm, stageOf(module), stageFor(output));
  if (output >= Output::llvm)
    addLlvmPreparation(pm);
  pm.enableTiming(timing);
  return pm.run(module);
}

std::string printed(mlir::ModuleOp module) {
  std::string text;
  llvm::raw_string_ostream out(text);
  module.print(out);
  return text + "\n";
}

llvm::Error emitBinary(const CompileOptions &options, Compiled &result) {
  auto assembly = assemble(options.ptxas, options.arch, result.ptx);
  if (!assembly)
    return assembly.takeError();
  result.report = std::move(assembly->report);
  result.content = std::move(assembly->cubin);
  return llvm::Error::success();
}

llvm::Error emitFromLlvm(mlir::ModuleOp module, const CompileOptions &options,
                         mlir::TimingScope &timing, Compiled &result) {
  mlir::TimingScope translation = timing.nest("LLVM IR");
  auto llvmModule = LlvmModule::translate(module, options.arch);
  if (!llvmModule)
    return llvmModule.takeError();
  translation.stop();
  if (options.output == Output::llvm) {
    result.content = llvmModule->print();
    return llvm::Error::success();
  }
  mlir::TimingScope codegen = timing.nest("PTX");
  result.ptx = std::move(*llvmModule).emitPtx();
  codegen.stop();
  if (options.output == Output::ptx) {
    result.content = result.ptx;
    return llvm::Error::success();
  }
  mlir::TimingScope assembling = timing.nest("ptxas");
  return emitBinary(options, result);
}

/// An author's `build` may have state of its own: one runs at a time.
Kernel record(const Specialization &specialization) {
  static std::mutex mutex;
  std::lock_guard<std::mutex> lock(mutex);
  return specialization.kernel->build(specialization.request);
}

} // namespace

std::optional<Output> parseOutput(llvm::StringRef text) {
  return llvm::StringSwitch<std::optional<Output>>(text)
      .Case("tile", Output::tile)
      .Case("lowered", Output::lowered)
      .Case("nvvm", Output::nvvm)
      .Case("llvm", Output::llvm)
      .Case("ptx", Output::ptx)
      .Case("cubin", Output::cubin)
      .Default(std::nullopt);
}

void registerMlirFlags() {
  static std::once_flag once;
  std::call_once(once, [] {
    mlir::registerMLIRContextCLOptions();
    mlir::registerPassManagerCLOptions();
    mlir::registerAsmPrinterCLOptions();
    mlir::registerDefaultTimingManagerCLOptions();
  });
}

llvm::Expected<Compiled> compileModule(mlir::ModuleOp module,
                                       const CompileOptions &options) {
  mlir::MLIRContext *context = module.getContext();
  // A kernel is small: threads cost more than they bring, and printing IR
  // after passes needs them off.
  context->disableMultithreading();
  // The author's line says more than a screen of IR; fa4-opt shows the op.
  context->printOpOnDiagnostic(false);
  registerLlvmTranslation(*context);
  mlir::DefaultTimingManager manager;
  mlir::applyDefaultTimingManagerCLOptions(manager);
  mlir::TimingScope timing = manager.getRootScope();
  Diagnostics diagnostics(context);
  Stage from = stageOf(module), to = stageFor(options.output);
  if (from > to)
    return diagnostics.failure("'" + options.name + "' is at stage " +
                               name(from) +
                               " already, past --emit=" + name(to));

  Compiled result;
  if (options.output != Output::tile &&
      failed(runPasses(module, options.output, timing)))
    return diagnostics.failure(options.name + " can't be lowered");
  if (options.output >= Output::nvvm) {
    result.launch = std::move(*toJson(launchOf(module)).getAsObject());
    result.entry = entryOf(module);
  }
  if (options.output <= Output::nvvm) {
    result.content = printed(module);
    return result;
  }
  if (llvm::Error error = emitFromLlvm(module, options, timing, result))
    return diagnostics.failure(options.name + ": " +
                               llvm::toString(std::move(error)));
  return result;
}

llvm::Expected<Compiled> compile(const Specialization &specialization,
                                 Output output, const std::string &ptxas) {
  Kernel kernel = record(specialization);
  if (!kernel.impl().valid)
    return llvm::createStringError("kernel '" + specialization.kernel->name +
                                   "' can't be recorded");
  CompileOptions options{specialization.request.arch, output, ptxas,
                         specialization.name()};
  return compileModule(*kernel.impl().module, options);
}

} // namespace tile
