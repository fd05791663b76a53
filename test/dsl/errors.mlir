// RUN: fa4-opt %s --split-input-file --verify-diagnostics

// R1: a pipe has slots.
tile.kernel @depth for "sm_100a" {} {
  // expected-error@+1 {{R1: needs 1 to 1024 slots, has depth 0 and 1 instances}}
  %a = tile.pipe "a" edges ["full", "empty"] {depth = 0 : i64} : <!tile.slot<smem, 128 x 64 x bf16, swizzle = 128>>
}

// -----

// R1: a pipe leads somewhere and back.
tile.kernel @edges for "sm_100a" {} {
  // expected-error@+1 {{R1: needs at least 2 edges: one out, one back}}
  %a = tile.pipe "a" edges ["full"] : <!tile.slot<smem, 128 x 64 x bf16, swizzle = 128>>
}

// -----

// R1: parts are given for every edge or for none.
tile.kernel @parts for "sm_100a" {} {
  // expected-error@+1 {{R1: has parts for 1 of its 2 edges}}
  %a = tile.pipe "a" edges ["full", "empty"] {parts = array<i64: 2>} : <!tile.slot<smem, 128 x 64 x bf16, swizzle = 128>>
}

// -----

// M1: a tile is whole panels of its swizzle.
tile.kernel @panels for "sm_100a" {} {
  // expected-error@+2 {{M1: a row of 192 bytes in shared memory needs a swizzle of 32, 64 or 128 bytes that divides it, not 128}}
  // expected-error@+1 {{failed to parse Tile_Pipe parameter 'slot'}}
  %a = tile.pipe "a" edges ["full", "empty"] : <!tile.slot<smem, 128 x 96 x bf16, swizzle = 128>>
}

// -----

// R1: an acquire names an edge of its pipe.
tile.kernel @acquire for "sm_100a" {} {
  %a = tile.pipe "a" edges ["full", "empty"] : <!tile.slot<smem, 128 x 64 x bf16, swizzle = 128>>
  tile.role "load" {
  ^bb0(%copy: i32):
    // expected-error@+1 {{R1: names edge 2 of a pipe with 2}}
    %slot = tile.acquire %a[%copy] edge 2 : !tile.pipe<!tile.slot<smem, 128 x 64 x bf16, swizzle = 128>> -> !tile.slot<smem, 128 x 64 x bf16, swizzle = 128>
    tile.yield
  } {registers = 24 : i64, warps = 1 : i64}
}

// -----

!a_t = !tile.slot<smem, 128 x 64 x bf16, swizzle = 128>
!d_t = !tile.slot<tmem, 128 x 128 x f32>

// The common dim of a product is one number.
tile.kernel @common for "sm_100a" {} {
  tile.role "mma" {
  ^bb0(%i: i32):
    %a = tile.slot_at %i : !a_t
    %d = tile.slot_at %i : !d_t
    %true = arith.constant true
    // expected-error@+1 {{multiplies K = 64 by K = 128}}
    tile.mma %a, %a -> %d accumulate %true k 0 to 64 {transposedB} : !a_t, !a_t -> !d_t
    tile.yield
  } {registers = 24 : i64, warps = 1 : i64}
}

// -----

!a_t = !tile.slot<smem, 128 x 64 x bf16, swizzle = 128>
!d_t = !tile.slot<tmem, 128 x 64 x f32>

// A product fills its accumulator.
tile.kernel @accumulator for "sm_100a" {} {
  tile.role "mma" {
  ^bb0(%i: i32):
    %a = tile.slot_at %i : !a_t
    %d = tile.slot_at %i : !d_t
    %true = arith.constant true
    // expected-error@+1 {{writes 128x128 to a slot of 128x64}}
    tile.mma %a, %a -> %d accumulate %true k 0 to 64 : !a_t, !a_t -> !d_t
    tile.yield
  } {registers = 24 : i64, warps = 1 : i64}
}

// -----

!a_t = !tile.slot<smem, 128 x 64 x bf16, swizzle = 128>
!d_t = !tile.slot<tmem, 128 x 128 x f32>

// A range of K is whole instructions.
tile.kernel @range for "sm_100a" {} {
  tile.role "mma" {
  ^bb0(%i: i32):
    %a = tile.slot_at %i : !a_t
    %d = tile.slot_at %i : !d_t
    %true = arith.constant true
    // expected-error@+1 {{multiplies k 8 to 64, not a range of whole 16-steps of 64}}
    tile.mma %a, %a -> %d accumulate %true k 8 to 64 : !a_t, !a_t -> !d_t
    tile.yield
  } {registers = 24 : i64, warps = 1 : i64}
}

// -----

