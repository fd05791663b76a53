// The commands of a generator, one function each.
#pragma once
#include "codegen/Arguments.h"
#include "dsl/lang/Kernel.h"

namespace tile {

struct CommandContext {
  /// The tool's name, for usage texts.
  std::string tool;
  const KernelRegistry &registry;
  /// The words after the command's name.
  llvm::ArrayRef<llvm::StringRef> words;
};

llvm::Error listCommand(const CommandContext &context);
llvm::Error emitCommand(const CommandContext &context);
llvm::Error bundleCommand(const CommandContext &context);
llvm::Error explainCommand(const CommandContext &context);
llvm::Error verifyCommand(const CommandContext &context);
llvm::Error lowerCommand(const CommandContext &context);

/// Gives MLIR its own flags. Only the flags of one invocation reach it, so it
/// is called once in a process.
llvm::Error applyMlirFlags(llvm::ArrayRef<std::string> flags);

} // namespace tile
