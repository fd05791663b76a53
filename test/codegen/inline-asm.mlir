// Inline assembly is convergent: a barrier is neither copied into the arms of
// a branch nor joined with its like.
// RUN: %fa4-gen lower %s --emit=llvm | FileCheck %s --check-prefix=LLVM
// RUN: %fa4-gen lower %s | FileCheck %s

// LLVM: call void asm sideeffect "bar.sync 1, 128;", "~{memory}"() #[[CALL:[0-9]+]]
// LLVM: attributes #[[CALL]] = { convergent {{.*}}}

// CHECK-LABEL: .entry barrier_after_branch
// CHECK-COUNT-1: bar.sync 1, 128;
// CHECK-NOT: bar.sync
llvm.func @barrier_after_branch(%out: !llvm.ptr<1>, %n: i32) attributes {nvvm.kernel} {
  %zero = llvm.mlir.constant(0 : i32) : i32
  %one = llvm.mlir.constant(1 : i32) : i32
  %negative = llvm.icmp "slt" %n, %zero : i32
  llvm.cond_br %negative, ^then, ^join(%zero : i32)
^then:
  llvm.store %n, %out : i32, !llvm.ptr<1>
  llvm.br ^join(%one : i32)
^join(%side: i32):
  llvm.inline_asm has_side_effects "bar.sync 1, 128;", "~{memory}" : () -> ()
  %again = llvm.icmp "eq" %side, %one : i32
  llvm.cond_br %again, ^left, ^right
^left:
  llvm.store %one, %out : i32, !llvm.ptr<1>
  llvm.br ^exit
^right:
  llvm.store %zero, %out : i32, !llvm.ptr<1>
  llvm.br ^exit
^exit:
  llvm.return
}

// CHECK-LABEL: .entry barrier_in_arms
// CHECK: bar.sync 2, 64;
// CHECK: bar.sync 2, 64;
llvm.func @barrier_in_arms(%out: !llvm.ptr<1>, %n: i32) attributes {nvvm.kernel} {
  %zero = llvm.mlir.constant(0 : i32) : i32
  %negative = llvm.icmp "slt" %n, %zero : i32
  llvm.cond_br %negative, ^left, ^right
^left:
  llvm.inline_asm has_side_effects "bar.sync 2, 64;", "~{memory}" : () -> ()
  llvm.store %n, %out : i32, !llvm.ptr<1>
  llvm.br ^exit
^right:
  llvm.inline_asm has_side_effects "bar.sync 2, 64;", "~{memory}" : () -> ()
  llvm.store %zero, %out : i32, !llvm.ptr<1>
  llvm.br ^exit
^exit:
  llvm.return
}
