#include "codegen/Invocation.h"
#include "codegen/Ptxas.h"
#include "llvm/Support/raw_ostream.h"

namespace tile {
namespace {

const Flag helpFlag = {"help", Flag::Value::none, "", "this text"};

/// The flags of every kernel.
std::nullopt_t printGeneralHelp(const CommandContext &context,
                                llvm::StringRef command,
                                std::vector<Flag> flags) {
  std::vector<Flag> all = specializationFlags({});
  all.insert(all.end(), flags.begin(), flags.end());
  all.push_back(helpFlag);
  llvm::outs() << "usage: " << context.tool << " " << command
               << " KERNEL [flags]\n"
               << flagHelp(all)
               << "and those of KERNEL's schedule: " << context.tool << " "
               << command << " KERNEL --help; " << context.tool
               << " list shows the kernels\n";
  return std::nullopt;
}
} // namespace

const Flag jsonFlag = {"json", Flag::Value::none, "", "as JSON"};
const Flag emitFlag = {"emit", Flag::Value::required, "STAGE",
                       "tile, lowered, nvvm, llvm, ptx (default) or cubin"};
const Flag outputFlag = {"o", Flag::Value::required, "FILE",
                         "output, - (default) for standard output"};

llvm::Expected<std::optional<Arguments>>
parseOrHelp(const CommandContext &context, llvm::StringRef usage,
            llvm::ArrayRef<llvm::StringRef> words, std::vector<Flag> flags) {
  flags.push_back(helpFlag);
  auto arguments = Arguments::parse(words, flags);
  if (!arguments)
    return arguments.takeError();
  if (arguments->has("help")) {
    llvm::outs() << "usage: " << context.tool << " " << usage << "\n"
                 << flagHelp(flags);
    return std::nullopt;
  }
  if (llvm::Error error = applyMlirFlags(arguments->mlirFlags))
    return error;
  return std::move(*arguments);
}

llvm::Error rejectPositional(const Arguments &arguments) {
  if (arguments.positional.empty())
    return llvm::Error::success();
  return llvm::createStringError("unexpected argument '" +
                                 arguments.positional.front() + "'");
}

llvm::Expected<std::optional<Invocation>>
parseInvocation(const CommandContext &context, llvm::StringRef command,
                std::vector<Flag> flags) {
  if (llvm::is_contained(context.words, "--help") &&
      context.words.front().starts_with("-"))
    return printGeneralHelp(context, command, std::move(flags));
  if (context.words.empty() || context.words.front().starts_with("-"))
    return llvm::createStringError(command +
                                   " needs a KERNEL before its flags; " +
                                   context.tool + " list shows them");
  auto kernel = findKernel(context.registry, context.words.front());
  if (!kernel)
    return kernel.takeError();
  std::vector<Flag> all = specializationFlags(**kernel);
  all.insert(all.end(), flags.begin(), flags.end());
  auto arguments =
      parseOrHelp(context, (command + " " + (*kernel)->name + " [flags]").str(),
                  context.words.drop_front(), std::move(all));
  if (!arguments || !*arguments)
    return arguments ? llvm::Expected<std::optional<Invocation>>(std::nullopt)
                     : arguments.takeError();
  if (llvm::Error error = rejectPositional(**arguments))
    return error;
  auto specialization = parseSpecialization(**kernel, **arguments);
  if (!specialization)
    return specialization.takeError();
  return Invocation{*specialization, std::move(**arguments)};
}

llvm::Expected<Output> readOutput(const Arguments &arguments) {
  std::string text = arguments.get("emit").value_or("ptx");
  if (std::optional<Output> output = parseOutput(text))
    return *output;
  return llvm::createStringError(
      "--emit can't be '" + text +
      "'; it is one of tile, lowered, nvvm, llvm, ptx, cubin");
}

llvm::Expected<std::string> needPtxas(Output output) {
  if (output != Output::cubin)
    return std::string();
  if (std::optional<std::string> ptxas = findPtxas())
    return *ptxas;
  return llvm::createStringError("--emit=cubin needs ptxas, which is not "
                                 "there: not as FA4_PTXAS, in PATH, "
                                 "in CUDA_HOME/bin or in /usr/local/cuda/bin");
}

} // namespace tile
