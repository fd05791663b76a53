// RUN: %fa4-opt %s --allow-unregistered-dialect --tile-convert-to-nvvm | FileCheck %s

// A wait spins on try_wait until the phase of its parity has completed.
// CHECK-LABEL: llvm.func @wait
// CHECK-SAME: (%[[BARRIER:.*]]: i32, %[[PARITY:.*]]: i32)
// CHECK: %[[POINTER:.*]] = llvm.inttoptr %[[BARRIER]] : i32 to !llvm.ptr<3>
// CHECK: scf.while
// CHECK: nvvm.mbarrier.try_wait %[[POINTER]], %[[PARITY]]
// CHECK: scf.condition
llvm.func @wait(%barrier: i32, %parity: i32) {
  tile.barrier_wait %barrier, %parity "kv.full"
  llvm.return
}

// Arrivals: of the lane; of one lane after the warp has come together, and
// again; of the MMAs so far; with the bytes that TMA will deliver.
// CHECK-LABEL: llvm.func @arrive
// CHECK: nvvm.mbarrier.arrive
// CHECK: nvvm.bar.warp.sync
// CHECK: %[[ONE:.*]] = nvvm.elect.sync
// CHECK: scf.if %[[ONE]]
// CHECK-NEXT: nvvm.mbarrier.arrive
// CHECK-NOT: nvvm.bar.warp.sync
// CHECK: nvvm.elect.sync
// CHECK: nvvm.mbarrier.arrive
// CHECK: nvvm.tcgen05.commit
// CHECK: %[[BYTES:.*]] = arith.constant 16384 : i32
// CHECK: nvvm.mbarrier.arrive.expect_tx %{{.*}}, %[[BYTES]]
llvm.func @arrive(%barrier: i32) {
  tile.barrier_arrive %barrier by "lane"
  tile.barrier_arrive %barrier by "warp"
  tile.barrier_arrive %barrier by "together"
  tile.barrier_arrive %barrier by "mma"
  tile.barrier_arrive %barrier by "tma" {bytes = 16384 : i64}
  llvm.return
}

// Each fence has one spelling.
// CHECK-LABEL: llvm.func @fences
// CHECK: nvvm.fence.proxy {kind = #nvvm.proxy_kind<async.shared>
// CHECK: nvvm.tcgen05.fence <before>
// CHECK: nvvm.tcgen05.fence <after>
// CHECK: nvvm.tcgen05.wait <store>
// CHECK: nvvm.cp.async.bulk.wait_group 0 {read}
llvm.func @fences() {
  tile.fence "async_proxy"
  tile.fence "tmem_before"
  tile.fence "tmem_after"
  tile.fence "tmem_store"
  tile.fence "bulk_read"
  llvm.return
}

// MUFU functions apply to each element of a vector.
// CHECK-LABEL: llvm.func @approximate
// CHECK-COUNT-2: "llvm.nvvm.rcp.approx.ftz.f"
// CHECK: "llvm.nvvm.lg2.approx.ftz.f"
// CHECK: tanh.approx.f32
llvm.func @approximate(%x: vector<2xf32>, %y: f32) {
  %a = tile.approx "rcp" %x : vector<2xf32>
  %b = tile.approx "log2" %y : f32
  %c = tile.approx "tanh" %y : f32
  "test.sink"(%a, %b, %c) : (vector<2xf32>, f32, f32) -> ()
  llvm.return
}

// In a pair: arrivals at the leader's and the peer's barrier, in scope of the
// cluster; the commit of the pair's MMAs, in one CTA or in both.
// CHECK-LABEL: llvm.func @pair
// CHECK: nvvm.mbarrier.try_wait {{.*}}scope = #nvvm.mem_scope<cluster>
// CHECK: %[[ZERO:.*]] = arith.constant 0 : i32
// CHECK: %[[LEADER:.*]] = nvvm.mapa %{{.*}}, %[[ZERO]]
// CHECK: nvvm.mbarrier.arrive %[[LEADER]] {{.*}}scope = #nvvm.mem_scope<cluster>
// CHECK: %[[RANK:.*]] = nvvm.read.ptx.sreg.cluster.ctarank
// CHECK: %[[OTHER:.*]] = arith.xori %[[RANK]]
// CHECK: %[[PEER:.*]] = nvvm.mapa %{{.*}}, %[[OTHER]]
// CHECK: nvvm.mbarrier.arrive.expect_tx %[[PEER]]
// CHECK: nvvm.tcgen05.commit %{{[^,]*}} {group = #nvvm.cta_group<cta_2>}
// CHECK: %[[BOTH:.*]] = arith.constant 3 : i16
// CHECK: nvvm.tcgen05.commit {{.*}}multicast_mask = %[[BOTH]] {group = #nvvm.cta_group<cta_2>}
// CHECK: nvvm.read.ptx.sreg.cluster.ctarank
llvm.func @pair(%barrier: i32, %parity: i32) -> i32 {
  tile.barrier_wait %barrier, %parity "a.full" {pair}
  tile.barrier_arrive %barrier by "lane" {at = "leader"}
  tile.barrier_arrive %barrier by "tma" {at = "peer", bytes = 8192 : i64}
  tile.barrier_arrive %barrier by "mma_pair"
  tile.barrier_arrive %barrier by "mma_pair" {at = "both"}
  %rank = tile.rank
  llvm.return %rank : i32
}

// A counter is polled by loads that acquire; the fence lets the TMA copies that
// follow see what the posts released.
// CHECK-LABEL: llvm.func @counter_wait
// CHECK-SAME: (%[[BASE:.*]]: i64, %[[INDEX:.*]]: i32, %[[VALUE:.*]]: i32)
// CHECK: %[[WIDE:.*]] = arith.extsi %[[INDEX]] : i32 to i64
// CHECK: %[[BYTES:.*]] = arith.muli %[[WIDE]], %{{.*}} : i64
// CHECK: %[[AT:.*]] = arith.addi %[[BASE]], %[[BYTES]] : i64
// CHECK: %[[POINTER:.*]] = llvm.inttoptr %[[AT]] : i64 to !llvm.ptr<1>
// CHECK: scf.while
// CHECK: %[[NOW:.*]] = llvm.load %[[POINTER]] atomic syncscope("device") acquire
// CHECK: %[[OTHER:.*]] = arith.cmpi ne, %[[NOW]], %[[VALUE]]
// CHECK: scf.condition(%[[OTHER]])
// CHECK: nvvm.fence.proxy {kind = #nvvm.proxy_kind<async.global>}
llvm.func @counter_wait(%base: i64, %index: i32, %value: i32) {
  tile.counter_wait %base[%index] is %value
  llvm.return
}

// Copies have written, not only read their sources, before the post.
// CHECK-LABEL: llvm.func @counter_post
// CHECK: nvvm.cp.async.bulk.wait_group 0{{$}}
// CHECK: llvm.inline_asm has_side_effects "red.release.gpu.global.add.u32 [$0], 1;"
llvm.func @counter_post(%base: i64, %index: i32) {
  tile.counter_post %base[%index]
  llvm.return
}
