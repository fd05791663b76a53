// RUN: %fa4-opt %s --allow-unregistered-dialect --split-input-file --tile-lower-roles | FileCheck %s

// L1: every role walks the same tiles: ctaid.x, then + nctaid.x below the
// walk's count, and knows of each what the walk yields. L2: the role of four
// warps starts at warp 0, the single warps share the next warpgroup.
// CHECK: module attributes {tile.launch = {{.*}}block = [256, 1, 1]
// CHECK-LABEL: llvm.func @kernel
// CHECK-SAME: (%[[TILES:.*]]: i32)
// CHECK-SAME: nvvm.reqntid = array<i32: 256, 1, 1>
// CHECK-SAME: passthrough = {{\[\[}}"no-jump-tables", "true"]]
// CHECK: %[[WARP:.*]] = nvvm.shfl.sync idx
// CHECK: %[[WIDE:.*]] = arith.cmpi slt, %[[WARP]], %{{.*}} : i32
// CHECK: scf.if %[[WIDE]]
// CHECK: %[[FIRST:.*]] = nvvm.read.ptx.sreg.ctaid.x
// CHECK: %[[STEP:.*]] = nvvm.read.ptx.sreg.nctaid.x
// CHECK: scf.for %[[TILE:.*]] = %[[FIRST]] to %[[TILES]] step %[[STEP]]
// CHECK: %[[ROW:.*]] = arith.muli %[[TILE]]
// CHECK: "test.wide"(%[[ROW]])
// CHECK: else
// CHECK: nvvm.elect.sync
// CHECK: scf.for
// CHECK: "test.first"
// CHECK: nvvm.elect.sync
// CHECK: "test.second"
tile.kernel @kernel for "sm_100a" {key = {}, op = "test"} {
  %tiles = tile.scalar "tiles" : i32
  tile.walk %tiles {
  ^bb0(%index: i32):
    %rows = arith.constant 128 : i32
    %row = arith.muli %index, %rows : i32
    tile.yield %row : i32
  } {grid = "tiles"}
  tile.role "first" {
  ^bb0(%copy: i32, %row: i32):
    "test.first"(%row) : (i32) -> ()
    tile.yield
  } {registers = 24 : i64, warps = 1 : i64, elected}
  tile.role "wide" {
  ^bb0(%copy: i32, %row: i32):
    "test.wide"(%row) : (i32) -> ()
    tile.yield
  } {registers = 128 : i64, warps = 4 : i64}
  tile.role "second" {
  ^bb0(%copy: i32, %row: i32):
    "test.second"(%row) : (i32) -> ()
    tile.yield
  } {registers = 24 : i64, warps = 1 : i64, elected}
} {smem_bytes = 0 : i64, tmem_columns = 0 : i64, tmem_slot = 0 : i64}

// -----

// O2: each CTA draws the number of its one tile, by one thread, once the grid
// before it has ended; the CTA's barrier hands it to every role.
// CHECK: tile.launch = {{.*}}zeroed = true
// CHECK-LABEL: llvm.func @tickets
// CHECK-SAME: (%[[TICKETS:.*]]: i64, %{{.*}}: i32)
// CHECK: nvvm.griddepcontrol wait
// CHECK: nvvm.elect.sync
// CHECK: %[[COUNTER:.*]] = llvm.inttoptr %[[TICKETS]] : i64 to !llvm.ptr<1>
// CHECK: %[[DRAWN:.*]] = llvm.atomicrmw add %[[COUNTER]], %{{.*}} syncscope("device") monotonic
// CHECK: llvm.store %[[DRAWN]], %{{.*}} : i32, !llvm.ptr<3>
// CHECK: nvvm.barrier
// CHECK-NOT: nvvm.griddepcontrol
// CHECK-NOT: scf.for
// CHECK: %[[TILE:.*]] = llvm.load %{{.*}} : !llvm.ptr<3> -> i32
// CHECK: "test.only"(%[[TILE]])
tile.kernel @tickets for "sm_100a" {key = {}, op = "test"} {
  %tensor = tile.tensor "scratch" "tickets" ["1"] of i32 {zeroed}
  %counter = tile.pointer %tensor
  %tiles = tile.scalar "tiles" : i32
  tile.walk %tiles tickets %counter {
  ^bb0(%index: i32):
    tile.yield %index : i32
  } {grid = "tiles"}
  tile.role "only" {
  ^bb0(%copy: i32, %tile: i32):
    "test.only"(%tile) : (i32) -> ()
    tile.yield
  } {registers = 24 : i64, warps = 1 : i64, elected}
} {smem_bytes = 8 : i64, tmem_columns = 0 : i64, tmem_slot = 0 : i64, ticket_slot = 4 : i64, programmatic_launch}

// -----

// L3: where a role asks for more registers than the launch gives, every
// warpgroup sets its own number, and the small roles get what is left over.
// CHECK-LABEL: llvm.func @registers
// CHECK: nvvm.setmaxregister increase 200
// CHECK: nvvm.setmaxregister decrease 104
tile.kernel @registers for "sm_100a" {key = {}, op = "test"} {
  %tiles = tile.scalar "tiles" : i32
  tile.walk %tiles {
  ^bb0(%index: i32):
    tile.yield
  } {grid = "tiles"}
  tile.role "wide" {
  ^bb0(%copy: i32):
    "test.wide"(%copy) : (i32) -> ()
    tile.yield
  } {registers = 200 : i64, warps = 4 : i64, copies = 2 : i64}
  tile.role "small" {
  ^bb0(%copy: i32):
    "test.small"() : () -> ()
    tile.yield
  } {registers = 24 : i64, warps = 1 : i64, elected}
} {smem_bytes = 0 : i64, tmem_columns = 0 : i64, tmem_slot = 0 : i64}

