// One module through the passes, LLVM and ptxas, as far as asked.
#pragma once
#include "codegen/Ptxas.h"
#include "codegen/Specialization.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/Support/JSON.h"

namespace tile {

/// The values of --emit, in pipeline order.
enum class Output { tile, lowered, nvvm, llvm, ptx, cubin };

/// The output called `text`, or none.
std::optional<Output> parseOutput(llvm::StringRef text);

struct CompileOptions {
  Arch arch = Arch::sm_100a;
  Output output = Output::ptx;
  /// Where ptxas is; used by Output::cubin only, which needs it.
  std::string ptxas;
  /// Named in errors.
  std::string name;
};

struct Compiled {
  /// The asked-for text or bytes.
  std::string content;
  /// Set from Output::ptx on.
  std::string ptx;
  /// Set by Output::cubin.
  std::optional<PtxasReport> report;
  /// `tile.launch` as JSON and the entry's name; from Output::nvvm on.
  llvm::json::Object launch;
  std::string entry;
};

/// Makes MLIR's flags for contexts, passes, printing and timing known to its
/// command line. Once in a process; later calls do nothing.
void registerMlirFlags();

/// Lowers `module` in place. The flags above apply. Diagnostics become the
/// error's text, each with the author's line.
llvm::Expected<Compiled> compileModule(mlir::ModuleOp module,
                                       const CompileOptions &options);

/// Records the specialization, then compiles it.
llvm::Expected<Compiled> compile(const Specialization &specialization,
                                 Output output, const std::string &ptxas);

} // namespace tile
