// RUN: %fa4-opt %s --pass-pipeline='builtin.module(tile.kernel(tile-assign-smem))' | FileCheck %s

// M1: barriers first (one for each slot of each part of each edge), then the
// tensor-memory address, row statistics at 128 bytes, tiles at 1024 bytes.
// q: 2 edges x 2 slots = 4 barriers; sp: (1 + 2) parts x 2 slots = 6; alpha:
// 2 edges x 3 slots = 6.
// CHECK-LABEL: tile.kernel @layout
// CHECK: tile.pipe "q" {{.*}}barriers = 0 : i64{{.*}}offset = 2048 : i64
// CHECK: tile.pipe "sp" {{.*}}barriers = 32 : i64
// CHECK-NOT: offset
// CHECK: tile.pipe "alpha" {{.*}}barriers = 80 : i64{{.*}}offset = 256 : i64
// CHECK: {smem_bytes = 34816 : i64, ticket_slot = 132 : i64, tmem_slot = 128 : i64}
tile.kernel @layout for "sm_100a" {} {
  %q = tile.pipe "q" edges ["full", "empty"] {depth = 2 : i64} : <!tile.slot<smem, 128 x 64 x bf16, swizzle = 128>>
  %sp = tile.pipe "sp" edges ["out", "back"] {instances = 2 : i64, parts = array<i64: 1, 2>} : <!tile.slot<tmem, 128 x 128 x f32>>
  %alpha = tile.pipe "alpha" edges ["full", "empty"] {depth = 3 : i64} : <!tile.slot<rows, 128 x 1 x f32>>
}
