// What a pass expects of the IR that it gets. Each pass can be run alone, on
// any file: IR of another stage is an error that names the pass to run before,
// never a crash or wrong code. Every pass asks here first.
#pragma once
#include "passes/Emit.h"

namespace tile {

/// As recorded: slots are acquired or held, and nothing is an address yet.
mlir::LogicalResult expectRecorded(ir::KernelOp kernel);
/// Every pipe has its place in memory, and its barriers.
mlir::LogicalResult expectPlaced(ir::KernelOp kernel);
/// No hand-over is left: slots are addresses, copies know their barriers.
mlir::LogicalResult expectAddresses(ir::KernelOp kernel);
/// The same, and no fragment is left: threads hold vectors.
mlir::LogicalResult expectVectors(ir::KernelOp kernel);
/// Ready to become a function: the phase that tile-verify-lowered ends is over
/// (R6, F2), and what the launch needs is there.
mlir::LogicalResult expectLowered(ir::KernelOp kernel);
/// Kernels have become functions.
mlir::LogicalResult expectFunctions(mlir::ModuleOp module);

/// R6 and F2: nothing owns a slot, holds a fragment, or is a copy or an MMA
/// over slots.
mlir::LogicalResult checkNothingLeft(ir::KernelOp kernel);

/// True where tile-assign-smem has run, hence for everything after it.
bool isPlaced(ir::KernelOp kernel);

} // namespace tile
