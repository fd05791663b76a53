// RUN: fa4-opt %s --split-input-file --verify-diagnostics

!a_t = !tile.slot<smem, 128 x 64 x bf16, swizzle = 128>

// A copy's tensor and slot fit together, and TMA can move the box.
tile.kernel @copies for "sm_100a" {} {
  %x = tile.tensor "inout" "x" ["m", "k"] of bf16
  tile.role "copy" {
  ^bb0(%i: i32):
    %a = tile.slot_at %i : !a_t
    // expected-error@+1 {{gives 1 coordinates for a tensor of rank 2, which may be at most 5}}
    tile.copy_in %x[%i] -> %a {rowDim = 0 : i64} : !a_t
    tile.yield
  } {registers = 24 : i64, warps = 1 : i64}
}

// -----

!d_t = !tile.slot<tmem, 128 x 64 x f32>

tile.kernel @copies for "sm_100a" {} {
  %x = tile.tensor "inout" "x" ["m", "k"] of bf16
  tile.role "tensor memory" {
  ^bb0(%i: i32):
    %a = tile.slot_at %i : !d_t
    // expected-error@+1 {{is between global and shared memory, not tensor memory}}
    tile.copy_out %a -> %x[%i, %i] {rowDim = 0 : i64} : !d_t
    tile.yield
  } {registers = 24 : i64, warps = 1 : i64}
}

// -----

!f_t = !tile.slot<smem, 128 x 32 x f32, swizzle = 128>

tile.kernel @copies for "sm_100a" {} {
  %x = tile.tensor "inout" "x" ["m", "k"] of bf16
  tile.role "type" {
  ^bb0(%i: i32):
    %a = tile.slot_at %i : !f_t
    // expected-error@+1 {{is between a tensor of 'bf16' and a slot of 'f32'}}
    tile.copy_out %a -> %x[%i, %i] {rowDim = 0 : i64} : !f_t
    tile.yield
  } {registers = 24 : i64, warps = 1 : i64}
}

// -----

!w_t = !tile.slot<smem, 512 x 64 x bf16, swizzle = 128>

tile.kernel @copies for "sm_100a" {} {
  %x = tile.tensor "inout" "x" ["m", "k"] of bf16
  tile.role "rows" {
  ^bb0(%i: i32):
    %a = tile.slot_at %i : !w_t
    // expected-error@+1 {{has 512 rows; TMA moves at most 256}}
    tile.copy_in %x[%i, %i] -> %a {rowDim = 0 : i64} : !w_t
    tile.yield
  } {registers = 24 : i64, warps = 1 : i64}
}

// -----

!a_t = !tile.slot<smem, 128 x 64 x bf16, swizzle = 128>

tile.kernel @copies for "sm_100a" {} {
  %x = tile.tensor "inout" "x" ["m", "k"] of bf16
  tile.role "dim" {
  ^bb0(%i: i32):
    %a = tile.slot_at %i : !a_t
    // expected-error@+1 {{takes its rows from dim 1 of a tensor of rank 2; the last dim gives the columns}}
    tile.copy_in %x[%i, %i] -> %a : !a_t
    tile.yield
  } {registers = 24 : i64, warps = 1 : i64}
}

// -----

!a_t = !tile.slot<smem, 128 x 64 x bf16, swizzle = 128>
!h_t = !tile.slot<smem, 128 x 64 x f16, swizzle = 128>
!d_t = !tile.slot<tmem, 128 x 128 x f32>

// A product's operands are of one type and in memories that the unit reads.
tile.kernel @products for "sm_100a" {} {
  tile.role "types" {
  ^bb0(%i: i32):
    %a = tile.slot_at %i : !a_t
    %h = tile.slot_at %i : !h_t
    %d = tile.slot_at %i : !d_t
    %true = arith.constant true
    // expected-error@+1 {{a and b are both bf16 or both f16, b in shared memory, a there or, not transposed, in tensor memory, d f32 in tensor memory}}
    tile.mma %a, %h -> %d accumulate %true k 0 to 64 : !a_t, !h_t -> !d_t
    tile.yield
  } {registers = 24 : i64, warps = 1 : i64}
}

