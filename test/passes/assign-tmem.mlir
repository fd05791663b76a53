// RUN: %fa4-opt %s --split-input-file --pass-pipeline='builtin.module(tile.kernel(tile-assign-tmem))' | FileCheck %s

// M2: columns are given out in declaration order: depth x instances slots of
// two 16-bit or one 32-bit element a column.
// CHECK-LABEL: tile.kernel @order
// CHECK: tile.pipe "s" {{.*}}column = 0 : i64
// CHECK: tile.pipe "p" {{.*}}column = 256 : i64
// CHECK: tile.pipe "o" {{.*}}column = 320 : i64
// CHECK: {tmem_columns = 512 : i64}
tile.kernel @order for "sm_100a" {} {
  %s = tile.pipe "s" edges ["out", "back"] {instances = 2 : i64} : <!tile.slot<tmem, 128 x 128 x f32>>
  %p = tile.pipe "p" edges ["out", "back"] : <!tile.slot<tmem, 128 x 128 x bf16>>
  %o = tile.pipe "o" edges ["out", "back"] {depth = 2 : i64} : <!tile.slot<tmem, 128 x 64 x f32>>
}

// -----

// M2: an allocation is a power of two, at least 32 columns.
// CHECK-LABEL: tile.kernel @smallest
// CHECK: {tmem_columns = 32 : i64}
tile.kernel @smallest for "sm_100a" {} {
  %s = tile.pipe "s" edges ["out", "back"] : <!tile.slot<tmem, 128 x 8 x f32>>
}

// -----

// A kernel without tensor memory allocates none.
// CHECK-LABEL: tile.kernel @none
// CHECK: {tmem_columns = 0 : i64}
tile.kernel @none for "sm_100a" {} {
  %s = tile.pipe "s" edges ["full", "empty"] : <!tile.slot<smem, 128 x 64 x bf16, swizzle = 128>>
}

// -----

// M2: a pipe that lies in another has no columns of its own.
// CHECK-LABEL: tile.kernel @over
// CHECK: tile.pipe "q" {{.*}}column = 192 : i64
// CHECK: tile.pipe "s" {{.*}}column = 128 : i64
// CHECK: {tmem_columns = 256 : i64}
tile.kernel @over for "sm_100a" {} {
  %q = tile.pipe "q" edges ["out", "back"] {over = "s", overColumn = 64 : i64} : <!tile.slot<tmem, 128 x 64 x f32>>
  %v = tile.pipe "v" edges ["out", "back"] : <!tile.slot<tmem, 128 x 128 x f32>>
  %s = tile.pipe "s" edges ["out", "back"] : <!tile.slot<tmem, 128 x 128 x f32>>
}
