// Each pass says which pass should have run before it.
// RUN: split-file %s %t
// RUN: not fa4-opt %t/recorded.mlir --pass-pipeline='builtin.module(tile.kernel(tile-lower-rings))' 2>&1 | FileCheck %s --check-prefix=PLACED
// PLACED: error: expects IR after tile-assign-smem, but has no offset
// RUN: not fa4-opt %t/recorded.mlir --pass-pipeline='builtin.module(tile.kernel(tile-assign-tmem,tile-lower-rings))' 2>&1 | FileCheck %s --check-prefix=PLACED
// RUN: not fa4-opt %t/tensor-memory.mlir --pass-pipeline='builtin.module(tile.kernel(tile-assign-smem,tile-lower-rings))' 2>&1 | FileCheck %s --check-prefix=COLUMN
// COLUMN: error: expects IR after tile-assign-tmem, but has no column
// RUN: not fa4-opt %t/recorded.mlir --pass-pipeline='builtin.module(tile.kernel(tile-lower-copies))' 2>&1 | FileCheck %s --check-prefix=ADDRESSES
// RUN: not fa4-opt %t/recorded.mlir --pass-pipeline='builtin.module(tile.kernel(tile-lower-mma))' 2>&1 | FileCheck %s --check-prefix=ADDRESSES
// RUN: not fa4-opt %t/recorded.mlir --pass-pipeline='builtin.module(tile.kernel(tile-distribute-fragments))' 2>&1 | FileCheck %s --check-prefix=ADDRESSES
// RUN: not fa4-opt %t/recorded.mlir --pass-pipeline='builtin.module(tile.kernel(tile-lower-warpgroup-mma))' 2>&1 | FileCheck %s --check-prefix=ADDRESSES
// ADDRESSES: error: expects IR after tile-lower-rings, but there is 'tile.acquire'
// RUN: not fa4-opt %t/fragments.mlir --pass-pipeline='builtin.module(tile.kernel(tile-lower-warpgroup-mma))' 2>&1 | FileCheck %s --check-prefix=VECTORS
// RUN: not fa4-opt %t/fragments.mlir --pass-pipeline='builtin.module(tile.kernel(tile-expand-exp2))' 2>&1 | FileCheck %s --check-prefix=VECTORS
// VECTORS: error: expects IR after tile-distribute-fragments, but there is 'tile.row_index'
// RUN: not fa4-opt %t/addresses.mlir --pass-pipeline='builtin.module(tile.kernel(tile-verify-protocol))' 2>&1 | FileCheck %s --check-prefix=RECORDED
// RUN: not fa4-opt %t/addresses.mlir --pass-pipeline='builtin.module(tile.kernel(tile-count-work))' 2>&1 | FileCheck %s --check-prefix=RECORDED
// RUN: not fa4-opt %t/addresses.mlir --pass-pipeline='builtin.module(tile.kernel(tile-lower-rings))' 2>&1 | FileCheck %s --check-prefix=RECORDED
// RECORDED: error: expects IR before tile-lower-rings, but there is 'tile.slot_at'
// RUN: not fa4-opt %t/placed.mlir --tile-lower-roles 2>&1 | FileCheck %s --check-prefix=EDGES
// EDGES: error: expects IR after tile-lower-rings, but has no count for each edge
// RUN: not fa4-opt %t/parties.mlir --tile-lower-roles 2>&1 | FileCheck %s --check-prefix=PARTIES
// PARTIES: error: expects IR after tile-lower-rings, but has no 'to' for each edge
// RUN: not fa4-opt %t/addresses.mlir --tile-lower-roles 2>&1 | FileCheck %s --check-prefix=TMEM
// TMEM: error: expects IR after tile-assign-tmem, but has no 'tmem_columns'
// RUN: not fa4-opt %t/addresses.mlir --pass-pipeline='builtin.module(tile.kernel(tile-assign-tmem),tile-lower-roles)' 2>&1 | FileCheck %s --check-prefix=SMEM
// SMEM: error: expects IR after tile-assign-smem, but has no 'smem_bytes'
// RUN: not fa4-opt %t/addresses.mlir --pass-pipeline='builtin.module(tile.kernel(tile-assign-tmem,tile-assign-smem),tile-lower-roles)' 2>&1 | FileCheck %s --check-prefix=WALK
// WALK: error: L1: the kernel has no walk
// RUN: not fa4-opt %t/addresses.mlir --tile-promote-vars 2>&1 | FileCheck %s --check-prefix=FUNCTIONS
// RUN: not fa4-opt %t/addresses.mlir --tile-convert-to-nvvm 2>&1 | FileCheck %s --check-prefix=FUNCTIONS
// FUNCTIONS: error: expects IR after tile-lower-roles, but there is 'tile.kernel'

//--- recorded.mlir
tile.kernel @recorded for "sm_100a" {} {
  %a = tile.pipe "a" edges ["full", "empty"] : <!tile.slot<smem, 128 x 64 x bf16, swizzle = 128>>
  tile.role "load" {
  ^bb0(%copy: i32):
    %slot = tile.acquire %a[%copy] edge 1 : !tile.pipe<!tile.slot<smem, 128 x 64 x bf16, swizzle = 128>> -> !tile.slot<smem, 128 x 64 x bf16, swizzle = 128>
    tile.yield
  } {registers = 24 : i64, warps = 1 : i64}
}

//--- tensor-memory.mlir
tile.kernel @tensor_memory for "sm_100a" {} {
  %a = tile.pipe "a" edges ["full", "empty"] : <!tile.slot<tmem, 128 x 64 x f32>>
}

//--- fragments.mlir
tile.kernel @fragments for "sm_100a" {} {
  tile.role "use" {
  ^bb0(%copy: i32):
    %row = tile.row_index : tensor<128xi32, #tile.row>
    tile.yield
  } {registers = 128 : i64, warps = 4 : i64}
}

//--- addresses.mlir
tile.kernel @addresses for "sm_100a" {} {
  tile.role "load" {
  ^bb0(%copy: i32):
    %slot = tile.slot_at %copy : !tile.slot<smem, 128 x 64 x bf16, swizzle = 128>
    tile.yield
  } {registers = 24 : i64, warps = 1 : i64}
}

//--- placed.mlir
tile.kernel @placed for "sm_100a" {} {
  %a = tile.pipe "a" edges ["full", "empty"] {barriers = 0 : i64, offset = 1024 : i64} : <!tile.slot<smem, 128 x 64 x bf16, swizzle = 128>>
} {smem_bytes = 0 : i64, tmem_columns = 0 : i64, tmem_slot = 0 : i64}

//--- parties.mlir
tile.kernel @parties for "sm_100a" {} {
  %a = tile.pipe "a" edges ["full", "empty"] {barriers = 0 : i64, offset = 1024 : i64, counts = array<i64: 1, 1>, from = ["x", "y"], to = ["x"]} : <!tile.slot<smem, 128 x 64 x bf16, swizzle = 128>>
} {smem_bytes = 0 : i64, tmem_columns = 0 : i64, tmem_slot = 0 : i64}
