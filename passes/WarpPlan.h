// Which warps execute which role, and with how many registers.
#pragma once
#include "passes/Emit.h"

namespace tile {

/// Roles of whole warpgroups start at a multiple of 4 warps (tensor-memory
/// lanes, setmaxnreg); the others share the last warpgroup (L2).
struct WarpPlan {
  struct Group {
    int64_t firstWarp, warps, registers;
    llvm::SmallVector<ir::RoleOp> roles;
  };
  llvm::SmallVector<Group> groups;
  int64_t threads = 0;
  /// Registers of each thread at launch; the groups' values must fit in the
  /// same pool (L3).
  int64_t launchRegisters = 0;
  bool reallocates = false;
};

/// Sets `firstWarp` of each role. Fails, at the kernel, where the roles take
/// more threads than a CTA has (L2), or more registers than these get at launch
/// (L3).
mlir::FailureOr<WarpPlan> planWarps(ir::KernelOp kernel);

} // namespace tile
