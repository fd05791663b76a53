#include "codegen/AtomicFile.h"
#include "codegen/Commands.h"
#include "codegen/Diagnostics.h"
#include "codegen/Dialects.h"
#include "codegen/Invocation.h"
#include "codegen/Target.h"
#include "dsl/ir/Tile.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Support/MemoryBuffer.h"

namespace tile {
namespace {

llvm::Expected<mlir::OwningOpRef<mlir::ModuleOp>>
readModule(const std::string &path, mlir::MLIRContext &context) {
  auto buffer = llvm::MemoryBuffer::getFileOrSTDIN(path, /*IsText=*/true);
  if (!buffer)
    return llvm::createStringError("can't read '" + path +
                                   "': " + buffer.getError().message());
  Diagnostics diagnostics(&context);
  auto module = mlir::parseSourceString<mlir::ModuleOp>((*buffer)->getBuffer(),
                                                        &context, path);
  if (!module)
    return diagnostics.failure("'" + path + "' can't be parsed");
  return module;
}

/// What the file's tile kernel is for; none in IR without one.
llvm::Expected<std::optional<std::string>> archIn(mlir::ModuleOp module,
                                                  const std::string &path) {
  std::optional<std::string> arch;
  for (ir::KernelOp kernel : module.getOps<ir::KernelOp>()) {
    if (arch)
      return llvm::createStringError("'" + path +
                                     "' has several kernels, expected one");
    arch = kernel.getArch().str();
  }
  if (!arch && !module.getOps<mlir::ModuleOp>().empty())
    return llvm::createStringError("'" + path +
                                   "' has several modules, expected one");
  return arch;
}

llvm::Expected<Arch> chosenArch(std::optional<std::string> flag,
                                std::optional<std::string> inFile,
                                const std::string &path) {
  if (flag && inFile && *flag != *inFile)
    return llvm::createStringError("--arch is " + *flag + ", the kernel in '" +
                                   path + "' is for " + *inFile);
  std::string text = flag ? *flag : inFile.value_or("sm_100a");
  if (std::optional<Arch> arch = parseArch(text))
    return *arch;
  return llvm::createStringError("unknown architecture '" + text +
                                 "'; there are sm_100a, sm_90a");
}

} // namespace

llvm::Error lowerCommand(const CommandContext &context) {
  auto parsed =
      parseOrHelp(context, "lower FILE.mlir [flags]", context.words,
                  {{"arch", Flag::Value::required, "ARCH",
                    "sm_100a or sm_90a (default: the file's, else sm_100a)"},
                   emitFlag,
                   outputFlag});
  if (!parsed || !*parsed)
    return parsed ? llvm::Error::success() : parsed.takeError();
  const Arguments &arguments = **parsed;
  if (arguments.positional.size() != 1)
    return llvm::createStringError("lower needs one FILE.mlir");
  auto output = readOutput(arguments);
  if (!output)
    return output.takeError();
  auto ptxas = needPtxas(*output);
  if (!ptxas)
    return ptxas.takeError();
  const std::string &path = arguments.positional.front();
  mlir::DialectRegistry registry;
  insertDialects(registry);
  mlir::MLIRContext mlirContext(registry,
                                mlir::MLIRContext::Threading::DISABLED);
  auto module = readModule(path, mlirContext);
  if (!module)
    return module.takeError();
  auto inFile = archIn(**module, path);
  if (!inFile)
    return inFile.takeError();
  auto arch = chosenArch(arguments.get("arch"), *inFile, path);
  if (!arch)
    return arch.takeError();
  auto compiled = compileModule(**module, {*arch, *output, *ptxas, path});
  if (!compiled)
    return compiled.takeError();
  return writeFileAtomically(arguments.get("o").value_or("-"),
                             compiled->content);
}

} // namespace tile
