// The tile dialect: types, layouts and ops (see TileDialect.td).
#pragma once
#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "dsl/ir/TileDialect.h.inc"
#include "dsl/ir/TileEnums.h.inc"

#define GET_ATTRDEF_CLASSES
#include "dsl/ir/TileAttrs.h.inc"

#define GET_TYPEDEF_CLASSES
#include "dsl/ir/TileTypes.h.inc"

namespace tile::ir {

/// True for tensors that carry a tile layout: fragments (rank 2) and per-row
/// values (rank 1).
bool isFragment(mlir::Type type);
bool isFragment(mlir::Type type, int64_t rank);
/// Of such a type: a quad of lanes shares two rows, or a thread has one row.
bool isQuad(mlir::Type type);
/// True for a vector as a thread holds it: of one dim, of fixed length.
bool isVector(mlir::Type type);
/// The acquire, hold or slot_at under a slot's views.
mlir::Operation *rootOf(mlir::Value slot);

/// True where two CTAs work together, or where nothing says otherwise.
bool isOfPair(mlir::Operation *op);

namespace detail {
mlir::LogicalResult verifyHandles(mlir::Operation *op);
mlir::LogicalResult verifyInRole(mlir::Operation *op);
/// An error where `text` is none of `known`; `what` says what it is.
mlir::LogicalResult verifyWord(mlir::Operation *op, llvm::StringRef what,
                               llvm::StringRef text,
                               llvm::ArrayRef<llvm::StringRef> known);
} // namespace detail

/// Operands that are slots, pipes, tensors or variables come straight from the
/// ops that make them.
template <class Op>
class KnownHandles : public mlir::OpTrait::TraitBase<Op, KnownHandles> {
public:
  static mlir::LogicalResult verifyTrait(mlir::Operation *op) {
    return detail::verifyHandles(op);
  }
};
/// The op stands in a role.
template <class Op> class InRole : public mlir::OpTrait::TraitBase<Op, InRole> {
public:
  static mlir::LogicalResult verifyTrait(mlir::Operation *op) {
    return detail::verifyInRole(op);
  }
};

} // namespace tile::ir

#define GET_OP_CLASSES
#include "dsl/ir/TileOps.h.inc"
