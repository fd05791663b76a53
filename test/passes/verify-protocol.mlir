// RUN: %fa4-opt %s --split-input-file --pass-pipeline='builtin.module(tile.kernel(tile-verify-protocol))' | FileCheck %s

!a_t = !tile.slot<smem, 128 x 64 x bf16, swizzle = 128>

// What was proven is left with the kernel: for which sizes, how many bytes a
// fill announces, and which depths the pipes need.
// CHECK-LABEL: tile.kernel @ring
// CHECK: proofs = ["R7 progress: no deadlock, and every tile returns every slot (18 choices of k from 0 to 1000, loops of up to 16 trips)
// CHECK-SAME: "R3, R4 ownership
// CHECK-SAME: "R8 bytes: every TMA fill announces what its copies deliver ('a' 16384)"
// CHECK-SAME: "R7 slack: slots without which there is no progress: 'a' 2 of 3"
tile.kernel @ring for "sm_100a" {} {
  %x = tile.tensor "input" "x" ["m", "k"] of bf16
  %one = arith.constant 1 : i32
  %zero = arith.constant 0 : i32
  %trips = tile.scalar "ceildiv(k, 64)" : i32
  %a = tile.pipe "a" edges ["full", "empty"] {depth = 3 : i64} : <!a_t>
  tile.walk %one {
  ^bb0(%index: i32):
    tile.yield
  } {grid = "1"}
  tile.role "load" {
  ^bb0(%copy: i32):
    scf.for %i = %zero to %trips step %one : i32 {
      %slot = tile.acquire %a[%zero] edge 1 : !tile.pipe<!a_t> -> !a_t
      tile.copy_in %x[%i, %i] -> %slot {rowDim = 0 : i64} : !a_t
      tile.release %slot edge 0 : !a_t
      %more = tile.acquire %a[%zero] edge 1 : !tile.pipe<!a_t> -> !a_t
      tile.copy_in %x[%i, %i] -> %more {rowDim = 0 : i64} : !a_t
      tile.release %more edge 0 : !a_t
    }
    tile.yield
  } {registers = 24 : i64, warps = 1 : i64}
  tile.role "use" {
  ^bb0(%copy: i32):
    scf.for %i = %zero to %trips step %one : i32 {
      %slot = tile.acquire %a[%zero] edge 0 : !tile.pipe<!a_t> -> !a_t
      %more = tile.acquire %a[%zero] edge 0 : !tile.pipe<!a_t> -> !a_t
      tile.release %more edge 1 : !a_t
      tile.release %slot edge 1 : !a_t
    }
    tile.yield
  } {registers = 24 : i64, warps = 1 : i64}
}

// -----

!s_t = !tile.slot<tmem, 128 x 128 x f32>

// The near side of a duplex owns it from the start, in every copy's instance:
// it puts first, and takes each part of what comes back.
// CHECK-LABEL: tile.kernel @duplex
// CHECK: proofs = ["R7 progress: no deadlock, and every tile returns every slot (no size matters)
tile.kernel @duplex for "sm_100a" {} {
  %one = arith.constant 1 : i32
  %zero = arith.constant 0 : i32
  %s = tile.pipe "s" edges ["out", "back"] {instances = 2 : i64, parts = array<i64: 1, 2>} : <!s_t>
  tile.walk %one {
  ^bb0(%index: i32):
    tile.yield
  } {grid = "1"}
  tile.role "near" {
  ^bb0(%copy: i32):
    %put0 = tile.hold %s[%zero] : !tile.pipe<!s_t> -> !s_t
    tile.release %put0 edge 0 : !s_t
    %put1 = tile.hold %s[%one] : !tile.pipe<!s_t> -> !s_t
    tile.release %put1 edge 0 : !s_t
    %p00 = tile.acquire %s[%zero] edge 1 : !tile.pipe<!s_t> -> !s_t
    %p01 = tile.acquire %s[%zero] edge 1 part 1 : !tile.pipe<!s_t> -> !s_t
    %p10 = tile.acquire %s[%one] edge 1 : !tile.pipe<!s_t> -> !s_t
    %p11 = tile.acquire %s[%one] edge 1 part 1 : !tile.pipe<!s_t> -> !s_t
    tile.yield
  } {registers = 24 : i64, warps = 1 : i64}
  tile.role "far" {
  ^bb0(%copy: i32):
    %in = tile.acquire %s[%copy] edge 0 : !tile.pipe<!s_t> -> !s_t
    %p0 = tile.hold %s[%copy] : !tile.pipe<!s_t> -> !s_t
    tile.release %p0 edge 1 : !s_t
    %p1 = tile.hold %s[%copy] : !tile.pipe<!s_t> -> !s_t
    tile.release %p1 edge 1 part 1 : !s_t
    tile.yield
  } {registers = 128 : i64, warps = 4 : i64, copies = 2 : i64}
}
