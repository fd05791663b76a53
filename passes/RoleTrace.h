// What one copy of a role does to the pipes during one tile, in order.
#pragma once
#include "passes/PipeTable.h"
#include "passes/RoleProgram.h"
#include "passes/SlotContents.h"

namespace tile {

/// A step that other roles can see: a wait for a hand-over, or one. Turns are
/// hand-overs from copy to copy, `instance` being the copy that gets it.
struct Step {
  bool waits;
  mlir::Operation *op;
  int64_t pipe, instance, edge, part; // pipe -1: a turn
  /// How many slots of the edge the role had taken before this one: modulo the
  /// depth the slot, divided by it the phase of the slot's barrier.
  int64_t index;
  /// Number of the (pipe, instance, edge, part) among all of the kernel.
  int64_t channel;
  /// How much of the trace's `contents` comes before it.
  size_t contents = 0;
};

/// An access to what lies in a slot of a pipe's instance.
struct ContentStep {
  int64_t pipe, instance, index;
  SlotAccess access;
};

struct RoleTrace {
  ir::RoleOp role;
  int64_t copy;
  std::vector<Step> steps;
  std::vector<ContentStep> contents;
  /// Trips of the longest loop.
  int64_t longestLoop = 0;
};

/// Runs a role's body for the tile that `known` describes (kernel-level
/// integers and what the walk yields). Fails, at the author's line, where the
/// role breaks the rules of ownership by itself (R4, R9, R10, L1, L4).
mlir::FailureOr<RoleTrace> traceRole(const RoleProgram &program,
                                     const PipeTable &table, ir::RoleOp role,
                                     int64_t copy, const Integers &known);

/// "role 'mma'", or "copy 1 of role 'softmax'".
std::string nameOf(ir::RoleOp role, int64_t copy);

} // namespace tile
