// The roles of a kernel as a network of blocking hand-overs.
//
// A role waits for one barrier at a time and never asks whether it could: a
// Kahn network, whose result doesn't depend on timing. One schedule therefore
// decides whether a tile ends. Where every pipe is afterwards as it was before
// (traceRole sees to the roles' side of it), running tile after tile is one
// possible schedule of any sequence of tiles, so none of them can hang either.
#pragma once
#include "passes/RoleTrace.h"

namespace tile {

class HandOverNetwork {
public:
  /// `traces`: every copy of every role, for one tile.
  HandOverNetwork(const PipeTable &table, llvm::ArrayRef<RoleTrace> traces);

  /// Makes one pipe as deep as `depth`, to see whether that would do.
  void setDepth(int64_t pipe, int64_t depth);
  /// True where every role ends.
  bool settles();

  /// Runs the tile. Fails where the hand-overs of an edge don't add up to what
  /// its barriers count (R3), where the tile can't end, where a slot is left
  /// over (R7), or where a value is overwritten before its last use (M3).
  /// `found` says for which sizes.
  mlir::LogicalResult run(llvm::StringRef found);

private:
  class ContentCheck;
  /// Hand-overs and waits of one (pipe, instance, edge, part), by role.
  struct Channel {
    llvm::SmallVector<int64_t> puts, takes;
    /// Roles that hand over.
    llvm::SmallVector<size_t> from;
    const Step *firstPut = nullptr;
    int64_t expected = 0; // arrivals of a phase
  };
  struct Barrier {
    int64_t arrived = 0, phases = 0;
  };
  Barrier &barrierOf(const Step &step) {
    return barriers[step.channel * deepest + step.index % depthOf(step)];
  }
  int64_t depthOf(const Step &step) const {
    return step.pipe < 0 ? 1 : depths[step.pipe];
  }
  bool startsFree(const Step &step) const;
  bool canRun(const Step &step);
  bool advance(size_t role);
  bool ended(size_t role) const {
    return next[role] == traces[role].steps.size();
  }
  mlir::LogicalResult checkArrivals();
  mlir::LogicalResult checkLeftOver(llvm::StringRef found);
  mlir::LogicalResult explainBlocked(llvm::StringRef found);
  void explain(mlir::InFlightDiagnostic &error, size_t role);
  void describeWaits(mlir::InFlightDiagnostic &error, llvm::StringRef found);
  mlir::LogicalResult checkContents();
  int64_t heldBy(size_t role, const Step &step) const;
  int64_t urgency(size_t role);
  std::string roleName(size_t role) const {
    return nameOf(traces[role].role, traces[role].copy);
  }
  std::string nameOfEdge(const Step &step) const {
    return step.pipe < 0
               ? "turn of copy " + std::to_string(step.instance)
               : edgeName(table.pipes[step.pipe], step.edge, step.part);
  }

  const PipeTable &table;
  llvm::ArrayRef<RoleTrace> traces;
  llvm::SmallVector<size_t> next; // of each role
  llvm::SmallVector<int64_t> depths;
  int64_t deepest = 1;
  std::vector<Channel> channels;
  std::vector<Barrier> barriers;
  /// Roles in the order in which they ran, with the step that each reached.
  std::vector<std::pair<size_t, size_t>> order;
};

} // namespace tile
