#include "codegen/Commands.h"
#include "codegen/AtomicFile.h"
#include "codegen/Budget.h"
#include "codegen/Compile.h"
#include "codegen/Explain.h"
#include "codegen/Invocation.h"
#include "codegen/Manifest.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

namespace tile {
namespace {

/// A manifest for one output file of one kernel.
std::string singleManifest(const Specialization &specialization,
                           Compiled &compiled, Output output,
                           llvm::StringRef path, const std::string &ptxas) {
  ManifestInput input;
  input.name = specialization.name();
  input.arch = specialization.request.arch;
  input.entry = compiled.entry;
  std::string file = llvm::sys::path::filename(path).str();
  if (output == Output::ptx)
    input.ptxFile = file;
  if (output == Output::cubin)
    input.cubinFile = file;
  input.ptx = compiled.ptx;
  input.report = compiled.report ? &*compiled.report : nullptr;
  if (output == Output::cubin)
    input.ptxasVersion = ptxasVersion(ptxas);
  input.key = specialization.key();
  return manifestText({manifestEntry(std::move(compiled.launch), input)});
}

/// A kernel that spills works, but not as fast as its schedule could be.
void warnOfSpills(const CommandContext &context, const std::string &name,
                  const PtxasReport &report) {
  if (report.spillStores + report.spillLoads > 0) {
    llvm::errs() << context.tool << ": warning: " << name << " spills "
                 << report.spillStores << " bytes and loads "
                 << report.spillLoads << "; its roles need more registers, or "
                 << "smaller blocks\n";
  }
}

std::string flagNames(const KernelDefinition &kernel) {
  std::string text;
  for (const ScheduleFlag &flag : kernel.schedule)
    text += " --" + flag.name;
  return text;
}

llvm::json::Object describe(const KernelDefinition &kernel) {
  llvm::json::Array archs, headDims, schedule;
  for (Arch arch : kernel.archs)
    archs.push_back(std::string(name(arch)));
  for (auto [headDim, headDimV] : kernel.headDims)
    headDims.push_back(llvm::json::Array{headDim, headDimV});
  for (const ScheduleFlag &flag : kernel.schedule)
    schedule.push_back(
        llvm::json::Object{{"name", flag.name}, {"help", flag.help}});
  return llvm::json::Object{{"name", kernel.name},
                            {"summary", kernel.summary},
                            {"archs", std::move(archs)},
                            {"head_dims", std::move(headDims)},
                            {"schedule", std::move(schedule)}};
}

void printKernel(const KernelDefinition &kernel) {
  llvm::outs() << kernel.name << "  " << kernel.summary << "\n  arch";
  for (Arch arch : kernel.archs)
    llvm::outs() << " " << llvm::StringRef(name(arch));
  if (!kernel.headDims.empty())
    llvm::outs() << "  head dims";
  for (auto [headDim, headDimV] : kernel.headDims) {
    llvm::outs() << " " << headDim;
    if (headDimV != headDim)
      llvm::outs() << "," << headDimV;
  }
  llvm::outs() << "\n";
  if (!kernel.schedule.empty())
    llvm::outs() << "  schedule" << flagNames(kernel) << "\n";
}

/// The manifest entry of a specialization, assembled where `ptxas` is given.
llvm::Expected<llvm::json::Object>
plannedEntry(const CommandContext &context,
             const Specialization &specialization, const std::string &ptxas) {
  auto compiled = compile(specialization,
                          ptxas.empty() ? Output::nvvm : Output::cubin, ptxas);
  if (!compiled)
    return compiled.takeError();
  ManifestInput input;
  if (compiled->report) {
    input.report = &*compiled->report;
    warnOfSpills(context, specialization.name(), *compiled->report);
  }
  input.name = specialization.name();
  input.arch = specialization.request.arch;
  input.entry = compiled->entry;
  input.key = specialization.key();
  return manifestEntry(std::move(compiled->launch), input);
}

} // namespace

llvm::Error listCommand(const CommandContext &context) {
  auto arguments =
      parseOrHelp(context, "list [--json]", context.words, {jsonFlag});
  if (!arguments || !*arguments)
    return arguments ? llvm::Error::success() : arguments.takeError();
  if (llvm::Error error = rejectPositional(**arguments))
    return error;
  if (!(*arguments)->has("json")) {
    for (const KernelDefinition &kernel : context.registry)
      printKernel(kernel);
    return llvm::Error::success();
  }
  llvm::json::Array kernels;
  for (const KernelDefinition &kernel : context.registry)
    kernels.push_back(describe(kernel));
  llvm::json::Value document = std::move(kernels);
  llvm::outs() << llvm::formatv("{0:2}\n", document);
  return llvm::Error::success();
}

llvm::Error emitCommand(const CommandContext &context) {
  auto invocation = parseInvocation(context, "emit", {emitFlag, outputFlag});
  if (!invocation || !*invocation)
    return invocation ? llvm::Error::success() : invocation.takeError();
  const auto &[specialization, arguments] = **invocation;
  auto output = readOutput(arguments);
  if (!output)
    return output.takeError();
  auto ptxas = needPtxas(*output);
  if (!ptxas)
    return ptxas.takeError();
  auto compiled = compile(specialization, *output, *ptxas);
  if (!compiled)
    return compiled.takeError();
  if (compiled->report)
    warnOfSpills(context, specialization.name(), *compiled->report);
  std::string path = arguments.get("o").value_or("-");
  if (path == "-")
    return writeFileAtomically(path, compiled->content);
  std::string manifest =
      singleManifest(specialization, *compiled, *output, path, *ptxas);
  return writeFilesAtomically(
      {{path, compiled->content}, {path + ".json", manifest}});
}

llvm::Error explainCommand(const CommandContext &context) {
  auto invocation = parseInvocation(context, "explain", {jsonFlag});
  if (!invocation || !*invocation)
    return invocation ? llvm::Error::success() : invocation.takeError();
  const Specialization &specialization = (*invocation)->specialization;
  std::string ptxas = findPtxas().value_or("");
  auto entry = plannedEntry(context, specialization, ptxas);
  if (!entry && !ptxas.empty()) { // the plan is there without it
    llvm::errs() << context.tool
                 << ": warning: " << llvm::toString(entry.takeError()) << "\n";
    entry = plannedEntry(context, specialization, "");
  }
  if (!entry)
    return entry.takeError();
  if ((*invocation)->arguments.has("json"))
    llvm::outs() << llvm::formatv("{0:2}\n",
                                  llvm::json::Value(std::move(*entry)));
  else
    llvm::outs() << explain(*entry);
  return llvm::Error::success();
}

llvm::Error verifyCommand(const CommandContext &context) {
  auto invocation = parseInvocation(context, "verify", {});
  if (!invocation || !*invocation)
    return invocation ? llvm::Error::success() : invocation.takeError();
  auto entry = plannedEntry(context, (*invocation)->specialization, "");
  if (!entry)
    return entry.takeError();
  llvm::outs() << (*invocation)->specialization.name()
               << ": every phase of the lowering verifies\n";
  for (const std::string &line : budgetLines(*entry))
    llvm::outs() << "  " << line << "\n";
  const llvm::json::Object *resources = entry->getObject("resources");
  const llvm::json::Array *proofs =
      resources ? resources->getArray("proofs") : nullptr;
  if (proofs)
    for (const llvm::json::Value &proof : *proofs)
      if (auto text = proof.getAsString())
        llvm::outs() << "  " << *text << "\n";
  return llvm::Error::success();
}

} // namespace tile
