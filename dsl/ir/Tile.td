//===- Tile.td - everything of the tile dialect -----------------------------===//
include "TileDialect.td"
include "TileTypes.td"
include "TileStructureOps.td"
include "TilePipelineOps.td"
include "TileComputeOps.td"
include "TilePairOps.td"
include "TileOrderOps.td"
