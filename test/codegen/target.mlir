// What the target decides: PTX version, layout, pointer widths, entry caps.
// RUN: %fa4-gen lower %s | FileCheck %s --check-prefixes=CHECK,SM100
// RUN: %fa4-gen lower %s --arch sm_90a | FileCheck %s --check-prefixes=CHECK,SM90

llvm.mlir.global external @smem() {addr_space = 3 : i32, alignment = 1024 : i64} : !llvm.array<0 x i8>

// SM100: .version 8.8
// SM100: .target sm_100a{{$}}
// SM90: .version 8.6
// SM90: .target sm_90a{{$}}
// CHECK: .extern .shared .align 1024 .b8 smem[]

// CHECK: .entry caps(
// CHECK: .param .align 64 .b8 caps_param_0[128]
// CHECK: .reqntid 512, 1, 1
// CHECK: .minnctapersm 1
// CHECK: .maxnreg 128
llvm.func @caps(%map: !llvm.ptr {llvm.byval = !llvm.array<128 x i8>, llvm.align = 64 : i64, nvvm.grid_constant})
    attributes {nvvm.kernel, nvvm.reqntid = array<i32: 512, 1, 1>, nvvm.minctasm = 1 : i32, nvvm.maxnreg = 128 : i32} {
  llvm.return
}

// CHECK: .entry clusters(
// CHECK: .explicitcluster
// CHECK: .reqnctapercluster 2, 1, 1
llvm.func @clusters() attributes {nvvm.kernel, nvvm.cluster_dim = array<i32: 2, 1, 1>} {
  llvm.return
}

// A 64-bit access is one access, and a shared address is 32 bits of arithmetic.
// CHECK-LABEL: .entry widths(
// CHECK: ld.global.b64
// CHECK: mov.b32 %r[[BASE:[0-9]+]], smem;
// CHECK: mad.lo.s32 %r{{.*}}, %r[[BASE]];
// CHECK: st.shared.b64 [%r{{[0-9]+}}]
llvm.func @widths(%in: !llvm.ptr<1>, %i: i32) attributes {nvvm.kernel} {
  %smem = llvm.mlir.addressof @smem : !llvm.ptr<3>
  %x = llvm.load %in : !llvm.ptr<1> -> i64
  %slot = llvm.getelementptr %smem[%i] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, !llvm.array<3 x i64>
  llvm.store %x, %slot : i64, !llvm.ptr<3>
  llvm.return
}

// A loop stays a loop.
// CHECK-LABEL: .entry loop(
// CHECK-COUNT-1: st.global.b32
// CHECK-NOT: st.global
// CHECK: bra
llvm.func @loop(%out: !llvm.ptr<1>) attributes {nvvm.kernel} {
  %zero = llvm.mlir.constant(0 : i32) : i32
  %one = llvm.mlir.constant(1 : i32) : i32
  %sixteen = llvm.mlir.constant(16 : i32) : i32
  llvm.br ^body(%zero : i32)
^body(%i: i32):
  %slot = llvm.getelementptr %out[%i] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32
  llvm.store %i, %slot : i32, !llvm.ptr<1>
  %next = llvm.add %i, %one : i32
  %more = llvm.icmp "slt" %next, %sixteen : i32
  llvm.cond_br %more, ^body(%next : i32), ^exit
^exit:
  llvm.return
}

// Pairs of f32 stay pairs; nothing is contracted or reassociated.
// CHECK-LABEL: .entry pairs(
// SM100: mul.rn.f32x2
// SM100: add.rn.f32x2
// SM90: mul.rn.f32
// CHECK-NOT: fma
llvm.func @pairs(%p: !llvm.ptr<1>) attributes {nvvm.kernel} {
  %x = llvm.load %p {alignment = 8 : i64} : !llvm.ptr<1> -> vector<2xf32>
  %y = llvm.fmul %x, %x : vector<2xf32>
  %z = llvm.fadd %y, %x : vector<2xf32>
  llvm.store %z, %p {alignment = 8 : i64} : vector<2xf32>, !llvm.ptr<1>
  llvm.return
}
