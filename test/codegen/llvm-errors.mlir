// What LLVM gives up on is one message and exit status 1, too.
// RUN: not %fa4-gen lower %s -o %t.ptx 2>&1 | FileCheck %s
// CHECK: error: LLVM can't compile this: unsupported library call operation
// RUN: not test -e %t.ptx
llvm.func @quad_precision(%p: !llvm.ptr<1>, %x: f128) attributes {nvvm.kernel} {
  %y = llvm.frem %x, %x : f128
  llvm.store %y, %p : f128, !llvm.ptr<1>
  llvm.return
}
