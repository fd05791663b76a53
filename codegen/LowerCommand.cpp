#include "codegen/AtomicFile.h"
#include "codegen/Commands.h"
#include "codegen/Diagnostics.h"
#include "codegen/Dialects.h"
#include "codegen/Invocation.h"
#include "codegen/Target.h"
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

} // namespace

llvm::Error lowerCommand(const CommandContext &context) {
  auto parsed = parseOrHelp(
      context, "lower FILE.mlir [flags]", context.words,
      {{"arch", Flag::Value::required, "ARCH", "sm_100a (default) or sm_90a"},
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
  std::string archText = arguments.get("arch").value_or("sm_100a");
  std::optional<Arch> arch = parseArch(archText);
  if (!arch)
    return llvm::createStringError("unknown architecture '" + archText +
                                   "'; there are sm_100a, sm_90a");
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
  auto compiled = compileModule(**module, {*arch, *output, *ptxas, path});
  if (!compiled)
    return compiled.takeError();
  return writeFileAtomically(arguments.get("o").value_or("-"),
                             compiled->content);
}

} // namespace tile
