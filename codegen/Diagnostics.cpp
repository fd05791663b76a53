#include "codegen/Diagnostics.h"

namespace tile {

Diagnostics::Diagnostics(mlir::MLIRContext *context)
    : out(text), handler(sources, context, out) {}

Diagnostics::~Diagnostics() { llvm::errs() << text; }

llvm::Error Diagnostics::failure(const llvm::Twine &message) {
  std::string said = std::exchange(text, "");
  llvm::StringRef trimmed = llvm::StringRef(said).rtrim();
  if (trimmed.empty())
    return llvm::createStringError(message);
  return llvm::createStringError(trimmed + "\n" + message);
}

} // namespace tile