// L2: a role has a warp.
tile.kernel @warps for "sm_100a" {} {
  // expected-error@+1 {{L2: has 1 x 0 warps; a role is one warp, or copies of 4 warps}}
  tile.role "none" {
  ^bb0(%copy: i32):
    tile.yield
  } {registers = 24 : i64, warps = 0 : i64}
}

// -----

// L2: nor is a role of more than a warp less than a warpgroup.
tile.kernel @pair for "sm_100a" {} {
  // expected-error@+1 {{L2: has 1 x 2 warps; a role is one warp, or copies of 4 warps}}
  tile.role "pair" {
  ^bb0(%copy: i32):
    tile.yield
  } {registers = 24 : i64, warps = 2 : i64}
}

// -----

// The polynomial takes pairs of columns.
tile.kernel @share for "sm_100a" {} {
  %x = arith.constant dense<0.0> : vector<16xf32>
  // expected-error@+1 {{gives the polynomial 0 of 0 columns; both must be even, the period at least 2}}
  %y = tile.exp2 %x : vector<16xf32> {period = 0 : i64}
}

// -----

tile.kernel @degree for "sm_100a" {} {
  %x = arith.constant dense<0.0> : vector<16xf32>
  // expected-error@+1 {{has a polynomial of degree 2, there are degrees 3, 4 and 5}}
  %y = tile.exp2 %x : vector<16xf32> {degree = 2 : i64}
}

// -----

// L3: setmaxnreg takes few numbers.
tile.kernel @registers for "sm_100a" {} {
  // expected-error@+1 {{L3: asks for 100 registers; setmaxnreg takes multiples of 8 from 24 to 256}}
  tile.role "odd" {
  ^bb0(%copy: i32):
    tile.yield
  } {registers = 100 : i64, warps = 4 : i64}
}

// -----

// W1: a product in flight is nobody's until it is awaited.
tile.kernel @in_flight for "sm_90a" {} {
  tile.role "use" {
  ^bb0(%i: i32):
    %a = tile.slot_at %i : !tile.slot<smem, 64 x 64 x bf16, swizzle = 128>
    // expected-error@+1 {{W1: is used before it is awaited}}
    %d = tile.warpgroup_mma %a, %a : !tile.slot<smem, 64 x 64 x bf16, swizzle = 128>, !tile.slot<smem, 64 x 64 x bf16, swizzle = 128> -> tensor<64x64xf32, #tile.quad>
    // expected-note@+1 {{here}}
    %e = arith.addf %d, %d : tensor<64x64xf32, #tile.quad>
    tile.yield
  } {registers = 128 : i64, warps = 4 : i64}
}

// -----

// A warpgroup takes columns of a slot by whole panels of 128 bytes.
tile.kernel @panels for "sm_90a" {} {
  tile.role "use" {
  ^bb0(%i: i32):
    %a = tile.slot_at %i : !tile.slot<smem, 64 x 64 x bf16, swizzle = 128>
    %b = tile.slot_at %i : !tile.slot<smem, 64 x 96 x bf16, swizzle = 64>
    // expected-error@+1 {{takes columns that aren't whole panels of 128 bytes}}
    %d = tile.warpgroup_mma %a, %b cols %i {transposedA, transposedB} : !tile.slot<smem, 64 x 64 x bf16, swizzle = 128>, !tile.slot<smem, 64 x 96 x bf16, swizzle = 64> -> tensor<64x32xf32, #tile.quad>
    tile.yield
  } {registers = 128 : i64, warps = 4 : i64}
}

// -----

// There are ranks in pairs only.
tile.kernel @rank for "sm_100a" {} {
  // expected-error@+1 {{asks for a rank where CTAs aren't paired}}
  %rank = tile.rank
}

// -----

// Likewise leaders.
tile.kernel @leader for "sm_100a" {} {
  // expected-error@+1 {{leads, but CTAs aren't paired}}
  tile.role "mma" {
  ^bb0(%i: i32):
    tile.yield
  } {registers = 24 : i64, warps = 1 : i64, leader}
}

// -----

!a_t = !tile.slot<smem, 128 x 64 x bf16, swizzle = 128>

// The leader has no threads of the peer.
tile.kernel @leader_with_fragments for "sm_100a" {} {
  %a = tile.pipe "a" edges ["full", "empty"] : <!a_t>
  // expected-error@+1 {{leads and works on fragments; the leader's role multiplies for both CTAs}}
  tile.role "mma" {
  ^bb0(%i: i32):
    %slot = tile.acquire %a[%i] edge 0 : !tile.pipe<!a_t> -> !a_t
    %f = tile.load %slot cols 0 : !a_t -> tensor<128x32xbf16, #tile.row>
    tile.yield
  } {registers = 24 : i64, warps = 4 : i64, leader}
} {pair}