// -----

// Barriers are initialized with their arrivals, by one lane, before the CTA's
// barrier; tensor memory is allocated and freed by the same warp.
// CHECK-LABEL: llvm.func @set_up
// CHECK: nvvm.tcgen05.alloc
// CHECK: nvvm.elect.sync
// CHECK: %[[OUT:.*]] = arith.constant 1 : i32
// CHECK: nvvm.mbarrier.init %{{.*}}, %[[OUT]]
// CHECK: %[[BACK:.*]] = arith.constant 4 : i32
// CHECK: nvvm.mbarrier.init %{{.*}}, %[[BACK]]
// CHECK-NOT: nvvm.mbarrier.init
// CHECK: nvvm.fence.mbarrier.init
// CHECK: nvvm.barrier
// CHECK: nvvm.barrier
// CHECK: nvvm.tcgen05.dealloc
tile.kernel @set_up for "sm_100a" {key = {}, op = "test"} {
  %tiles = tile.scalar "tiles" : i32
  %acc = tile.pipe "acc" edges ["out", "back"] {barriers = 0 : i64, column = 0 : i64, counts = array<i64: 1, 4>, from = ["a", "b"], to = ["b", "a"], by = ["mma", "warp"]} : <!tile.slot<tmem, 128 x 64 x f32>>
  tile.walk %tiles {
  ^bb0(%index: i32):
    tile.yield
  } {grid = "tiles"}
  tile.role "small" {
  ^bb0(%copy: i32):
    "test.small"() : () -> ()
    tile.yield
  } {registers = 24 : i64, warps = 1 : i64, elected}
} {smem_bytes = 24 : i64, tmem_columns = 64 : i64, tmem_slot = 16 : i64}

// -----

// A kernel that may start before the previous one has ended waits for it after
// its own setup, in every thread, and lets the next one start.
// CHECK: tile.launch = {{.*}}programmatic_launch = true
// CHECK-LABEL: llvm.func @overlapped
// CHECK: nvvm.barrier
// CHECK-NEXT: nvvm.griddepcontrol wait
// CHECK-NEXT: nvvm.griddepcontrol launch_dependents
// CHECK: "test.role"
tile.kernel @overlapped for "sm_100a" {key = {}, op = "test"} {
  %tiles = tile.scalar "tiles" : i32
  tile.walk %tiles {
  ^bb0(%index: i32):
    tile.yield
  } {grid = "tiles"}
  tile.role "role" {
  ^bb0(%copy: i32):
    "test.role"() : () -> ()
    tile.yield
  } {registers = 24 : i64, warps = 1 : i64, elected}
} {smem_bytes = 0 : i64, tmem_columns = 0 : i64, tmem_slot = 0 : i64, programmatic_launch}

// -----

// A pair: clusters of two CTAs, each with half of the grid's index as its tile.
// Barriers of the cluster stand where peers may begin to arrive, and before a
// CTA may go. A leading role is the first CTA's.
// CHECK: module attributes {tile.launch = {{.*}}cluster = [2, 1, 1]{{.*}}grid = ["2 * (tiles)", "1", "1"]
// CHECK-LABEL: llvm.func @pair
// CHECK-SAME: nvvm.cluster_dim = array<i32: 2, 1, 1>
// CHECK: nvvm.tcgen05.alloc {{.*}}group = #nvvm.cta_group<cta_2>
// CHECK: nvvm.fence.mbarrier.init
// CHECK-NOT: nvvm.barrier
// CHECK: nvvm.cluster.arrive
// CHECK-NEXT: nvvm.cluster.wait
// CHECK: %[[RANK:.*]] = nvvm.read.ptx.sreg.cluster.ctarank
// CHECK: %[[LEADS:.*]] = arith.cmpi eq, %[[RANK]]
// CHECK: scf.if %[[LEADS]]
// CHECK: nvvm.elect.sync
// CHECK: %[[FIRST:.*]] = arith.shrui
// CHECK: %[[STEP:.*]] = arith.shrui
// CHECK: scf.for %{{.*}} = %[[FIRST]] to %{{.*}} step %[[STEP]]
// CHECK: "test.mma"
// CHECK: nvvm.cluster.arrive
// CHECK-NEXT: nvvm.cluster.wait
// CHECK: nvvm.tcgen05.dealloc {{.*}}group = #nvvm.cta_group<cta_2>
tile.kernel @pair for "sm_100a" {key = {}, op = "test"} {
  %tiles = tile.scalar "tiles" : i32
  tile.walk %tiles {
  ^bb0(%index: i32):
    tile.yield
  } {grid = "tiles"}
  tile.role "mma" {
  ^bb0(%copy: i32):
    "test.mma"() : () -> ()
    tile.yield
  } {registers = 24 : i64, warps = 1 : i64, elected, leader}
} {smem_bytes = 0 : i64, tmem_columns = 128 : i64, tmem_slot = 0 : i64, pair}
