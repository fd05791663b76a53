// RUN: %fa4-opt %s --split-input-file --pass-pipeline='builtin.module(tile.kernel(tile-lower-rings))' | FileCheck %s

!tile_t = !tile.slot<smem, 128 x 64 x bf16, swizzle = 128>
!acc_t = !tile.slot<tmem, 128 x 128 x f32>

// R5: a TMA fill announces its bytes on the full barrier before the copy, and
// the copy signals that barrier; the first acquire of the empty edge finds the
// slots free: its parity starts at 1, the taker's at 0.
// CHECK-LABEL: tile.kernel @ring
// CHECK: tile.pipe "a" {{.*}}counts = array<i64: 1, 1>
// CHECK: arith.constant 1 : i32
// CHECK-NEXT: %[[PUT_PARITY:.*]] = tile.var
// CHECK: tile.role "load"
// CHECK: %[[PARITY:.*]] = tile.get %[[PUT_PARITY]] :
// CHECK-NEXT: tile.barrier_wait %{{.*}}, %[[PARITY]] "a.empty"
// CHECK: tile.barrier_arrive %[[FULL:.*]] by "tma" "a.full" {bytes = 16384 : i64}
// CHECK: tile.copy_in {{.*}} signals %[[FULL]]
// CHECK-NOT: barrier_arrive
// CHECK-COUNT-2: arith.constant 0 : i32
// CHECK-NEXT: %[[TAKE_PARITY:.*]] = tile.var
// CHECK: tile.role "store"
// CHECK: %[[TAKEN:.*]] = tile.get %[[TAKE_PARITY]] :
// CHECK-NEXT: tile.barrier_wait %{{.*}}, %[[TAKEN]] "a.full"
// CHECK: tile.copy_out
// A store has read the slot before it is handed back.
// CHECK: tile.fence "bulk_read"
// CHECK: tile.barrier_arrive %{{.*}} by "lane" "a.empty"
tile.kernel @ring for "sm_100a" {} {
  %x = tile.tensor "input" "x" ["m", "k"] of bf16
  %a = tile.pipe "a" edges ["full", "empty"] {depth = 2 : i64, barriers = 0 : i64, offset = 1024 : i64} : <!tile_t>
  tile.role "load" {
  ^bb0(%copy: i32):
    %i = arith.constant 0 : i32
    %slot = tile.acquire %a[%i] edge 1 : !tile.pipe<!tile_t> -> !tile_t
    tile.copy_in %x[%i, %i] -> %slot {rowDim = 0 : i64} : !tile_t
    tile.release %slot edge 0 : !tile_t
    tile.yield
  } {registers = 24 : i64, warps = 1 : i64}
  tile.role "store" {
  ^bb0(%copy: i32):
    %i = arith.constant 0 : i32
    %slot = tile.acquire %a[%i] edge 0 : !tile.pipe<!tile_t> -> !tile_t
    tile.copy_out %slot -> %x[%i, %i] {rowDim = 0 : i64} : !tile_t
    tile.release %slot edge 1 : !tile_t
    tile.yield
  } {registers = 24 : i64, warps = 1 : i64}
}

// -----

!tile_t = !tile.slot<smem, 128 x 64 x bf16, swizzle = 128>
!acc_t = !tile.slot<tmem, 128 x 128 x f32>

