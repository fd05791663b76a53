// The lowering from the tile dialect to NVVM, in phases.
#pragma once
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/PassManager.h"

namespace tile {

/// How far a module is lowered; the names are those of --emit.
enum class Stage {
  tile,    // as recorded
  lowered, // mbarriers, addresses and per-thread vectors; roles still apart
  nvvm     // one llvm.func in the LLVM and NVVM dialects
};

/// Adds the passes that take a module from one stage to a later one, with a
/// verifier after each phase. The result of stage nvvm has the
/// target-independent attribute `tile.launch` on its module: the manifest
/// entry's content.
void buildPipeline(mlir::OpPassManager &pm, Stage from, Stage to);

/// The stage of a module: nvvm where no tile op is left, tile where nothing is
/// placed in memory yet; lowered in between, where the passes say what is
/// missing.
Stage stageOf(mlir::ModuleOp module);
llvm::StringRef name(Stage stage);

/// Registers every pass of this folder and the pipelines
/// `tile-to-lowered` and `tile-to-nvvm`.
void registerTilePasses();

} // namespace tile
