// RUN: %fa4-opt %s --pass-pipeline='builtin.module(tile.kernel(tile-count-work))' | FileCheck %s

!ab_t = !tile.slot<smem, 128 x 64 x bf16, swizzle = 128>
!d_t = !tile.slot<tmem, 128 x 128 x f32>

// A product of 128 x 128 x 64 has 2^21 FLOPs: one a tile, two a step. The other
// role's two copies take an exponential of each of 64 x 32 elements a tile.
// CHECK-LABEL: tile.kernel @work
// CHECK: work = [
// CHECK-SAME: {per_step = 4194304 : i64, per_tile = 2097152 : i64, role = "mma", what = "MMA FLOPs"}
// CHECK-SAME: {per_step = 0 : i64, per_tile = 4096 : i64, role = "softmax", what = "exponentials"}
// CHECK-SAME: ]
tile.kernel @work for "sm_100a" {} {
  %ring = tile.pipe "ab" edges ["full", "empty"] : <!ab_t>
  %acc = tile.pipe "d" edges ["out", "back"] : <!d_t>
  tile.role "mma" {
  ^bb0(%copy: i32, %accumulate: i1):
    %zero = arith.constant 0 : index
    %one = arith.constant 1 : index
    %eight = arith.constant 8 : index
    %slot = arith.constant 0 : i32
    %a = tile.acquire %ring[%slot] edge 0 : !tile.pipe<!ab_t> -> !ab_t
    %d = tile.acquire %acc[%slot] edge 1 : !tile.pipe<!d_t> -> !d_t
    tile.mma %a, %a -> %d accumulate %accumulate k 0 to 64 : !ab_t, !ab_t -> !d_t
    scf.for %i = %zero to %eight step %one {
      tile.mma %a, %a -> %d accumulate %accumulate k 0 to 64 : !ab_t, !ab_t -> !d_t
      tile.mma %a, %a -> %d accumulate %accumulate k 0 to 64 : !ab_t, !ab_t -> !d_t
    }
    tile.yield
  } {registers = 24 : i64, warps = 1 : i64}
  tile.role "softmax" {
  ^bb0(%copy: i32):
    %x = arith.constant dense<0.0> : tensor<64x32xf32, #tile.quad>
    %y = tile.exp2 %x : tensor<64x32xf32, #tile.quad>
    tile.yield
  } {copies = 2 : i64, registers = 128 : i64, warps = 4 : i64}
}
