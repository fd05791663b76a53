// What a role does with the slots it holds, read off the recorded ops.
#pragma once
#include "passes/Passes.h"
#include "llvm/ADT/MapVector.h"

namespace tile {

using ir::rootOf;
ir::PipeOp pipeOf(mlir::Value slot);
mlir::Value instanceOf(mlir::Value slot);
/// "kv.full", "sp.back.1": an edge as reports name it.
std::string edgeName(ir::PipeOp pipe, int64_t edge, int64_t part);

/// What a role did with a slot between acquire and release.
struct SlotUse {
  bool multiplied = false;
  bool loaded = false;
  bool stored = false;
  bool copiedOut = false;
  bool copiedToPeer = false;
  int64_t bytesIn = 0;
  /// Copies whose bytes complete the release: copy_in or copy_peer.
  llvm::SmallVector<mlir::Operation *> copiesIn;
};
SlotUse useOf(mlir::Value slot);

/// True where the slot, or a view of it, is released along `edge`.
bool releasesEdge(mlir::Value slot, int64_t edge);

/// How many copies of each role hand a slot over along `edge` in each phase,
/// which is what its barriers count: every copy of a role that names the pipe's
/// instance by a constant, one of a role whose copies have instances of their
/// own. An arrival of a copy may be one of each of its warps.
using RoleCopies = llvm::MapVector<mlir::Operation *, int64_t>;
RoleCopies copiesHandingOver(ir::PipeOp pipe, int64_t edge);

/// True where the first acquire of the last edge finds the slot free. The near
/// side of a duplex that puts (holds) before it ever takes has used that up.
bool firstOwnerAcquires(ir::PipeOp pipe);

} // namespace tile
