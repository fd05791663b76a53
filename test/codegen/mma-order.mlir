// Two equal accumulating MMAs add twice, and an MMA reads the shared memory
// that was stored before it: LLVM may neither delete nor move any of them.
// RUN: %fa4-gen lower %s | FileCheck %s

llvm.mlir.global external @smem() {addr_space = 3 : i32, alignment = 1024 : i64} : !llvm.array<0 x i8>

// CHECK-LABEL: .entry mma_order
// CHECK: st.shared.b32
// CHECK: tcgen05.mma
// CHECK: tcgen05.mma
// CHECK: st.shared.b32
// CHECK: tcgen05.mma
// CHECK: st.shared.b32
// CHECK: tcgen05.commit
// CHECK: mbarrier.try_wait
// CHECK: mbarrier.try_wait
llvm.func @mma_order(%d: i32, %a: i64, %b: i64, %x: i32) attributes {nvvm.kernel} {
  %smem = llvm.mlir.addressof @smem : !llvm.ptr<3>
  %tmem = llvm.inttoptr %d : i32 to !llvm.ptr<6>
  %idesc = llvm.mlir.constant(136316048 : i32) : i32
  %parity = llvm.mlir.constant(0 : i32) : i32
  %true = llvm.mlir.constant(true) : i1
  %bar = llvm.getelementptr %smem[64] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i64
  llvm.store %x, %smem : i32, !llvm.ptr<3>
  nvvm.tcgen05.mma %tmem, %a, %b, %idesc, %true {kind = #nvvm.tcgen05_mma_kind<f16>, ctaGroup = #nvvm.cta_group<cta_1>} : (!llvm.ptr<6>, i64, i64, i32, i1)
  nvvm.tcgen05.mma %tmem, %a, %b, %idesc, %true {kind = #nvvm.tcgen05_mma_kind<f16>, ctaGroup = #nvvm.cta_group<cta_1>} : (!llvm.ptr<6>, i64, i64, i32, i1)
  llvm.store %d, %smem : i32, !llvm.ptr<3>
  nvvm.tcgen05.mma %tmem, %a, %b, %idesc, %true {kind = #nvvm.tcgen05_mma_kind<f16>, ctaGroup = #nvvm.cta_group<cta_1>} : (!llvm.ptr<6>, i64, i64, i32, i1)
  llvm.store %x, %smem : i32, !llvm.ptr<3>
  nvvm.tcgen05.commit %bar : !llvm.ptr<3>
  %0 = nvvm.mbarrier.try_wait %bar, %parity {relaxed = true} : !llvm.ptr<3>, i32 -> i1
  %1 = nvvm.mbarrier.try_wait %bar, %parity {relaxed = true} : !llvm.ptr<3>, i32 -> i1
  %2 = llvm.or %0, %1 : i1
  %3 = llvm.zext %2 : i1 to i32
  llvm.store %3, %smem : i32, !llvm.ptr<3>
  llvm.return
}

// The vectorizer of the back end does not join stores across an MMA.
// CHECK-LABEL: .entry vectorizer
// CHECK: st.shared.b32
// CHECK: tcgen05.mma
// CHECK: st.shared.b32
llvm.func @vectorizer(%d: i32, %a: i64, %b: i64, %x: i32) attributes {nvvm.kernel} {
  %smem = llvm.mlir.addressof @smem : !llvm.ptr<3>
  %next = llvm.getelementptr %smem[1] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i32
  %tmem = llvm.inttoptr %d : i32 to !llvm.ptr<6>
  %idesc = llvm.mlir.constant(136316048 : i32) : i32
  %true = llvm.mlir.constant(true) : i1
  llvm.store %x, %smem {alignment = 16 : i64} : i32, !llvm.ptr<3>
  nvvm.tcgen05.mma %tmem, %a, %b, %idesc, %true {kind = #nvvm.tcgen05_mma_kind<f16>, ctaGroup = #nvvm.cta_group<cta_1>} : (!llvm.ptr<6>, i64, i64, i32, i1)
  llvm.store %d, %next : i32, !llvm.ptr<3>
  llvm.return
}
