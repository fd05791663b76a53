// The diagnostics of one context, collected into one error.
#pragma once
#include "mlir/IR/Diagnostics.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/raw_ostream.h"
#include <string>

namespace tile {

/// While in scope, keeps what MLIR says of `context`: location, severity, text
/// and, where the file can be read, its line. What was not taken by failure()
/// (warnings of a run that succeeded) is printed to stderr at the end.
class Diagnostics {
public:
  explicit Diagnostics(mlir::MLIRContext *context);
  ~Diagnostics();

  /// An error of what was said, ending in the line `message`.
  llvm::Error failure(const llvm::Twine &message);

private:
  std::string text;
  llvm::raw_string_ostream out;
  llvm::SourceMgr sources;
  mlir::SourceMgrDiagnosticHandler handler;
};

} // namespace tile
