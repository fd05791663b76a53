// RUN: %fa4-opt %s --split-input-file --pass-pipeline='builtin.module(tile.kernel(tile-lower-mma))' | FileCheck %s

!ab_t = !tile.slot<smem, 128 x 64 x bf16, swizzle = 128>
!d_t = !tile.slot<tmem, 128 x 128 x f32>

// K = 64 takes four instructions of 16; only the first may overwrite. The
// instruction descriptor names bf16, f32 accumulation, M = 128 and N = 128
// (1 << 4 | 1 << 7 | 1 << 10 | 16 << 17 | 8 << 24).
// CHECK-LABEL: tile.kernel @steps
// CHECK-SAME: {
// CHECK: ^bb0(%{{.*}}: i32, %[[FIRST:.*]]: i1)
// CHECK: %[[IDESC:.*]] = arith.constant 136316048 : i32
// CHECK: nvvm.tcgen05.mma %{{.*}}, %{{.*}}, %{{.*}}, %[[IDESC]], %[[FIRST]]
// CHECK: %[[LATER:.*]] = arith.constant true
// CHECK: nvvm.tcgen05.mma %{{.*}}, %{{.*}}, %{{.*}}, %[[IDESC]], %[[LATER]]
// CHECK-COUNT-2: nvvm.tcgen05.mma
// CHECK-NOT: nvvm.tcgen05.mma
tile.kernel @steps for "sm_100a" {} {
  tile.role "mma" {
  ^bb0(%copy: i32, %accumulate: i1):
    %zero = arith.constant 0 : i32
    %a = tile.slot_at %zero : !ab_t
    %d = tile.slot_at %zero : !d_t
    tile.mma %a, %a -> %d accumulate %accumulate k 0 to 64 : !ab_t, !ab_t -> !d_t
    tile.yield
  } {registers = 24 : i64, warps = 1 : i64}
}

// -----

!p_t = !tile.slot<tmem, 128 x 128 x bf16>
!v_t = !tile.slot<smem, 128 x 64 x bf16, swizzle = 128>
!o_t = !tile.slot<tmem, 128 x 64 x f32>

// A in tensor memory advances by 8 columns a step; a range of K starts there:
// k = 96 is column 48.
// CHECK-LABEL: tile.kernel @tensor_memory_operand
// CHECK: %[[P:.*]] = arith.constant 256 : i32
// CHECK: %[[AT48:.*]] = arith.constant 48 : i32
// CHECK: %[[BEGIN:.*]] = arith.addi %[[P]], %[[AT48]]
// CHECK: llvm.inttoptr %[[BEGIN]] : i32 to !llvm.ptr<6>
// CHECK: nvvm.tcgen05.mma
// CHECK: arith.constant 56 : i32
// CHECK: nvvm.tcgen05.mma
// CHECK-NOT: nvvm.tcgen05.mma
tile.kernel @tensor_memory_operand for "sm_100a" {} {
  tile.role "mma" {
  ^bb0(%copy: i32):
    %column = arith.constant 256 : i32
    %zero = arith.constant 0 : i32
    %true = arith.constant true
    %p = tile.slot_at %column : !p_t
    %v = tile.slot_at %zero : !v_t
    %o = tile.slot_at %zero : !o_t
    tile.mma %p, %v -> %o accumulate %true k 96 to 128 {transposedB} : !p_t, !v_t -> !o_t
    tile.yield
  } {registers = 24 : i64, warps = 1 : i64}
}

// -----

!a_t = !tile.slot<smem, 128 x 64 x bf16, swizzle = 128>
!b_t = !tile.slot<smem, 64 x 64 x bf16, swizzle = 128>
!d_t = !tile.slot<tmem, 128 x 128 x f32>

// A pair multiplies the rows of both CTAs: M = 256, N = 128
// (1 << 4 | 1 << 7 | 1 << 10 | 16 << 17 | 16 << 24).
// CHECK-LABEL: tile.kernel @pair
// CHECK: arith.constant 270533776 : i32
// CHECK: nvvm.tcgen05.mma {{.*}}ctaGroup = #nvvm.cta_group<cta_2>
tile.kernel @pair for "sm_100a" {} {
  tile.role "mma" {
  ^bb0(%copy: i32, %accumulate: i1):
    %zero = arith.constant 0 : i32
    %a = tile.slot_at %zero : !a_t
    %b = tile.slot_at %zero : !b_t
    %d = tile.slot_at %zero : !d_t
    tile.mma %a, %b -> %d accumulate %accumulate k 0 to 64 {pair} : !a_t, !b_t -> !d_t
    tile.yield
  } {registers = 24 : i64, warps = 1 : i64, leader}
} {pair}

// -----

!a_t = !tile.slot<smem, 256 x 64 x bf16, swizzle = 128>
!d_t = !tile.slot<tmem, 128 x 64 x f32>

// 64 rows of each CTA: M = 128, N = 128, twice the 64 columns of d
// (1 << 4 | 1 << 7 | 1 << 10 | 1 << 15 | 1 << 16 | 16 << 17 | 8 << 24).
// CHECK-LABEL: tile.kernel @narrow_pair
// CHECK: arith.constant 136414352 : i32
// CHECK-COUNT-16: nvvm.tcgen05.mma
// CHECK-NOT: nvvm.tcgen05.mma
tile.kernel @narrow_pair for "sm_100a" {} {
  tile.role "mma" {
  ^bb0(%copy: i32, %accumulate: i1):
    %zero = arith.constant 0 : i32
    %a = tile.slot_at %zero : !a_t
    %d = tile.slot_at %zero : !d_t
    tile.mma %a, %a -> %d accumulate %accumulate k 0 to 256 {pair, transposedA, transposedB} : !a_t, !a_t -> !d_t
    tile.yield
  } {registers = 24 : i64, warps = 1 : i64, leader}
} {pair}