// R5: MMAs hand over by commit, in any memory; the threads of a role that
// works on fragments by one arrival a warp, behind the fences that their
// accesses need.
// CHECK-LABEL: tile.kernel @kinds
// CHECK: tile.pipe "acc" {{.*}}by = ["mma", "warp"]
// CHECK-SAME: counts = array<i64: 1, 4>
// CHECK-SAME: from = ["mma", "epilogue"]
// CHECK-SAME: to = ["epilogue", "mma"]
// CHECK: tile.role "mma"
// CHECK: tile.barrier_wait {{.*}} "acc.back"
// CHECK-NEXT: tile.fence "tmem_after"
// CHECK: tile.mma
// CHECK-NOT: tile.fence
// CHECK: tile.barrier_arrive {{.*}} by "mma" "acc.out"
// CHECK: tile.role "epilogue"
// CHECK: tile.barrier_wait {{.*}} "acc.out"
// CHECK: tile.load
// CHECK: tile.store
// CHECK: tile.fence "async_proxy"
// CHECK: tile.barrier_arrive {{.*}} by "warp" "c.full"
// CHECK-NOT: async_proxy
// CHECK: tile.fence "tmem_before"
// CHECK-NEXT: %{{.*}} = tile.smem_base
// CHECK: tile.barrier_arrive {{.*}} by "warp" "acc.back"
tile.kernel @kinds for "sm_100a" {} {
  %x = tile.tensor "output" "x" ["m", "k"] of bf16
  %a = tile.pipe "a" edges ["full", "empty"] {barriers = 0 : i64, offset = 1024 : i64} : <!tile_t>
  %c = tile.pipe "c" edges ["full", "empty"] {barriers = 16 : i64, offset = 17408 : i64} : <!tile_t>
  %acc = tile.pipe "acc" edges ["out", "back"] {barriers = 32 : i64, column = 0 : i64} : <!acc_t>
  tile.role "load" {
  ^bb0(%copy: i32):
    %i = arith.constant 0 : i32
    %slot = tile.acquire %a[%i] edge 1 : !tile.pipe<!tile_t> -> !tile_t
    tile.copy_in %x[%i, %i] -> %slot {rowDim = 0 : i64} : !tile_t
    tile.release %slot edge 0 : !tile_t
    tile.yield
  } {registers = 24 : i64, warps = 1 : i64}
  tile.role "mma" {
  ^bb0(%copy: i32):
    %i = arith.constant 0 : i32
    %false = arith.constant false
    %d = tile.acquire %acc[%i] edge 1 : !tile.pipe<!acc_t> -> !acc_t
    %s = tile.acquire %a[%i] edge 0 : !tile.pipe<!tile_t> -> !tile_t
    tile.mma %s, %s -> %d accumulate %false k 0 to 64 : !tile_t, !tile_t -> !acc_t
    tile.release %s edge 1 : !tile_t
    tile.release %d edge 0 : !acc_t
    tile.yield
  } {registers = 24 : i64, warps = 1 : i64}
  tile.role "epilogue" {
  ^bb0(%copy: i32):
    %i = arith.constant 0 : i32
    %d = tile.acquire %acc[%i] edge 0 : !tile.pipe<!acc_t> -> !acc_t
    %out = tile.acquire %c[%i] edge 1 : !tile.pipe<!tile_t> -> !tile_t
    %f = tile.load %d cols 0 : !acc_t -> tensor<128x64xf32, #tile.row>
    %h = arith.truncf %f : tensor<128x64xf32, #tile.row> to tensor<128x64xbf16, #tile.row>
    tile.store %h, %out cols 0 : tensor<128x64xbf16, #tile.row>, !tile_t
    tile.release %out edge 0 : !tile_t
    tile.release %d edge 1 : !acc_t
    tile.yield
  } {registers = 128 : i64, warps = 4 : i64}
  tile.role "store" {
  ^bb0(%copy: i32):
    %i = arith.constant 0 : i32
    %slot = tile.acquire %c[%i] edge 0 : !tile.pipe<!tile_t> -> !tile_t
    tile.copy_out %slot -> %x[%i, %i] {rowDim = 0 : i64} : !tile_t
    tile.release %slot edge 1 : !tile_t
    tile.yield
  } {registers = 24 : i64, warps = 1 : i64}
}

// -----

!sp_t = !tile.slot<tmem, 128 x 128 x f32>
!p_t = !tile.slot<tmem, 128 x 128 x bf16>

// R5: an edge in parts has one barrier a part, and advances with the last one.
// The near side puts (holds) first, so that its first acquire really waits:
// every parity starts at 0. A view adds its columns to the slot's address.
// CHECK-LABEL: tile.kernel @parts
// CHECK-NOT: arith.constant 1 : i32
// CHECK: tile.role "near"
// CHECK-NOT: barrier_wait
// CHECK: tile.barrier_arrive {{.*}} "sp.out"
// CHECK: tile.barrier_wait {{.*}} "sp.back.0"
// CHECK-NOT: tile.set
// CHECK: tile.barrier_wait {{.*}} "sp.back.1"
// CHECK: tile.set
// CHECK: tile.role "far"
// CHECK: tile.load
// CHECK: %[[BASE:.*]] = tile.tmem_base
// CHECK: %[[SLOT:.*]] = arith.addi %[[BASE]],
// CHECK: %[[OFFSET:.*]] = arith.constant 64 : i32
// CHECK: %[[VIEW:.*]] = arith.addi %[[SLOT]], %[[OFFSET]]
// CHECK: tile.slot_at %[[VIEW]]
// CHECK: tile.fence "tmem_store"
// CHECK: tile.fence "tmem_before"
// CHECK: tile.barrier_arrive {{.*}} "sp.back.0"
tile.kernel @parts for "sm_100a" {} {
  %sp = tile.pipe "sp" edges ["out", "back"] {parts = array<i64: 1, 2>, barriers = 0 : i64, column = 0 : i64} : <!sp_t>
  tile.role "near" {
  ^bb0(%copy: i32):
    %i = arith.constant 0 : i32
    %s = tile.hold %sp[%i] : !tile.pipe<!sp_t> -> !sp_t
    tile.release %s edge 0 : !sp_t
    %p0 = tile.acquire %sp[%i] edge 1 : !tile.pipe<!sp_t> -> !sp_t
    %p1 = tile.acquire %sp[%i] edge 1 part 1 : !tile.pipe<!sp_t> -> !sp_t
    tile.yield
  } {registers = 24 : i64, warps = 1 : i64}
  tile.role "far" {
  ^bb0(%copy: i32):
    %i = arith.constant 0 : i32
    %s = tile.acquire %sp[%i] edge 0 : !tile.pipe<!sp_t> -> !sp_t
    %x = tile.load %s cols 0 : !sp_t -> tensor<128x32xf32, #tile.row>
    %h = arith.truncf %x : tensor<128x32xf32, #tile.row> to tensor<128x32xbf16, #tile.row>
    %p0 = tile.hold %sp[%i] : !tile.pipe<!sp_t> -> !sp_t
    %v0 = tile.view %p0 at 64 : !sp_t -> !p_t
    tile.store %h, %v0 cols 0 : tensor<128x32xbf16, #tile.row>, !p_t
    tile.release %v0 edge 1 : !p_t
    %p1 = tile.hold %sp[%i] : !tile.pipe<!sp_t> -> !sp_t
    tile.release %p1 edge 1 part 1 : !sp_t
    tile.yield
  } {registers = 128 : i64, warps = 4 : i64}
}

