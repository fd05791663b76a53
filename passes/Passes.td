//===- Passes.td - from the tile dialect to NVVM ----------------------------===//
#ifndef TILE_PASSES_TD
#define TILE_PASSES_TD

include "mlir/Pass/PassBase.td"

class TilePass<string flag, string operation> : Pass<flag, operation> {
  let dependentDialects = ["::mlir::arith::ArithDialect",
    "::mlir::scf::SCFDialect", "::mlir::vector::VectorDialect",
    "::mlir::math::MathDialect", "::mlir::LLVM::LLVMDialect",
    "::mlir::NVVM::NVVMDialect"];
}

def VerifyProtocol : TilePass<"tile-verify-protocol", "::tile::ir::KernelOp"> {
  let summary = "prove that the roles' hand-overs fit together (R3-R10, L1)";
}
def CountWork : TilePass<"tile-count-work", "::tile::ir::KernelOp"> {
  let summary = "count FLOPs, bytes and exponentials of a tile, for explain";
}
def AssignTmem : TilePass<"tile-assign-tmem", "::tile::ir::KernelOp"> {
  let summary = "give each tensor-memory pipe its columns (M2)";
}
def AssignSmem : TilePass<"tile-assign-smem", "::tile::ir::KernelOp"> {
  let summary = "give barriers and shared-memory pipes their offsets (M1)";
}
def LowerRings : TilePass<"tile-lower-rings", "::tile::ir::KernelOp"> {
  let summary = "turn acquire and release into mbarrier waits, arrivals and phases (R5)";
}
def LowerCopies : TilePass<"tile-lower-copies", "::tile::ir::KernelOp"> {
  let summary = "turn copies into TMA instructions over tensor maps";
}
def LowerMma : TilePass<"tile-lower-mma", "::tile::ir::KernelOp"> {
  let summary = "turn mma into tcgen05.mma with descriptors";
}
def LowerWarpgroupMma : TilePass<"tile-lower-warpgroup-mma", "::tile::ir::KernelOp"> {
  let summary = "turn warpgroup_mma and await into wgmma (W1)";
}
def DistributeFragments : TilePass<"tile-distribute-fragments", "::tile::ir::KernelOp"> {
  let summary = "turn fragments into per-thread vectors (F1)";
}
def ExpandExp2 : TilePass<"tile-expand-exp2", "::tile::ir::KernelOp"> {
  let summary = "split exp2 between MUFU and the polynomial";
}
def LowerRoles : TilePass<"tile-lower-roles", "::mlir::ModuleOp"> {
  let summary = "merge the roles into one warp-specialized function (L1-L3)";
}
def PromoteVars : TilePass<"tile-promote-vars", "::mlir::ModuleOp"> {
  let summary = "turn variables into loop-carried values";
}
def ConvertToNvvm : TilePass<"tile-convert-to-nvvm", "::mlir::ModuleOp"> {
  let summary = "turn the last tile ops into NVVM and LLVM ops";
}
def VerifyLowered : TilePass<"tile-verify-lowered", "::tile::ir::KernelOp"> {
  let summary = "no hand-over, fragment or MMA op is left (R6, F2)";
}

#endif