// -----

!s_t = !tile.slot<smem, 64 x 64 x bf16, swizzle = 128>
!d_t = !tile.slot<tmem, 128 x 128 x f32>

tile.kernel @products for "sm_100a" {} {
  tile.role "shape" {
  ^bb0(%i: i32):
    %a = tile.slot_at %i : !s_t
    %d = tile.slot_at %i : !d_t
    %true = arith.constant true
    // expected-error@+1 {{gives 64x64; M is 128, N at most 256 in steps of 16}}
    tile.mma %a, %a -> %d accumulate %true k 0 to 64 : !s_t, !s_t -> !d_t
    tile.yield
  } {registers = 24 : i64, warps = 1 : i64}
}

// -----

!a_t = !tile.slot<smem, 64 x 64 x bf16, swizzle = 128>
!h_t = !tile.slot<smem, 64 x 64 x f16, swizzle = 128>
!q_t = tensor<64x64xf32, #tile.quad>

tile.kernel @warpgroup for "sm_90a" {} {
  tile.role "types" {
  ^bb0(%i: i32):
    %a = tile.slot_at %i : !a_t
    %h = tile.slot_at %i : !h_t
    // expected-error@+1 {{both are bf16 or both f16, b in shared memory, a there or in registers}}
    %d = tile.warpgroup_mma %a, %h : !a_t, !h_t -> !q_t
    tile.yield
  } {registers = 128 : i64, warps = 4 : i64}
}

// -----

!a_t = !tile.slot<smem, 64 x 64 x bf16, swizzle = 128>

tile.kernel @warpgroup for "sm_90a" {} {
  tile.role "layout" {
  ^bb0(%i: i32):
    %a = tile.slot_at %i : !a_t
    // expected-error@+1 {{takes fragments in the quad layout, not 'tensor<128x64xf32, #tile.row>'}}
    %d = tile.warpgroup_mma %a, %a : !a_t, !a_t -> tensor<128x64xf32, #tile.row>
    tile.yield
  } {registers = 128 : i64, warps = 4 : i64}
}

// -----

!a_t = !tile.slot<smem, 64 x 64 x bf16, swizzle = 128>
!q_t = tensor<64x64xf32, #tile.quad>

tile.kernel @warpgroup for "sm_90a" {} {
  tile.role "sum" {
  ^bb0(%i: i32):
    %a = tile.slot_at %i : !a_t
    %c = arith.constant dense<0.0> : tensor<64x32xf32, #tile.quad>
    // expected-error@+1 {{adds 'tensor<64x32xf32, #tile.quad>' to 'tensor<64x64xf32, #tile.quad>'}}
    %d = tile.warpgroup_mma %a, %a plus %c : tensor<64x32xf32, #tile.quad> : !a_t, !a_t -> !q_t
    tile.yield
  } {registers = 128 : i64, warps = 4 : i64}
}

// -----

!a_t = !tile.slot<smem, 64 x 64 x bf16, swizzle = 128>
!q_t = tensor<64x64xf32, #tile.quad>

tile.kernel @warpgroup for "sm_90a" {} {
  tile.role "whole" {
  ^bb0(%i: i32):
    %a = tile.slot_at %i : !a_t
    %p = arith.constant dense<0.0> : tensor<64x64xbf16, #tile.quad>
    // expected-error@+1 {{takes all of a fragment, as it is}}
    %d = tile.warpgroup_mma %p, %a rows %i : tensor<64x64xbf16, #tile.quad>, !a_t -> !q_t
    tile.yield
  } {registers = 128 : i64, warps = 4 : i64}
}

// -----

!a_t = !tile.slot<smem, 64 x 64 x bf16, swizzle = 128>

