// What ptxas says, with its line.
// REQUIRES: ptxas
// RUN: not %fa4-gen lower %s --emit=cubin -o %t.cubin 2>&1 | FileCheck %s
// CHECK: error: {{.*}}ptxas-errors.mlir: ptxas rejects the kernel: {{.*}}line {{[0-9]+}}{{.*}}bogus
// RUN: not env TMPDIR=/nowhere fa4-gen lower %s --emit=cubin -o %t.cubin 2>&1 | FileCheck %s --check-prefix=SCRATCH
// SCRATCH: can't make a temporary file: No such file or directory
// RUN: not test -e %t.cubin
llvm.func @bogus(%p: !llvm.ptr<1>, %x: i32) attributes {nvvm.kernel} {
  %y = llvm.inline_asm has_side_effects "bogus.b32 $0, $1;", "=r,r" %x : (i32) -> i32
  llvm.store %y, %p : i32, !llvm.ptr<1>
  llvm.return
}