// -----

!acc_t = !tile.slot<tmem, 128 x 128 x f32>
!row_t = !tile.slot<rows, 128 x 1 x f32>

// R5: where two waits for tensor memory precede the first use, the second one's
// fence serves both; where two arrivals of a warp stand together, so do its
// lanes.
// CHECK-LABEL: tile.kernel @together
// CHECK: tile.role "epilogue"
// CHECK: tile.barrier_wait {{.*}} "a.out"
// CHECK-NOT: tile.fence
// CHECK: tile.barrier_wait {{.*}} "b.out"
// CHECK-NEXT: tile.fence "tmem_after"
// CHECK: tile.barrier_arrive {{.*}} by "warp" "b.back"
// CHECK: tile.fence "tmem_before"
// CHECK: tile.barrier_arrive {{.*}} by "warp" "a.back"
// CHECK: tile.barrier_arrive {{.*}} by "together" "s.empty"
tile.kernel @together for "sm_100a" {} {
  %a = tile.pipe "a" edges ["out", "back"] {barriers = 0 : i64, column = 0 : i64} : <!acc_t>
  %b = tile.pipe "b" edges ["out", "back"] {barriers = 16 : i64, column = 128 : i64} : <!acc_t>
  %s = tile.pipe "s" edges ["full", "empty"] {barriers = 32 : i64, offset = 1024 : i64} : <!row_t>
  tile.role "mma" {
  ^bb0(%copy: i32):
    %i = arith.constant 0 : i32
    %x = tile.acquire %a[%i] edge 1 : !tile.pipe<!acc_t> -> !acc_t
    %y = tile.acquire %b[%i] edge 1 : !tile.pipe<!acc_t> -> !acc_t
    tile.release %x edge 0 : !acc_t
    tile.release %y edge 0 : !acc_t
    %z = tile.acquire %s[%i] edge 1 : !tile.pipe<!row_t> -> !row_t
    tile.release %z edge 0 : !row_t
    tile.yield
  } {registers = 24 : i64, warps = 1 : i64}
  tile.role "epilogue" {
  ^bb0(%copy: i32):
    %i = arith.constant 0 : i32
    %z = tile.acquire %s[%i] edge 0 : !tile.pipe<!row_t> -> !row_t
    %x = tile.acquire %a[%i] edge 0 : !tile.pipe<!acc_t> -> !acc_t
    %y = tile.acquire %b[%i] edge 0 : !tile.pipe<!acc_t> -> !acc_t
    %f = tile.load %x cols 0 : !acc_t -> tensor<128x64xf32, #tile.row>
    tile.release %y edge 1 : !acc_t
    tile.release %x edge 1 : !acc_t
    tile.release %z edge 1 : !row_t
    tile.yield
  } {registers = 128 : i64, warps = 4 : i64}
}

// -----

!tile_t = !tile.slot<smem, 128 x 64 x bf16, swizzle = 128>
!acc_t = !tile.slot<tmem, 128 x 256 x f32>

