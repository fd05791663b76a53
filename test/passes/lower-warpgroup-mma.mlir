// RUN: %fa4-opt %s --pass-pipeline='builtin.module(tile.kernel(tile-distribute-fragments,tile-lower-warpgroup-mma))' | FileCheck %s
// RUN: %fa4-opt %s | %fa4-opt | FileCheck %s --check-prefix=TRIP

!k = !tile.slot<smem, 128 x 128 x bf16, swizzle = 128>
!ds = !tile.slot<smem, 128 x 64 x bf16, swizzle = 128>

// The transposed columns of one slot times columns of another: both MN-major,
// one instruction for each 16 of K = 128; B's panel of 64 columns is 128 rows
// of 128 bytes, 256 bytes a column.
// CHECK-LABEL: tile.kernel @columns
// CHECK: muli %{{.*}}, %[[STEP:.*]] : i32
// CHECK: llvm.inline_asm has_side_effects
// CHECK-SAME: wgmma.fence.sync.aligned
// CHECK-COUNT-8: wgmma.mma_async.sync.aligned.m64n64k16.f32.bf16.bf16 {{[^;]*}}, da, db, p, 1, 1, 1, 1;
// CHECK-SAME: wgmma.commit_group.sync.aligned
// TRIP: tile.warpgroup_mma %{{.*}}, %{{.*}} cols %{{.*}} {transposedA, transposedB}
tile.kernel @columns for "sm_90a" {} {
  tile.role "use" {
  ^bb0(%i: i32):
    %a = tile.slot_at %i : !ds
    %b = tile.slot_at %i : !k
    %d = tile.warpgroup_mma %a, %b cols %i {transposedA, transposedB} : !ds, !k -> tensor<64x64xf32, #tile.quad>
    %e = tile.await %d pending 0 : tensor<64x64xf32, #tile.quad>
    tile.yield
  } {registers = 128 : i64, warps = 4 : i64}
}
