// RUN: %fa4-opt %s --verify-diagnostics --pass-pipeline='builtin.module(tile.kernel(tile-lower-rings))'

// R2: a slot that nobody hands back can't be filled again.
tile.kernel @never for "sm_100a" {} {
  %x = tile.tensor "input" "x" ["m", "k"] of bf16
  // expected-error@+1 {{pipe 'a' is never handed over along edge 'empty'}}
  %a = tile.pipe "a" edges ["full", "empty"] {barriers = 0 : i64, offset = 1024 : i64} : <!tile.slot<smem, 128 x 64 x bf16, swizzle = 128>>
  tile.role "load" {
  ^bb0(%copy: i32):
    %i = arith.constant 0 : i32
    %slot = tile.acquire %a[%i] edge 1 : !tile.pipe<!tile.slot<smem, 128 x 64 x bf16, swizzle = 128>> -> !tile.slot<smem, 128 x 64 x bf16, swizzle = 128>
    tile.copy_in %x[%i, %i] -> %slot {rowDim = 0 : i64} : !tile.slot<smem, 128 x 64 x bf16, swizzle = 128>
    tile.release %slot edge 0 : !tile.slot<smem, 128 x 64 x bf16, swizzle = 128>
    tile.yield
  } {registers = 24 : i64, warps = 1 : i64}
}