// In a pair, both CTAs hand a leading role its slots: the bytes of both, and
// twice the arrivals, complete the leader's barrier. What the leader's MMAs
// release arrives in both. Waits between the CTAs see the peer's memory.
// CHECK-LABEL: tile.kernel @pair
// CHECK: tile.pipe "a" {{.*}}counts = array<i64: 2, 1>
// CHECK: tile.pipe "acc" {{.*}}counts = array<i64: 1, 8>
// CHECK: tile.role "load"
// CHECK: tile.barrier_wait {{.*}} "a.empty" {pair}
// CHECK: tile.barrier_arrive {{.*}} by "tma" "a.full" {at = "leader", bytes = 16384 : i64}
// CHECK: tile.copy_in {{.*}}toLeader
// CHECK: tile.role "mma"
// CHECK: tile.barrier_wait {{.*}} "acc.back" {pair}
// CHECK: tile.barrier_wait {{.*}} "a.full" {pair}
// CHECK: tile.barrier_arrive {{.*}} by "mma_pair" "a.empty" {at = "both"}
// CHECK: tile.barrier_arrive {{.*}} by "mma_pair" "acc.out" {at = "both"}
// CHECK: tile.role "epilogue"
// CHECK: tile.barrier_arrive {{.*}} by "warp" "acc.back" {at = "leader"}
tile.kernel @pair for "sm_100a" {} {
  %x = tile.tensor "input" "x" ["m", "k"] of bf16
  %zero = arith.constant 0 : i32
  %a = tile.pipe "a" edges ["full", "empty"] {depth = 1 : i64, barriers = 0 : i64, offset = 1024 : i64} : <!tile_t>
  %acc = tile.pipe "acc" edges ["out", "back"] {barriers = 16 : i64, column = 0 : i64} : <!acc_t>
  tile.role "load" {
  ^bb0(%copy: i32):
    %slot = tile.acquire %a[%zero] edge 1 : !tile.pipe<!tile_t> -> !tile_t
    tile.copy_in %x[%zero, %zero] -> %slot {rowDim = 0 : i64} : !tile_t
    tile.release %slot edge 0 : !tile_t
    tile.yield
  } {registers = 24 : i64, warps = 1 : i64}
  tile.role "mma" {
  ^bb0(%copy: i32):
    %true = arith.constant true
    %d = tile.acquire %acc[%zero] edge 1 : !tile.pipe<!acc_t> -> !acc_t
    %s = tile.acquire %a[%zero] edge 0 : !tile.pipe<!tile_t> -> !tile_t
    tile.mma %s, %s -> %d accumulate %true k 0 to 64 {pair} : !tile_t, !tile_t -> !acc_t
    tile.release %s edge 1 : !tile_t
    tile.release %d edge 0 : !acc_t
    tile.yield
  } {registers = 24 : i64, warps = 1 : i64, leader}
  tile.role "epilogue" {
  ^bb0(%copy: i32):
    %d = tile.acquire %acc[%zero] edge 0 : !tile.pipe<!acc_t> -> !acc_t
    %f = tile.load %d cols 0 : !acc_t -> tensor<128x32xf32, #tile.row>
    tile.release %d edge 1 : !acc_t
    tile.yield
  } {registers = 24 : i64, warps = 4 : i64}
} {pair}

// -----

!half_t = !tile.slot<smem, 192 x 64 x bf16, swizzle = 128>

// A slot that was copied to the peer is handed over there: its bytes complete
// the peer's barrier, at which its own taker waits.
// CHECK-LABEL: tile.kernel @exchange
// CHECK: tile.pipe "x" {{.*}}counts = array<i64: 4, 1, 1>
// CHECK: tile.role "send"
// CHECK: tile.barrier_arrive %[[SENT:.*]] by "tma" "x.sent" {at = "peer", bytes = 8192 : i64}
// CHECK-NEXT: tile.copy_peer {{.*}} signals %[[SENT]]
// CHECK: tile.barrier_wait {{.*}} "x.sent" {pair}
// CHECK: tile.barrier_arrive {{.*}} by "lane" "x.empty"
// CHECK-NOT: at =
tile.kernel @exchange for "sm_100a" {} {
  %rank = tile.rank
  %zero = arith.constant 0 : i32
  %x = tile.pipe "x" edges ["stored", "sent", "empty"] {depth = 1 : i64, barriers = 0 : i64, offset = 1024 : i64} : <!half_t>
  tile.role "compute" {
  ^bb0(%copy: i32):
    %slot = tile.acquire %x[%zero] edge 2 : !tile.pipe<!half_t> -> !half_t
    %f = arith.constant dense<0.0> : tensor<128x64xbf16, #tile.row>
    tile.store %f, %slot rows %zero cols 0 : tensor<128x64xbf16, #tile.row>, !half_t
    tile.release %slot edge 0 : !half_t
    tile.yield
  } {registers = 24 : i64, warps = 4 : i64}
  tile.role "send" {
  ^bb0(%copy: i32):
    %mine = tile.acquire %x[%zero] edge 0 : !tile.pipe<!half_t> -> !half_t
    tile.copy_peer %mine rows 128 count 64 -> %rank : !half_t
    tile.release %mine edge 1 : !half_t
    %both = tile.acquire %x[%zero] edge 1 : !tile.pipe<!half_t> -> !half_t
    tile.release %both edge 2 : !half_t
    tile.yield
  } {registers = 24 : i64, warps = 1 : i64}
} {pair}
