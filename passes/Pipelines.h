// The lowering from the tile dialect to NVVM, in phases.
#pragma once
#include "mlir/Pass/PassManager.h"

namespace tile {

/// How far a module is lowered; the names are those of --emit.
enum class Stage {
  tile,    // as recorded
  lowered, // mbarriers, addresses and per-thread vectors; roles still apart
  nvvm     // one llvm.func in the LLVM and NVVM dialects
};

/// Adds the passes that take a recorded module to `stage`, with a verifier
/// after each phase. The result of stage nvvm has the target-independent
/// attribute `tile.launch` on its module: the manifest entry's content.
void buildPipeline(mlir::OpPassManager &pm, Stage stage);

/// Registers every pass of this folder and the pipelines
/// `tile-to-lowered` and `tile-to-nvvm`.
void registerTilePasses();

} // namespace tile
