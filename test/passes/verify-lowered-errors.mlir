// RUN: %fa4-opt %s --split-input-file --verify-diagnostics --pass-pipeline='builtin.module(tile.kernel(tile-verify-lowered))'

// R6: no hand-over is left.
tile.kernel @hand_over for "sm_100a" {} {
  %a = tile.pipe "a" edges ["full", "empty"] : <!tile.slot<smem, 128 x 64 x bf16, swizzle = 128>>
  tile.role "load" {
  ^bb0(%copy: i32):
    // expected-error@+1 {{R6: a hand-over is left after tile-lower-rings}}
    %slot = tile.acquire %a[%copy] edge 1 : !tile.pipe<!tile.slot<smem, 128 x 64 x bf16, swizzle = 128>> -> !tile.slot<smem, 128 x 64 x bf16, swizzle = 128>
    tile.yield
  } {registers = 24 : i64, warps = 1 : i64}
}

// -----

// R6: no copy over slots is left.
tile.kernel @copy for "sm_100a" {} {
  %x = tile.tensor "input" "x" ["m", "k"] of bf16
  tile.role "load" {
  ^bb0(%i: i32):
    %slot = tile.slot_at %i : !tile.slot<smem, 128 x 64 x bf16, swizzle = 128>
    // expected-error@+1 {{R6: 'tile.copy_in' is left after lowering}}
    tile.copy_in %x[%i, %i] -> %slot {rowDim = 0 : i64} : !tile.slot<smem, 128 x 64 x bf16, swizzle = 128>
    tile.yield
  } {registers = 24 : i64, warps = 1 : i64}
}

// -----

// F2: no fragment is left.
tile.kernel @fragment for "sm_100a" {} {
  tile.role "softmax" {
  ^bb0(%copy: i32):
    // expected-error@+1 {{F2: a fragment is left after distribution}}
    %row = tile.row_index : tensor<128xi32, #tile.row>
    tile.yield
  } {registers = 24 : i64, warps = 4 : i64}
}