tile.kernel @warpgroup for "sm_90a" {} {
  tile.role "columns" {
  ^bb0(%i: i32):
    %a = tile.slot_at %i : !a_t
    // expected-error@+1 {{gives 64x32 from 64 rows of a and 64 columns of b; a warpgroup gives 64 rows}}
    %d = tile.warpgroup_mma %a, %a : !a_t, !a_t -> tensor<64x32xf32, #tile.quad>
    tile.yield
  } {registers = 128 : i64, warps = 4 : i64}
}

// -----

!a_t = !tile.slot<smem, 64 x 64 x bf16, swizzle = 128>
!q_t = tensor<64x64xf32, #tile.quad>

tile.kernel @warpgroup for "sm_90a" {} {
  tile.role "common" {
  ^bb0(%i: i32):
    %a = tile.slot_at %i : !a_t
    %b = tile.slot_at %i : !tile.slot<smem, 64 x 128 x bf16, swizzle = 128>
    // expected-error@+1 {{multiplies K = 64 by K = 128}}
    %d = tile.warpgroup_mma %a, %b : !a_t, !tile.slot<smem, 64 x 128 x bf16, swizzle = 128> -> !q_t
    tile.yield
  } {registers = 128 : i64, warps = 4 : i64}
}

// -----

!a_t = !tile.slot<smem, 64 x 64 x bf16, swizzle = 128>

tile.kernel @warpgroup for "sm_90a" {} {
  tile.role "steps" {
  ^bb0(%i: i32):
    %a = tile.slot_at %i : !a_t
    %b = tile.slot_at %i : !tile.slot<smem, 264 x 64 x bf16, swizzle = 128>
    // expected-error@+1 {{needs K in steps of 16 and at most 256 columns in steps of 8, has K = 64 and 264 columns}}
    %d = tile.warpgroup_mma %a, %b : !a_t, !tile.slot<smem, 264 x 64 x bf16, swizzle = 128> -> tensor<64x264xf32, #tile.quad>
    tile.yield
  } {registers = 128 : i64, warps = 4 : i64}
}

// -----

!q_t = tensor<64x64xf32, #tile.quad>

// W1: only a product in flight is awaited, and the hardware counts to 7.
tile.kernel @warpgroup for "sm_90a" {} {
  tile.role "nothing" {
  ^bb0(%i: i32):
    %c = arith.constant dense<0.0> : !q_t
    // expected-error@+1 {{W1: awaits what isn't in flight}}
    %d = tile.await %c pending 0 : !q_t
    tile.yield
  } {registers = 128 : i64, warps = 4 : i64}
}

// -----

!a_t = !tile.slot<smem, 64 x 64 x bf16, swizzle = 128>
!q_t = tensor<64x64xf32, #tile.quad>

tile.kernel @warpgroup for "sm_90a" {} {
  tile.role "pending" {
  ^bb0(%i: i32):
    %a = tile.slot_at %i : !a_t
    %d = tile.warpgroup_mma %a, %a : !a_t, !a_t -> !q_t
    // expected-error@+1 {{W1: leaves 8 products in flight; wgmma.wait_group takes 0 to 7}}
    %e = tile.await %d pending 8 : !q_t
    tile.yield
  } {registers = 128 : i64, warps = 4 : i64}
}

// -----

!a_t = !tile.slot<smem, 128 x 64 x bf16, swizzle = 128>

// Loads and stores move what threads hold.
tile.kernel @accesses for "sm_100a" {} {
  tile.role "bounds" {
  ^bb0(%i: i32):
    %a = tile.slot_at %i : !a_t
    // expected-error@+1 {{reaches columns 48 to 80 of a slot with 64}}
    %f = tile.load %a cols 48 : !a_t -> tensor<128x32xbf16, #tile.row>
    tile.yield
  } {registers = 128 : i64, warps = 4 : i64}
}

// -----

