// How the commands read their words.
#pragma once
#include "codegen/Commands.h"
#include "codegen/Compile.h"
#include "codegen/Specialization.h"

namespace tile {

extern const Flag jsonFlag, emitFlag, outputFlag;

/// The arguments, or none where --help was asked for and has been printed.
/// MLIR's own flags take effect.
llvm::Expected<std::optional<Arguments>>
parseOrHelp(const CommandContext &context, llvm::StringRef usage,
            llvm::ArrayRef<llvm::StringRef> words, std::vector<Flag> flags);

/// Error where an argument is left over.
llvm::Error rejectPositional(const Arguments &arguments);

/// A command's KERNEL and flags.
struct Invocation {
  Specialization specialization;
  Arguments arguments;
};

/// KERNEL, the flags of its specialization and `flags`; none after --help.
llvm::Expected<std::optional<Invocation>>
parseInvocation(const CommandContext &context, llvm::StringRef command,
                std::vector<Flag> flags);

/// --emit, by default ptx.
llvm::Expected<Output> readOutput(const Arguments &arguments);

/// The assembler's path; empty where `output` does not need it. Error where it
/// is needed and not there.
llvm::Expected<std::string> needPtxas(Output output);

} // namespace tile
