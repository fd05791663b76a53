// The LLVM IR passes between translation and code generation.
#pragma once

namespace llvm {
class Module;
class TargetMachine;
} // namespace llvm

namespace tile {

/// Marks every side-effecting inline assembly call convergent. MLIR's
/// llvm.inline_asm cannot say it, and without it LLVM duplicates and merges
/// barriers across branches.
void markInlineAsmConvergent(llvm::Module &module);

/// Makes every NVVM intrinsic that touches memory at all touch any memory. LLVM
/// 22 declares tcgen05.mma as writing only its accumulator, so that it sees no
/// reason to keep two equal MMAs, or a shared-memory store before one; some
/// waits are declared as mere reads, which may be merged.
void forgetIntrinsicEffects(llvm::Module &module);

/// Cleans up scalars and control flow. Deliberately not -O2: nothing here may
/// delete, merge or move a memory access or a call across another (no DSE,
/// GVN, LICM, sinking), and no loop is unrolled.
void runLlvmPipeline(llvm::Module &module, llvm::TargetMachine &machine);

} // namespace tile
