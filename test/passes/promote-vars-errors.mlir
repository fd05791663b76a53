// RUN: %fa4-opt %s --verify-diagnostics --tile-promote-vars

// A loop of another kind can't carry a variable.
llvm.func @unknown_loop(%again: i1) {
  %zero = arith.constant 0 : i32
  %v = tile.var %zero : i32 -> !tile.var<i32>
  scf.while : () -> () {
    scf.condition(%again)
  } do {
    // expected-error@+1 {{uses a variable across 'scf.while'; variables live in functions of scf.for and scf.if}}
    tile.set %v, %zero : !tile.var<i32>, i32
    scf.yield
  }
  llvm.return
}
