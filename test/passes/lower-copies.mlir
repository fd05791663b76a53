// RUN: %fa4-opt %s --split-input-file --pass-pipeline='builtin.module(tile.kernel(tile-lower-copies))' | FileCheck %s

!wide_t = !tile.slot<smem, 128 x 128 x bf16, swizzle = 128>

// A tile is loaded one TMA instruction a panel of the swizzle's width, all on
// one barrier; coordinates are innermost first. The map's box is one panel.
// CHECK-LABEL: tile.kernel @panels
// CHECK: %[[MAP:.*]] = tile.tensor_map {{.*}} box [64, 1, 128, 1] swizzle 128
// CHECK-NOT: tensor_map
// CHECK: tile.role "load"
// CHECK-SAME: {
// CHECK-NEXT: ^bb0(%{{.*}}: i32, %[[BATCH:.*]]: i32, %[[ROW:.*]]: i32, %[[HEAD:.*]]: i32, %[[COLUMN:.*]]: i32, %[[BARRIER:.*]]: i32)
// CHECK: nvvm.cp.async.bulk.tensor.shared.cluster.global {{.*}}, %[[MAP]], {{.*}} box[%[[COLUMN]], %[[HEAD]], %[[ROW]], %[[BATCH]]]
// CHECK: %[[PANEL:.*]] = arith.constant 16384 : i32
// CHECK: arith.addi %{{.*}}, %[[PANEL]]
// CHECK: %[[WIDTH:.*]] = arith.constant 64 : i32
// CHECK: %[[NEXT:.*]] = arith.addi %[[COLUMN]], %[[WIDTH]]
// CHECK: nvvm.cp.async.bulk.tensor.shared.cluster.global {{.*}}, %[[MAP]], {{.*}} box[%[[NEXT]], %[[HEAD]], %[[ROW]], %[[BATCH]]]
// CHECK-NOT: nvvm.cp
tile.kernel @panels for "sm_100a" {} {
  %x = tile.tensor "input" "x" ["batch", "seqlen", "heads", "128"] of bf16
  tile.role "load" {
  ^bb0(%copy: i32, %batch: i32, %row: i32, %head: i32, %column: i32, %barrier: i32):
    %address = arith.constant 1024 : i32
    %slot = tile.slot_at %address : !wide_t
    tile.copy_in %x[%batch, %row, %head, %column] -> %slot signals %barrier : !wide_t
    tile.yield
  } {registers = 24 : i64, warps = 1 : i64}
}

// -----

!out_t = !tile.slot<smem, 128 x 64 x bf16, swizzle = 128>
!half_t = !tile.slot<smem, 64 x 64 x bf16, swizzle = 128>

// A store is a group of its own, for the wait before the slot is handed back.
// Two shapes of one tensor need two maps; one shape is mapped once.
// CHECK-LABEL: tile.kernel @store
// CHECK-DAG: %[[HALF:.*]] = tile.tensor_map {{.*}} box [64, 64]
// CHECK-DAG: %[[WHOLE:.*]] = tile.tensor_map {{.*}} box [64, 128]
// CHECK-NOT: tensor_map
// CHECK: nvvm.cp.async.bulk.tensor.global.shared.cta %[[WHOLE]]
// CHECK-NEXT: nvvm.cp.async.bulk.commit.group
// CHECK: nvvm.cp.async.bulk.tensor.global.shared.cta %[[HALF]]
// CHECK-NEXT: nvvm.cp.async.bulk.commit.group
// CHECK: nvvm.cp.async.bulk.tensor.global.shared.cta %[[WHOLE]]
tile.kernel @store for "sm_100a" {} {
  %x = tile.tensor "output" "x" ["m", "k"] of bf16
  tile.role "store" {
  ^bb0(%copy: i32, %row: i32):
    %address = arith.constant 1024 : i32
    %zero = arith.constant 0 : i32
    %whole = tile.slot_at %address : !out_t
    %half = tile.slot_at %address : !half_t
    tile.copy_out %whole -> %x[%row, %zero] {rowDim = 0 : i64} : !out_t
    tile.copy_out %half -> %x[%row, %zero] {rowDim = 0 : i64} : !half_t
    tile.copy_out %whole -> %x[%row, %zero] {rowDim = 0 : i64} : !out_t
    tile.yield
  } {registers = 24 : i64, warps = 1 : i64}
}

// -----

!sum_t = !tile.slot<smem, 128 x 64 x f32, swizzle = 128>

