// RUN: %fa4-opt %s --split-input-file --allow-unregistered-dialect --verify-diagnostics --tile-convert-to-nvvm

// What earlier passes should have lowered is named.
llvm.func @left() {
  // expected-error@+1 {{'tile.smem_base' is left after lowering}}
  %base = tile.smem_base
  "test.sink"(%base) : (i32) -> ()
  llvm.return
}

// -----

// So is what would be lost without a trace.
llvm.func @lost(%value: i32) {
  %v = tile.var %value : i32 -> !tile.var<i32>
  // expected-error@+1 {{'tile.set' is left after lowering}}
  tile.set %v, %value : !tile.var<i32>, i32
  llvm.return
}
