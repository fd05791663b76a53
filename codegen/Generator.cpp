#include "codegen/Generator.h"
#include "codegen/Commands.h"
#include "codegen/Compile.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

namespace tile {
namespace {

using Command = llvm::Error (*)(const CommandContext &);

struct CommandEntry {
  const char *name;
  const char *synopsis;
  const char *summary;
  Command run;
};

const CommandEntry commands[] = {
    {"list", "[--json]", "the kernels and what they support", listCommand},
    {"emit", "KERNEL [flags] --emit=STAGE -o FILE",
     "one kernel, with its manifest beside it", emitCommand},
    {"bundle", "SPECFILE|--default -o DIR",
     "many kernels into one folder with one manifest", bundleCommand},
    {"explain", "KERNEL [flags] [--json]",
     "memory maps, roles, barriers, predicted work", explainCommand},
    {"verify", "KERNEL [flags]", "what the verifiers prove of a kernel",
     verifyCommand},
    {"lower", "FILE.mlir [--arch ARCH] --emit=STAGE -o FILE",
     "IR from a file through the rest of the pipeline", lowerCommand}};

void printUsage(llvm::StringRef tool) {
  llvm::outs() << "usage: " << tool << " COMMAND ...\n\ncommands\n";
  for (const CommandEntry &command : commands)
    llvm::outs() << "  " << command.name << " " << command.synopsis
                 << "\n      " << command.summary << "\n";
  llvm::outs()
      << "\n`" << tool << " COMMAND [KERNEL] --help` lists the flags; MLIR's "
      << "--mlir-print-ir-after-all,\n--mlir-timing and the like work with "
      << "every command that compiles.\n";
}

const CommandEntry *findCommand(llvm::StringRef name) {
  for (const CommandEntry &command : commands)
    if (name == command.name)
      return &command;
  return nullptr;
}

llvm::Error unknownCommand(llvm::StringRef name) {
  std::vector<std::string> names;
  for (const CommandEntry &command : commands)
    names.push_back(command.name);
  return llvm::createStringError("unknown command '" + name + "'" +
                                 nearestHint(name, names));
}

llvm::Error run(llvm::StringRef tool, llvm::ArrayRef<llvm::StringRef> words,
                const KernelRegistry &registry) {
  if (words.empty())
    return llvm::createStringError("no command; try " + tool + " --help");
  const CommandEntry *command = findCommand(words.front());
  if (!command)
    return unknownCommand(words.front());
  CommandContext context{tool.str(), registry, words.drop_front()};
  return command->run(context);
}

} // namespace

llvm::Error applyMlirFlags(llvm::ArrayRef<std::string> flags) {
  std::vector<const char *> words = {"mlir"};
  const auto &known = llvm::cl::getRegisteredOptions();
  for (const std::string &flag : flags) {
    llvm::StringRef name = llvm::StringRef(flag).ltrim('-').split('=').first;
    if (!known.contains(name))
      return llvm::createStringError("MLIR has no flag '" + flag + "'");
    words.push_back(flag.c_str());
  }
  std::string complaint;
  llvm::raw_string_ostream out(complaint);
  if (!llvm::cl::ParseCommandLineOptions(words.size(), words.data(), "", &out))
    return llvm::createStringError(llvm::StringRef(complaint).trim());
  return llvm::Error::success();
}

/// LLVM ends the process where it can't go on: with our message and status.
static void reportFatal(void *, const char *reason, bool) {
  llvm::errs() << "fa4-gen: error: LLVM can't compile this: " << reason << "\n";
  std::_Exit(1);
}

int generatorMain(int argc, char **argv, const KernelRegistry &registry) {
  llvm::InitLLVM init(argc, argv);
  llvm::install_fatal_error_handler(reportFatal);
  registerMlirFlags();
  llvm::StringRef tool = llvm::sys::path::filename(argv[0]);
  llvm::SmallVector<llvm::StringRef> words(argv + 1, argv + argc);
  llvm::StringRef first = words.empty() ? "" : words.front();
  if (first == "--help" || first == "-h" || first == "help") {
    printUsage(tool);
    return 0;
  }
  if (first == "--version") {
    llvm::outs() << tool << " " FA4_VERSION ", LLVM " LLVM_VERSION_STRING "\n";
    return 0;
  }
  if (llvm::Error error = run(tool, words, registry)) {
    llvm::errs() << tool << ": error: " << llvm::toString(std::move(error))
                 << "\n";
    return 1;
  }
  return 0;
}

} // namespace tile
