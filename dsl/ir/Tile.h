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

#define GET_OP_CLASSES
#include "dsl/ir/TileOps.h.inc"
