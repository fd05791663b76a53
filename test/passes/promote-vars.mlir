// RUN: %fa4-opt %s --allow-unregistered-dialect --tile-promote-vars | FileCheck %s

// A variable that a loop writes becomes one of its carried values.
// CHECK-LABEL: llvm.func @loop
// CHECK-SAME: (%[[INIT:[a-z0-9]+]]: i32,
// CHECK: %[[LAST:.*]] = scf.for {{.*}} iter_args(%[[HELD:.*]] = %[[INIT]])
// CHECK: %[[NEXT:.*]] = arith.addi %[[HELD]]
// CHECK: scf.yield %[[NEXT]]
// CHECK: "test.use"(%[[LAST]])
// CHECK-NOT: tile.
llvm.func @loop(%init: i32, %lower: i32, %upper: i32, %step: i32) {
  %v = tile.var %init : i32 -> !tile.var<i32>
  scf.for %i = %lower to %upper step %step : i32 {
    %held = tile.get %v : !tile.var<i32> -> i32
    %next = arith.addi %held, %i : i32
    tile.set %v, %next : !tile.var<i32>, i32
  }
  %last = tile.get %v : !tile.var<i32> -> i32
  "test.use"(%last) : (i32) -> ()
  llvm.return
}

// A variable that one branch writes keeps its value in the other.
// CHECK-LABEL: llvm.func @branch
// CHECK-SAME: (%[[INIT:[a-z0-9]+]]: i32, %[[OTHER:[a-z0-9]+]]: i32,
// CHECK: %[[AFTER:.*]] = scf.if
// CHECK: scf.yield %[[OTHER]]
// CHECK: else
// CHECK: scf.yield %[[INIT]]
// CHECK: "test.use"(%[[AFTER]])
llvm.func @branch(%init: i32, %other: i32, %c: i1) {
  %v = tile.var %init : i32 -> !tile.var<i32>
  scf.if %c {
    tile.set %v, %other : !tile.var<i32>, i32
  }
  %after = tile.get %v : !tile.var<i32> -> i32
  "test.use"(%after) : (i32) -> ()
  llvm.return
}

// A variable that is only read in a loop costs no carried value.
// CHECK-LABEL: llvm.func @constant
// CHECK-SAME: (%[[INIT:[a-z0-9]+]]: i32,
// CHECK-NOT: iter_args
// CHECK: "test.use"(%[[INIT]])
llvm.func @constant(%init: i32, %lower: i32, %upper: i32, %step: i32) {
  %v = tile.var %init : i32 -> !tile.var<i32>
  scf.for %i = %lower to %upper step %step : i32 {
    %held = tile.get %v : !tile.var<i32> -> i32
    "test.use"(%held) : (i32) -> ()
  }
  llvm.return
}
