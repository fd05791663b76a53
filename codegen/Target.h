// The NVPTX targets: what LLVM must know about each architecture.
#pragma once
#include "dsl/lang/Types.h"
#include "mlir/IR/BuiltinOps.h"
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace llvm {
class TargetMachine;
} // namespace llvm

namespace tile {

/// Every architecture that the generator emits for, newest first.
const std::vector<Arch> &allArchs();

/// The architecture called `text` ("sm_100a"), or none.
std::optional<Arch> parseArch(llvm::StringRef text);

/// A fresh NVPTX target machine at the highest code generation level.
/// Pointers to shared memory are 32 bits wide: LLVM has only a process-wide
/// option for that, which is set while the machine is made and then put back.
/// Safe to call from several threads.
std::unique_ptr<llvm::TargetMachine> createTargetMachine(Arch arch);

/// Writes the machine's data layout and triple on `module`. Must run before
/// the translation to LLVM IR, which otherwise assumes the default layout and
/// gives 64-bit loads an alignment of 4.
void setTarget(mlir::ModuleOp module, const llvm::TargetMachine &machine);

} // namespace tile
