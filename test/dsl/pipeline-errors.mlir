// RUN: fa4-opt %s --split-input-file --verify-diagnostics

!a_t = !tile.slot<smem, 128 x 64 x bf16, swizzle = 128>
!p_t = !tile.pipe<!a_t>

// R1: a hand-over names an edge and a part that there are.
tile.kernel @edge for "sm_100a" {} {
  %a = tile.pipe "a" edges ["full", "empty"] : <!a_t>
  tile.role "load" {
  ^bb0(%copy: i32):
    %slot = tile.acquire %a[%copy] edge 1 : !p_t -> !a_t
    // expected-error@+1 {{R1: names edge 7 of a pipe with 2}}
    tile.release %slot edge 7 : !a_t
    tile.yield
  } {registers = 24 : i64, warps = 1 : i64}
}

// -----

!a_t = !tile.slot<smem, 128 x 64 x bf16, swizzle = 128>
!p_t = !tile.pipe<!a_t>

tile.kernel @part for "sm_100a" {} {
  %a = tile.pipe "a" edges ["full", "empty"] {parts = array<i64: 2, 1>} : <!a_t>
  tile.role "load" {
  ^bb0(%copy: i32):
    // expected-error@+1 {{R1: names part 2 of an edge with 2}}
    %slot = tile.acquire %a[%copy] edge 0 part 2 : !p_t -> !a_t
    tile.yield
  } {registers = 24 : i64, warps = 1 : i64}
}

// -----

!a_t = !tile.slot<smem, 128 x 64 x bf16, swizzle = 128>
!b_t = !tile.slot<smem, 64 x 64 x bf16, swizzle = 128>
!p_t = !tile.pipe<!a_t>

tile.kernel @type for "sm_100a" {} {
  %a = tile.pipe "a" edges ["full", "empty"] : <!a_t>
  tile.role "load" {
  ^bb0(%copy: i32):
    // expected-error@+1 {{yields '!tile.slot<smem, 64 x 64 x bf16, swizzle = 128>', the pipe has slots '!tile.slot<smem, 128 x 64 x bf16, swizzle = 128>'}}
    %slot = tile.acquire %a[%copy] edge 0 : !p_t -> !b_t
    tile.yield
  } {registers = 24 : i64, warps = 1 : i64}
}

// -----

!a_t = !tile.slot<smem, 128 x 64 x bf16, swizzle = 128>
!p_t = !tile.pipe<!a_t>

tile.kernel @hold for "sm_100a" {} {
  %a = tile.pipe "a" edges ["full", "empty"] {depth = 2 : i64} : <!a_t>
  tile.role "load" {
  ^bb0(%copy: i32):
    // expected-error@+1 {{R1: needs a pipe of depth 1, not 2}}
    %slot = tile.hold %a[%copy] : !p_t -> !a_t
    tile.yield
  } {registers = 24 : i64, warps = 1 : i64}
}

// -----

!a_t = !tile.slot<smem, 128 x 64 x bf16, swizzle = 128>

tile.kernel @nobody for "sm_100a" {} {
  tile.role "load" {
  ^bb0(%copy: i32):
    %slot = tile.slot_at %copy : !a_t
    // expected-error@+1 {{R1: takes a slot that was neither acquired nor held}}
    tile.release %slot edge 0 : !a_t
    tile.yield
  } {registers = 24 : i64, warps = 1 : i64}
}

// -----

!a_t = !tile.slot<smem, 128 x 64 x bf16, swizzle = 128>
!p_t = !tile.pipe<!a_t>

tile.kernel @outside for "sm_100a" {} {
  %zero = arith.constant 0 : i32
  %a = tile.pipe "a" edges ["full", "empty"] : <!a_t>
  // expected-error@+1 {{stands outside of a role}}
  %slot = tile.acquire %a[%zero] edge 0 : !p_t -> !a_t
}

// -----

!a_t = !tile.slot<smem, 128 x 64 x bf16, swizzle = 128>
!p_t = !tile.pipe<!a_t>

