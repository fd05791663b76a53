// ptxas ignores setmaxnreg, with a mere note, in an entry without a register
// cap; that is an error here, and nothing is written.
// REQUIRES: ptxas
// RUN: rm -f %t.cubin
// RUN: not %fa4-gen lower %s --emit=cubin -o %t.cubin 2>&1 | FileCheck %s
// RUN: not test -e %t.cubin

// CHECK: error: {{.*}}setmaxnreg.mlir: ptxas has objections: {{.*}}C7508{{.*}}setmaxnreg
llvm.func @uncapped() attributes {nvvm.kernel} {
  nvvm.setmaxregister increase 168
  llvm.return
}
