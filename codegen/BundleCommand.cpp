#include "codegen/Bundle.h"
#include "codegen/Commands.h"
#include "codegen/Invocation.h"
#include "codegen/Ptxas.h"
#include "llvm/Support/MemoryBuffer.h"
#include <thread>

namespace tile {
namespace {

llvm::Expected<std::vector<Specialization>>
readSpecifications(const CommandContext &context, const Arguments &arguments) {
  if (arguments.has("default") != arguments.positional.empty())
    return llvm::createStringError("bundle needs either SPECFILE or --default");
  if (arguments.has("default"))
    return allSpecializations(context.registry);
  if (arguments.positional.size() > 1)
    return llvm::createStringError("unexpected argument '" +
                                   arguments.positional[1] + "'");
  const std::string &path = arguments.positional.front();
  auto buffer = llvm::MemoryBuffer::getFileOrSTDIN(path, /*IsText=*/true);
  if (!buffer)
    return llvm::createStringError("can't read '" + path +
                                   "': " + buffer.getError().message());
  return parseSpecFile(context.registry, path, (*buffer)->getBuffer());
}

} // namespace

llvm::Error bundleCommand(const CommandContext &context) {
  auto parsed = parseOrHelp(
      context, "bundle SPECFILE|--default -o DIR", context.words,
      {{"default", Flag::Value::none, "", "every supported variant"},
       {"o", Flag::Value::required, "DIR", "the bundle's folder"},
       {"j", Flag::Value::required, "N", "threads, default: all cores"},
       {"no-cubin", Flag::Value::none, "", "PTX only"},
       {"quiet", Flag::Value::none, "", "no progress"}});
  if (!parsed || !*parsed)
    return parsed ? llvm::Error::success() : parsed.takeError();
  const Arguments &arguments = **parsed;
  if (!arguments.has("o"))
    return llvm::createStringError("bundle needs -o DIR");
  auto specializations = readSpecifications(context, arguments);
  if (!specializations)
    return specializations.takeError();
  auto jobs = arguments.number("j", std::thread::hardware_concurrency());
  if (!jobs)
    return jobs.takeError();
  if (*jobs < 1)
    return llvm::createStringError("-j needs at least 1 thread");
  if (specializations->empty()) {
    return llvm::createStringError("nothing to bundle: '" +
                                   (arguments.has("default")
                                        ? "--default"
                                        : arguments.positional.front()) +
                                   "' names no kernel");
  }
  BundleOptions options;
  options.folder = *arguments.get("o");
  // Printed IR and timings of several kernels at once can't be read.
  options.jobs = arguments.mlirFlags.empty() ? *jobs : 1;
  if (!arguments.has("no-cubin"))
    options.ptxas = findPtxas().value_or("");
  options.progress = !arguments.has("quiet");
  return writeBundle(*specializations, options);
}

} // namespace tile