// A slot goes from op to op as it is.
tile.kernel @chosen for "sm_100a" {} {
  %a = tile.pipe "a" edges ["full", "empty"] : <!a_t>
  tile.role "load" {
  ^bb0(%copy: i32):
    %true = arith.constant true
    %p = tile.acquire %a[%copy] edge 0 : !p_t -> !a_t
    %slot = arith.select %true, %p, %p : !a_t
    // expected-error@+1 {{takes a '!tile.slot<smem, 128 x 64 x bf16, swizzle = 128>' that no op of the dialect has made for it}}
    tile.release %slot edge 1 : !a_t
    tile.yield
  } {registers = 24 : i64, warps = 1 : i64}
}

// -----

tile.kernel @memory for "sm_100a" {} {
  %zero = arith.constant 0 : i32
  %slot = tile.slot_at %zero : !tile.slot<smem, 128 x 64 x bf16, swizzle = 128>
  // expected-error@+1 {{views smem as tmem}}
  %v = tile.view %slot at 0 : !tile.slot<smem, 128 x 64 x bf16, swizzle = 128> -> !tile.slot<tmem, 128 x 32 x f32>
}

// -----

tile.kernel @space for "sm_100a" {} {
  %zero = arith.constant 0 : i32
  %slot = tile.slot_at %zero : !tile.slot<tmem, 128 x 64 x f32>
  // expected-error@+1 {{ends at 96 of 64 columns}}
  %v = tile.view %slot at 64 : !tile.slot<tmem, 128 x 64 x f32> -> !tile.slot<tmem, 128 x 32 x f32>
}

// -----

tile.kernel @pattern for "sm_100a" {} {
  %zero = arith.constant 0 : i32
  %slot = tile.slot_at %zero : !tile.slot<smem, 128 x 64 x bf16, swizzle = 128>
  // expected-error@+1 {{begins where a swizzle of 128 bytes doesn't: slots of 16384 bytes, from byte 512}}
  %v = tile.view %slot at 512 : !tile.slot<smem, 128 x 64 x bf16, swizzle = 128> -> !tile.slot<smem, 64 x 64 x bf16, swizzle = 128>
}

// -----

tile.kernel @words for "sm_100a" {} {
  %zero = arith.constant 0 : i32
  // expected-error@+1 {{has the arrival 'thread', there are lane, warp, together, mma, mma_pair, tma}}
  tile.barrier_arrive %zero by "thread"
}

// -----

tile.kernel @place for "sm_100a" {} {
  %zero = arith.constant 0 : i32
  // expected-error@+1 {{has the place 'elsewhere', there are leader, peer, both}}
  tile.barrier_arrive %zero by "lane" {at = "elsewhere"}
}

// -----

tile.kernel @bytes for "sm_100a" {} {
  %zero = arith.constant 0 : i32
  // expected-error@+1 {{announces no bytes}}
  tile.barrier_arrive %zero by "tma"
}

// -----

tile.kernel @fence for "sm_100a" {} {
  // expected-error@+1 {{has the kind 'all', there are async_proxy, tmem_before, tmem_after, tmem_store, bulk_read}}
  tile.fence "all"
}

// -----

tile.kernel @variable for "sm_100a" {} {
  %zero = arith.constant 0 : i32
  %v = tile.var %zero : i32 -> !tile.var<i32>
  // expected-error@+1 {{moves 'f32', the variable holds 'i32'}}
  %x = tile.get %v : !tile.var<i32> -> f32
}

// -----

// L4: a CTA has 16 named barriers, and the first is its own.
tile.kernel @turn for "sm_90a" {} {
  %zero = arith.constant 0 : i32
  // expected-error@+1 {{L4: takes named barriers from 14 on for 3 copies; a CTA has 1 to 15 to give}}
  tile.turn "wait" %zero of 3 from 14
}

// -----

tile.kernel @turn for "sm_90a" {} {
  %zero = arith.constant 0 : i32
  // expected-error@+1 {{has the kind 'take', there are wait, pass}}
  tile.turn "take" %zero of 2 from 1
}
