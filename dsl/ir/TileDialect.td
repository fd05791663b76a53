//===- TileDialect.td - the dialect and its base classes ------------------===//
#ifndef TILE_DIALECT_TD
#define TILE_DIALECT_TD

include "mlir/IR/OpBase.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "mlir/Interfaces/InferTypeOpInterface.td"

def Tile_Dialect : Dialect {
  let name = "tile";
  let cppNamespace = "::tile::ir";
  let summary = "warp-specialized pipelines over tiles";
  let description = [{
    A kernel is a set of roles that exchange tiles through pipes. A pipe is a
    buffer of slots whose ownership moves along numbered edges; `acquire` waits
    for a hand-over, `release` makes one. Barriers, phases, addresses and
    instruction descriptors appear only when the passes lower these.
    README.md states the invariants (R rings, M memory, L roles).
  }];
  let useDefaultTypePrinterParser = 1;
  let useDefaultAttributePrinterParser = 1;
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect"];
}

/// Slots, pipes, tensors and variables come straight from the ops that make
/// them, so that passes can look those up.
def Tile_KnownHandles : NativeOpTrait<"KnownHandles"> {
  let cppNamespace = "::tile::ir";
}
/// The op stands in a role.
def Tile_InRole : NativeOpTrait<"InRole"> {
  let cppNamespace = "::tile::ir";
}

class Tile_Op<string mnemonic, list<Trait> traits = []>
    : Op<Tile_Dialect, mnemonic, !listconcat(traits, [Tile_KnownHandles])>;

#endif