// A sum goes to global memory by the reduction of TMA, panel by panel, and is
// a group like a store.
// CHECK-LABEL: tile.kernel @sum
// CHECK-COUNT-2: nvvm.cp.async.bulk.tensor.reduce {{.*}} {redKind = #nvvm.tma_redux_kind<add>
// CHECK-NEXT: nvvm.cp.async.bulk.commit.group
tile.kernel @sum for "sm_100a" {} {
  %x = tile.tensor "output" "x" ["m", "64"] of f32
  tile.role "store" {
  ^bb0(%copy: i32, %row: i32):
    %zero = arith.constant 0 : i32
    %slot = tile.slot_at %zero : !sum_t
    tile.copy_out %slot -> %x[%row, %zero] {add, rowDim = 0 : i64} : !sum_t
    tile.yield
  } {registers = 24 : i64, warps = 1 : i64}
}

// -----

!rows_t = !tile.slot<rows, 128 x 1 x f32>

// A row slot is filled from the last dim, unswizzled.
// CHECK-LABEL: tile.kernel @statistics
// CHECK: tile.tensor_map {{.*}} box [128, 1, 1] swizzle 0
// CHECK: nvvm.cp.async.bulk.tensor.shared.cluster.global
tile.kernel @statistics for "sm_100a" {} {
  %x = tile.tensor "input" "x" ["batch", "heads", "seqlen"] of f32
  tile.role "load" {
  ^bb0(%copy: i32, %batch: i32, %head: i32, %row: i32, %barrier: i32):
    %address = arith.constant 1024 : i32
    %slot = tile.slot_at %address : !rows_t
    tile.copy_in %x[%batch, %head, %row] -> %slot signals %barrier : !rows_t
    tile.yield
  } {registers = 24 : i64, warps = 1 : i64}
}

// -----

!tile_t = !tile.slot<smem, 64 x 64 x bf16, swizzle = 128>

// A load for the leader of a pair counts its bytes there: the barrier is that
// of rank 0, which takes cta_group::2.
// CHECK-LABEL: tile.kernel @to_leader
// CHECK: %[[OWN:.*]] = llvm.inttoptr %{{.*}} : i32 to !llvm.ptr<3>
// CHECK: %[[FIRST:.*]] = nvvm.mapa %[[OWN]], %{{.*}} : !llvm.ptr<3> -> !llvm.ptr<7>
// CHECK: %[[ADDRESS:.*]] = llvm.ptrtoint %[[FIRST]]
// CHECK: %[[BARRIER:.*]] = llvm.inttoptr %[[ADDRESS]] : i32 to !llvm.ptr<3>
// CHECK: nvvm.cp.async.bulk.tensor.shared.cluster.global {{.*}}, %[[BARRIER]], box{{.*}}group = #nvvm.cta_group<cta_2>{{.*}} : !llvm.ptr<7>
tile.kernel @to_leader for "sm_100a" {} {
  %x = tile.tensor "input" "x" ["m", "k"] of bf16
  tile.role "load" {
  ^bb0(%copy: i32, %row: i32, %barrier: i32):
    %address = arith.constant 1024 : i32
    %slot = tile.slot_at %address : !tile_t
    tile.copy_in %x[%row, %row] -> %slot signals %barrier {rowDim = 0 : i64, toLeader} : !tile_t
    tile.yield
  } {registers = 24 : i64, warps = 1 : i64}
} {pair}

// -----

!half_t = !tile.slot<smem, 192 x 64 x bf16, swizzle = 128>

// Rows of 128 bytes, from 128 on, go to the peer's rows: 64 of them, counted by
// the peer's barrier.
// CHECK-LABEL: tile.kernel @to_peer
// CHECK: ^bb0(%{{.*}}: i32, %[[TO:.*]]: i32, %[[BARRIER:.*]]: i32)
// CHECK: %[[ROW_BYTES:.*]] = arith.constant 128 : i32
// CHECK: arith.muli %[[TO]], %[[ROW_BYTES]]
// CHECK: %[[PEER:.*]] = arith.xori
// CHECK: %[[TARGET:.*]] = nvvm.mapa %{{.*}}, %[[PEER]] : !llvm.ptr<3> -> !llvm.ptr<7>
// CHECK: arith.constant 16384 : i32
// CHECK: %[[SIZE:.*]] = arith.constant 8192 : i32
// CHECK: nvvm.cp.async.bulk.shared.cluster.shared.cta %[[TARGET]], %{{.*}}, %{{.*}}, %[[SIZE]]
tile.kernel @to_peer for "sm_100a" {} {
  tile.role "send" {
  ^bb0(%copy: i32, %to: i32, %barrier: i32):
    %address = arith.constant 1024 : i32
    %slot = tile.slot_at %address : !half_t
    tile.copy_peer %slot rows 128 count 64 -> %to signals %barrier : !half_t
    tile.yield
  } {registers = 24 : i64, warps = 1 : i64}
} {pair}