!a_t = !tile.slot<smem, 128 x 64 x bf16, swizzle = 128>

tile.kernel @accesses for "sm_100a" {} {
  tile.role "steps" {
  ^bb0(%i: i32):
    %a = tile.slot_at %i : !a_t
    // expected-error@+1 {{reaches columns 4 to 36 where threads hold 8 at a time}}
    %f = tile.load %a cols 4 : !a_t -> tensor<128x32xbf16, #tile.row>
    tile.yield
  } {registers = 128 : i64, warps = 4 : i64}
}

// -----

!a_t = !tile.slot<smem, 128 x 64 x bf16, swizzle = 128>

tile.kernel @accesses for "sm_100a" {} {
  tile.role "type" {
  ^bb0(%i: i32):
    %a = tile.slot_at %i : !a_t
    // expected-error@+1 {{moves 'f32' from or to a slot of 'bf16'}}
    %f = tile.load %a cols 0 : !a_t -> tensor<128x32xf32, #tile.row>
    tile.yield
  } {registers = 128 : i64, warps = 4 : i64}
}

// -----

!half_t = !tile.slot<smem, 64 x 64 x bf16, swizzle = 128>

tile.kernel @accesses for "sm_100a" {} {
  tile.role "rows" {
  ^bb0(%i: i32):
    %a = tile.slot_at %i : !half_t
    // expected-error@+1 {{loads 128 rows of a slot with 64}}
    %f = tile.load %a cols 0 : !half_t -> tensor<128x32xbf16, #tile.row>
    tile.yield
  } {registers = 128 : i64, warps = 4 : i64}
}

// -----

!p_t = !tile.slot<tmem, 128 x 128 x bf16>

tile.kernel @accesses for "sm_100a" {} {
  tile.role "narrow" {
  ^bb0(%i: i32):
    %a = tile.slot_at %i : !p_t
    // expected-error@+1 {{loads 'bf16' from tensor memory; it takes f32}}
    %f = tile.load %a cols 0 : !p_t -> tensor<128x32xbf16, #tile.row>
    tile.yield
  } {registers = 128 : i64, warps = 4 : i64}
}

// -----

!s_t = !tile.slot<tmem, 128 x 128 x f32>

tile.kernel @accesses for "sm_100a" {} {
  tile.role "registers" {
  ^bb0(%i: i32):
    %a = tile.slot_at %i : !s_t
    // expected-error@+1 {{moves 48 registers a thread; tensor memory moves 1, 2, 4, 8, 16 or multiples of 32 in the row layout}}
    %f = tile.load %a cols 0 : !s_t -> tensor<128x48xf32, #tile.row>
    tile.yield
  } {registers = 128 : i64, warps = 4 : i64}
}

// -----

!s_t = !tile.slot<tmem, 128 x 128 x f32>

tile.kernel @accesses for "sm_100a" {} {
  tile.role "per row" {
  ^bb0(%i: i32):
    %a = tile.slot_at %i : !s_t
    // expected-error@+1 {{moves 'tensor<128xf32, #tile.row>', but a slot '!tile.slot<tmem, 128 x 128 x f32>' holds one f32 of each thread's row}}
    %f = tile.load %a cols 0 : !s_t -> tensor<128xf32, #tile.row>
    tile.yield
  } {registers = 128 : i64, warps = 4 : i64}
}

// -----

!half_t = !tile.slot<smem, 64 x 64 x bf16, swizzle = 128>

tile.kernel @accesses for "sm_100a" {} {
  tile.role "store" {
  ^bb0(%i: i32):
    %a = tile.slot_at %i : !half_t
    %f = arith.constant dense<0.0> : tensor<128x64xbf16, #tile.row>
    // expected-error@+1 {{stores 128 rows to a slot with 64}}
    tile.store %f, %a cols 0 : tensor<128x64xbf16, #tile.row>, !half_t
    tile.yield
  } {registers = 128 : i64, warps = 4 : i64}
}

// -----

