// RUN: %fa4-opt %s --allow-unregistered-dialect --verify-diagnostics --tile-convert-to-nvvm

// What earlier passes should have lowered is named.
llvm.func @left() {
  // expected-error@+1 {{'tile.smem_base' is left after lowering}}
  %base = tile.smem_base
  "test.sink"(%base) : (i32) -> ()
  llvm.return
}