// -----

!a_t = !tile.slot<smem, 128 x 64 x bf16, swizzle = 128>

tile.kernel @peer for "sm_100a" {} {
  tile.role "send" {
  ^bb0(%i: i32):
    %a = tile.slot_at %i : !a_t
    // expected-error@+1 {{names a peer where CTAs aren't paired}}
    tile.copy_peer %a rows 0 count 64 -> %i : !a_t
    tile.yield
  } {registers = 24 : i64, warps = 1 : i64}
}

// -----

!a_t = !tile.slot<smem, 128 x 128 x bf16, swizzle = 128>

// Rows of several panels are apart.
tile.kernel @peer_panels for "sm_100a" {} {
  tile.role "send" {
  ^bb0(%i: i32):
    %a = tile.slot_at %i : !a_t
    // expected-error@+1 {{copies rows of a slot that isn't one panel of shared memory}}
    tile.copy_peer %a rows 0 count 64 -> %i : !a_t
    tile.yield
  } {registers = 24 : i64, warps = 1 : i64}
} {pair}

// -----

!a_t = !tile.slot<smem, 128 x 64 x bf16, swizzle = 128>

// Swizzle patterns are copied whole.
tile.kernel @peer_rows for "sm_100a" {} {
  tile.role "send" {
  ^bb0(%i: i32):
    %a = tile.slot_at %i : !a_t
    // expected-error@+1 {{copies rows 100 to 164 of a slot with 128; whole groups of 8 can be copied}}
    tile.copy_peer %a rows 100 count 64 -> %i : !a_t
    tile.yield
  } {registers = 24 : i64, warps = 1 : i64}
} {pair}

// -----

!a_t = !tile.slot<smem, 32 x 64 x bf16, swizzle = 128>
!d_t = !tile.slot<tmem, 128 x 64 x f32>

// A pair has no product of fewer rows.
tile.kernel @pair_rows for "sm_100a" {} {
  tile.role "mma" {
  ^bb0(%i: i32):
    %a = tile.slot_at %i : !a_t
    %d = tile.slot_at %i : !d_t
    %true = arith.constant true
    // expected-error@+1 {{multiplies 32 rows of each CTA of a pair; there are 64 or 128}}
    tile.mma %a, %a -> %d accumulate %true k 0 to 64 {pair} : !a_t, !a_t -> !d_t
    tile.yield
  } {registers = 24 : i64, warps = 1 : i64, leader}
} {pair}

// -----

!a_t = !tile.slot<smem, 128 x 64 x bf16, swizzle = 128>
!b_t = !tile.slot<smem, 136 x 64 x bf16, swizzle = 128>
!d_t = !tile.slot<tmem, 128 x 272 x f32>

// Nor of so many columns.
tile.kernel @pair_columns for "sm_100a" {} {
  tile.role "mma" {
  ^bb0(%i: i32):
    %a = tile.slot_at %i : !a_t
    %b = tile.slot_at %i : !b_t
    %d = tile.slot_at %i : !d_t
    %true = arith.constant true
    // expected-error@+1 {{writes 272 columns; a pair writes up to 256 in steps of 32}}
    tile.mma %a, %b -> %d accumulate %true k 0 to 64 {pair} : !a_t, !b_t -> !d_t
    tile.yield
  } {registers = 24 : i64, warps = 1 : i64, leader}
} {pair}

// -----

// O1: a fence of one thread orders what that thread did, not a role's.
tile.kernel @wide for "sm_100a" {} {
  %tensor = tile.tensor "scratch" "turns" ["1"] of i32 {zeroed}
  %turns = tile.pointer %tensor
  tile.role "reduce" {
  ^bb0(%copy: i32):
    // expected-error@+1 {{O1: stands in role 'reduce' of 4 warps; only a role of one thread orders CTAs}}
    tile.counter_post %turns[%copy]
    tile.yield
  } {registers = 24 : i64, warps = 4 : i64}
}

// -----

// O2: a CTA that runs must not wait for one that may never be started.
tile.kernel @unordered for "sm_100a" {} {
  %tensor = tile.tensor "scratch" "turns" ["1"] of i32 {zeroed}
  %turns = tile.pointer %tensor
  %tiles = tile.scalar "tiles" : i32
  tile.walk %tiles {
  ^bb0(%index: i32):
    tile.yield %index : i32
  } {grid = "tiles"}
  tile.role "store" {
  ^bb0(%copy: i32, %index: i32):
    // expected-error@+1 {{O2: waits for CTAs that may not have begun; a walk by tickets begins tiles in order}}
    tile.counter_wait %turns[%copy] is %index
    tile.yield
  } {registers = 24 : i64, warps = 1 : i64}
}