!r_t = !tile.slot<rows, 128 x 1 x f32>

tile.kernel @accesses for "sm_100a" {} {
  tile.role "statistics" {
  ^bb0(%i: i32):
    %a = tile.slot_at %i : !r_t
    %f = arith.constant dense<0.0> : tensor<128x64xf32, #tile.row>
    // expected-error@+1 {{stores 'tensor<128x64xf32, #tile.row>' to a slot '!tile.slot<rows, 128 x 1 x f32>'}}
    tile.store %f, %a cols 0 : tensor<128x64xf32, #tile.row>, !r_t
    tile.yield
  } {registers = 128 : i64, warps = 4 : i64}
}

// -----

// Ops on fragments take what they say.
tile.kernel @slice for "sm_100a" {} {
  %f = arith.constant dense<0.0> : tensor<128x64xf32, #tile.row>
  // expected-error@+1 {{takes columns 48 to 80 of 64, which come in steps of 1}}
  %s = tile.slice %f cols 48 : tensor<128x64xf32, #tile.row> -> tensor<128x32xf32, #tile.row>
}

// -----

tile.kernel @slice for "sm_100a" {} {
  %f = arith.constant dense<0.0> : tensor<128x64xf32, #tile.row>
  // expected-error@+1 {{makes 'tensor<128x32xbf16, #tile.row>' from 'tensor<128x64xf32, #tile.row>'}}
  %s = tile.slice %f cols 0 : tensor<128x64xf32, #tile.row> -> tensor<128x32xbf16, #tile.row>
}

// -----

tile.kernel @broadcast for "sm_100a" {} {
  %r = arith.constant dense<0.0> : tensor<128xf32, #tile.row>
  // expected-error@+1 {{makes 'tensor<128x32xbf16, #tile.row>' from 'tensor<128xf32, #tile.row>'}}
  %s = tile.broadcast %r : tensor<128xf32, #tile.row> -> tensor<128x32xbf16, #tile.row>
}

// -----

tile.kernel @reduce for "sm_100a" {} {
  %r = arith.constant dense<0.0> : tensor<64xf32, #tile.quad>
  %f = arith.constant dense<0.0> : tensor<128x64xf32, #tile.row>
  // expected-error@+1 {{folds 'tensor<128x64xf32, #tile.row>' into 'tensor<64xf32, #tile.quad>'}}
  %s = tile.row_reduce "sum" %f, %r : tensor<128x64xf32, #tile.row>, tensor<64xf32, #tile.quad> -> tensor<64xf32, #tile.quad>
}

// -----

tile.kernel @kind for "sm_100a" {} {
  %r = arith.constant dense<0.0> : tensor<64xf32, #tile.quad>
  // expected-error@+1 {{has the kind 'product', there are max, sum}}
  %s = tile.quad_combine "product" %r : tensor<64xf32, #tile.quad>
}

// -----

tile.kernel @function for "sm_100a" {} {
  %x = arith.constant 0.0 : f32
  // expected-error@+1 {{has the function 'sin', there are log2, rcp, tanh}}
  %s = tile.approx "sin" %x : f32
}

// -----

tile.kernel @global for "sm_100a" {} {
  tile.role "use" {
  ^bb0(%i: i32):
    %base = arith.constant 0 : i64
    %v = arith.constant dense<0.0> : tensor<128xf32, #tile.row>
    %at = arith.constant dense<0> : tensor<64xi32, #tile.quad>
    %mask = arith.constant dense<true> : tensor<128xi1, #tile.row>
    // expected-error@+1 {{has 'tensor<64xi32, #tile.quad>' beside 'tensor<128xf32, #tile.row>'}}
    tile.store_global %v, %base[%at] if %mask : tensor<128xf32, #tile.row>, tensor<64xi32, #tile.quad>, tensor<128xi1, #tile.row>
    tile.yield
  } {registers = 128 : i64, warps = 4 : i64}
}
