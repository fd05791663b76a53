// RUN: %fa4-opt %s --allow-unregistered-dialect --split-input-file --pass-pipeline='builtin.module(tile.kernel(tile-expand-exp2))' | FileCheck %s

// In columns 0 to 8 the last 2 of each 4 take the polynomial, as one packed
// pair; the others take MUFU, one by one.
// CHECK-LABEL: tile.kernel @split
// CHECK-COUNT-2: "llvm.nvvm.ex2.approx.ftz.f32"
// CHECK-NOT: ex2
// CHECK: add.rm.ftz.f32x2
// CHECK-COUNT-2: "llvm.nvvm.ex2.approx.ftz.f32"
// CHECK-NOT: ex2
// CHECK: add.rm.ftz.f32x2
// CHECK-COUNT-2: "llvm.nvvm.ex2.approx.ftz.f32"
// CHECK-NOT: ex2
// CHECK-NOT: add.rm
tile.kernel @split for "sm_100a" {} {
  %x = "test.source"() : () -> vector<10xf32>
  %y = tile.exp2 %x : vector<10xf32> {share = 2 : i64, period = 4 : i64, begin = 0 : i64, end = 8 : i64}
  "test.sink"(%y) : (vector<10xf32>) -> ()
}

// -----

// The degree is the number of fused multiply-adds; the argument is clamped, so
// that the exponent never leaves its field.
// CHECK-LABEL: tile.kernel @degree
// CHECK: arith.constant dense<-1.270000e+02>
// CHECK: arith.maxnumf
// CHECK-COUNT-5: math.fma
// CHECK-NOT: math.fma
tile.kernel @degree for "sm_100a" {} {
  %x = "test.source"() : () -> vector<2xf32>
  %y = tile.exp2 %x : vector<2xf32> {degree = 5 : i64, share = 16 : i64, begin = 0 : i64, end = 2 : i64}
  "test.sink"(%y) : (vector<2xf32>) -> ()
}

// -----

// sm_90a has no packed f32x2 instructions: both halves are rounded alone.
// CHECK-LABEL: tile.kernel @unpacked
// CHECK-COUNT-2: "llvm.nvvm.add.rm.ftz.f"
// CHECK-NOT: f32x2
tile.kernel @unpacked for "sm_90a" {} {
  %x = "test.source"() : () -> vector<2xf32>
  %y = tile.exp2 %x : vector<2xf32> {share = 16 : i64, begin = 0 : i64, end = 2 : i64}
  "test.sink"(%y) : (vector<2xf32>) -> ()
}

// -----

// A per-row value is one scalar a thread: MUFU.
// CHECK-LABEL: tile.kernel @scalar
// CHECK: "llvm.nvvm.ex2.approx.ftz.f32"
tile.kernel @scalar for "sm_100a" {} {
  %x = "test.source"() : () -> f32
  %y = tile.exp2 %x : f32
  "test.sink"(%y) : (f32) -> ()
}
