// RUN: %fa4-opt %s --split-input-file --verify-diagnostics --pass-pipeline='builtin.module(tile.kernel(tile-verify-protocol))'

!a_t = !tile.slot<smem, 128 x 64 x bf16, swizzle = 128>
!s_t = !tile.slot<tmem, 128 x 128 x f32>

// R7: a role that wants more slots at once than the ring has.
tile.kernel @deadlock for "sm_100a" {} {
  %x = tile.tensor "input" "x" ["m", "k"] of bf16
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %two = arith.constant 2 : i32
  %a = tile.pipe "a" edges ["full", "empty"] {depth = 1 : i64} : <!a_t>
  tile.walk %one {
  ^bb0(%index: i32):
    tile.yield
  } {grid = "1"}
  tile.role "load" {
  ^bb0(%copy: i32):
    // expected-note@+3 {{role 'load' waits here for 'a.empty'}}
    %p = tile.acquire %a[%zero] edge 1 : !tile.pipe<!a_t> -> !a_t
    tile.release %p edge 0 : !a_t
    %q = tile.acquire %a[%zero] edge 1 : !tile.pipe<!a_t> -> !a_t
    tile.release %q edge 0 : !a_t
    tile.yield
  } {registers = 24 : i64, warps = 1 : i64}
  tile.role "mma" {
  ^bb0(%copy: i32):
    %v = tile.acquire %a[%zero] edge 0 : !tile.pipe<!a_t> -> !a_t
    // expected-error@+3 {{R7: deadlock: role 'mma' holds 2 slots of 'a'; depth 1 cannot make progress}}
    // expected-note@+2 {{role 'mma' waits here for 'a.full'}}
    // expected-note@+1 {{found with tile 0}}
    %k = tile.acquire %a[%zero] edge 0 : !tile.pipe<!a_t> -> !a_t
    tile.release %v edge 1 : !a_t
    tile.release %k edge 1 : !a_t
    tile.yield
  } {registers = 24 : i64, warps = 1 : i64}
}

// -----

!a_t = !tile.slot<smem, 128 x 64 x bf16, swizzle = 128>
!s_t = !tile.slot<tmem, 128 x 128 x f32>

// R7: two roles that wait for each other.
tile.kernel @circle for "sm_100a" {} {
  %x = tile.tensor "input" "x" ["m", "k"] of bf16
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %two = arith.constant 2 : i32
  %a = tile.pipe "a" edges ["full", "empty"] {depth = 1 : i64} : <!a_t>
  %b = tile.pipe "b" edges ["full", "empty"] {depth = 1 : i64} : <!a_t>
  tile.walk %one {
  ^bb0(%index: i32):
    tile.yield
  } {grid = "1"}
  tile.role "first" {
  ^bb0(%copy: i32):
    // expected-error@+3 {{R7: deadlock: role 'first' waits for 'b.full' from role 'second', which waits as well}}
    // expected-note@+2 {{role 'first' waits here for 'b.full'}}
    // expected-note@+1 {{found with tile 0}}
    %t = tile.acquire %b[%zero] edge 0 : !tile.pipe<!a_t> -> !a_t
    tile.release %t edge 1 : !a_t
    %p = tile.acquire %a[%zero] edge 1 : !tile.pipe<!a_t> -> !a_t
    tile.release %p edge 0 : !a_t
    tile.yield
  } {registers = 24 : i64, warps = 1 : i64}
  tile.role "second" {
  ^bb0(%copy: i32):
    // expected-note@+1 {{role 'second' waits here for 'a.full'}}
    %t = tile.acquire %a[%zero] edge 0 : !tile.pipe<!a_t> -> !a_t
    tile.release %t edge 1 : !a_t
    %p = tile.acquire %b[%zero] edge 1 : !tile.pipe<!a_t> -> !a_t
    tile.release %p edge 0 : !a_t
    tile.yield
  } {registers = 24 : i64, warps = 1 : i64}
}

// -----

!a_t = !tile.slot<smem, 128 x 64 x bf16, swizzle = 128>
!s_t = !tile.slot<tmem, 128 x 128 x f32>

// R7: a role that takes what nobody puts any more.
tile.kernel @too_few for "sm_100a" {} {
  %x = tile.tensor "input" "x" ["m", "k"] of bf16
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %two = arith.constant 2 : i32
  %a = tile.pipe "a" edges ["full", "empty"] {depth = 2 : i64} : <!a_t>
  tile.walk %one {
  ^bb0(%index: i32):
    tile.yield
  } {grid = "1"}
  tile.role "load" {
  ^bb0(%copy: i32):
    %p = tile.acquire %a[%zero] edge 1 : !tile.pipe<!a_t> -> !a_t
    tile.release %p edge 0 : !a_t
    tile.yield
  } {registers = 24 : i64, warps = 1 : i64}
  tile.role "mma" {
  ^bb0(%copy: i32):
    scf.for %i = %zero to %two step %one : i32 {
      // expected-error@+3 {{R7: role 'mma' takes 'a.full' 2 times a tile, but role 'load' hands it over 1 times}}
      // expected-note@+2 {{role 'mma' waits here for 'a.full'}}
      // expected-note@+1 {{found with tile 0}}
      %t = tile.acquire %a[%zero] edge 0 : !tile.pipe<!a_t> -> !a_t
      tile.release %t edge 1 : !a_t
    }
    tile.yield
  } {registers = 24 : i64, warps = 1 : i64}
}

// -----

!a_t = !tile.slot<smem, 128 x 64 x bf16, swizzle = 128>
!s_t = !tile.slot<tmem, 128 x 128 x f32>

// R7: a slot that is put and never taken, for one size only.
tile.kernel @left_over for "sm_100a" {} {
  %x = tile.tensor "input" "x" ["m", "k"] of bf16
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %two = arith.constant 2 : i32
  %blocks = tile.scalar "max(1, m / 64)" : i32
  %a = tile.pipe "a" edges ["full", "empty"] {depth = 2 : i64} : <!a_t>
  tile.walk %one {
  ^bb0(%index: i32):
    tile.yield
  } {grid = "1"}
  tile.role "load" {
  ^bb0(%copy: i32):
    scf.for %i = %zero to %blocks step %one : i32 {
      %p = tile.acquire %a[%zero] edge 1 : !tile.pipe<!a_t> -> !a_t
      // expected-error@+2 {{R7: role 'load' hands 'a.full' over 2 times a tile, but it is taken 1 times}}
      // expected-note@+1 {{found with m = 128, tile 0}}
      tile.release %p edge 0 : !a_t
    }
    tile.yield
  } {registers = 24 : i64, warps = 1 : i64}
  tile.role "mma" {
  ^bb0(%copy: i32):
    %t = tile.acquire %a[%zero] edge 0 : !tile.pipe<!a_t> -> !a_t
    tile.release %t edge 1 : !a_t
    tile.yield
  } {registers = 24 : i64, warps = 1 : i64}
}

// -----

!a_t = !tile.slot<smem, 128 x 64 x bf16, swizzle = 128>
!s_t = !tile.slot<tmem, 128 x 128 x f32>

// R7: an edge that nobody takes.
tile.kernel @not_taken for "sm_100a" {} {
  %x = tile.tensor "input" "x" ["m", "k"] of bf16
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %two = arith.constant 2 : i32
  %a = tile.pipe "a" edges ["full", "empty"] {depth = 2 : i64} : <!a_t>
  tile.walk %one {
  ^bb0(%index: i32):
    tile.yield
  } {grid = "1"}
  tile.role "load" {
  ^bb0(%copy: i32):
    %p = tile.acquire %a[%zero] edge 1 : !tile.pipe<!a_t> -> !a_t
    // expected-error@+2 {{R7: role 'load' hands 'a.full' over 1 times a tile, but no role takes it}}
    // expected-note@+1 {{found with tile 0}}
    tile.release %p edge 0 : !a_t
    tile.yield
  } {registers = 24 : i64, warps = 1 : i64}
}

// -----

!a_t = !tile.slot<smem, 128 x 64 x bf16, swizzle = 128>
!s_t = !tile.slot<tmem, 128 x 128 x f32>

// R7: an edge that nobody hands over.
tile.kernel @nobody for "sm_100a" {} {
  %x = tile.tensor "input" "x" ["m", "k"] of bf16
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %two = arith.constant 2 : i32
  %a = tile.pipe "a" edges ["full", "empty"] {depth = 2 : i64} : <!a_t>
  tile.walk %one {
  ^bb0(%index: i32):
    tile.yield
  } {grid = "1"}
  tile.role "mma" {
  ^bb0(%copy: i32):
    // expected-error@+3 {{R7: role 'mma' waits for 'a.full', which no role hands over}}
    // expected-note@+2 {{role 'mma' waits here for 'a.full'}}
    // expected-note@+1 {{found with tile 0}}
    %t = tile.acquire %a[%zero] edge 0 : !tile.pipe<!a_t> -> !a_t
    tile.release %t edge 1 : !a_t
    tile.yield
  } {registers = 24 : i64, warps = 1 : i64}
}

// -----

!a_t = !tile.slot<smem, 128 x 64 x bf16, swizzle = 128>
!s_t = !tile.slot<tmem, 128 x 128 x f32>

// R3: a pipe has one producer.
tile.kernel @two_producers for "sm_100a" {} {
  %x = tile.tensor "input" "x" ["m", "k"] of bf16
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %two = arith.constant 2 : i32
  // expected-error@+1 {{R3: role 'load' and role 'other' put into 'a'; a pipe has one producer}}
  %a = tile.pipe "a" edges ["full", "empty"] {depth = 2 : i64} : <!a_t>
  tile.walk %one {
  ^bb0(%index: i32):
    tile.yield
  } {grid = "1"}
  tile.role "load" {
  ^bb0(%copy: i32):
    %p = tile.acquire %a[%zero] edge 1 : !tile.pipe<!a_t> -> !a_t
    tile.release %p edge 0 : !a_t
    tile.yield
  } {registers = 24 : i64, warps = 1 : i64}
  tile.role "other" {
  ^bb0(%copy: i32):
    %p = tile.acquire %a[%zero] edge 1 : !tile.pipe<!a_t> -> !a_t
    tile.release %p edge 0 : !a_t
    tile.yield
  } {registers = 24 : i64, warps = 1 : i64}
  tile.role "mma" {
  ^bb0(%copy: i32):
    %t = tile.acquire %a[%zero] edge 0 : !tile.pipe<!a_t> -> !a_t
    tile.release %t edge 1 : !a_t
    tile.yield
  } {registers = 24 : i64, warps = 1 : i64}
}

// -----

!a_t = !tile.slot<smem, 128 x 64 x bf16, swizzle = 128>
!s_t = !tile.slot<tmem, 128 x 128 x f32>

// R3: all barriers of an edge count the same arrivals.
tile.kernel @uneven_instances for "sm_100a" {} {
  %x = tile.tensor "input" "x" ["m", "k"] of bf16
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %two = arith.constant 2 : i32
  // expected-error@+1 {{R3: 's.back' of instance 0 is handed over by 1 roles, but its barriers count 2; all instances need the same roles}}
  %s = tile.pipe "s" edges ["out", "back"] {instances = 2 : i64} : <!s_t>
  tile.walk %one {
  ^bb0(%index: i32):
    tile.yield
  } {grid = "1"}
  tile.role "near" {
  ^bb0(%copy: i32):
    %p0 = tile.acquire %s[%zero] edge 1 : !tile.pipe<!s_t> -> !s_t
    tile.release %p0 edge 0 : !s_t
    %p1 = tile.acquire %s[%one] edge 1 : !tile.pipe<!s_t> -> !s_t
    tile.release %p1 edge 0 : !s_t
    tile.yield
  } {registers = 24 : i64, warps = 1 : i64}
  tile.role "far" {
  ^bb0(%copy: i32):
    %t = tile.acquire %s[%zero] edge 0 : !tile.pipe<!s_t> -> !s_t
    tile.release %t edge 1 : !s_t
    tile.yield
  } {registers = 24 : i64, warps = 1 : i64}
  tile.role "other" {
  ^bb0(%copy: i32):
    %t = tile.acquire %s[%one] edge 0 : !tile.pipe<!s_t> -> !s_t
    tile.release %t edge 1 : !s_t
    tile.yield
  } {registers = 24 : i64, warps = 1 : i64}
}

// -----

!a_t = !tile.slot<smem, 128 x 64 x bf16, swizzle = 128>
!s_t = !tile.slot<tmem, 128 x 128 x f32>

// R4: a slot is released once.
tile.kernel @twice for "sm_100a" {} {
  %x = tile.tensor "input" "x" ["m", "k"] of bf16
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %two = arith.constant 2 : i32
  %a = tile.pipe "a" edges ["full", "empty"] {depth = 2 : i64} : <!a_t>
  tile.walk %one {
  ^bb0(%index: i32):
    tile.yield
  } {grid = "1"}
  tile.role "load" {
  ^bb0(%copy: i32):
    %p = tile.acquire %a[%zero] edge 1 : !tile.pipe<!a_t> -> !a_t
    // expected-note@+1 {{first released here}}
    tile.release %p edge 0 : !a_t
    // expected-error@+1 {{R4: a slot of 'a' is released twice}}
    tile.release %p edge 0 : !a_t
    tile.yield
  } {registers = 24 : i64, warps = 1 : i64}
  tile.role "mma" {
  ^bb0(%copy: i32):
    %t = tile.acquire %a[%zero] edge 0 : !tile.pipe<!a_t> -> !a_t
    tile.release %t edge 1 : !a_t
    tile.yield
  } {registers = 24 : i64, warps = 1 : i64}
}

// -----

!a_t = !tile.slot<smem, 128 x 64 x bf16, swizzle = 128>
!s_t = !tile.slot<tmem, 128 x 128 x f32>

// R4: a slot that is taken is released.
tile.kernel @never for "sm_100a" {} {
  %x = tile.tensor "input" "x" ["m", "k"] of bf16
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %two = arith.constant 2 : i32
  %a = tile.pipe "a" edges ["full", "empty"] {depth = 2 : i64} : <!a_t>
  tile.walk %one {
  ^bb0(%index: i32):
    tile.yield
  } {grid = "1"}
  tile.role "load" {
  ^bb0(%copy: i32):
    %p = tile.acquire %a[%zero] edge 1 : !tile.pipe<!a_t> -> !a_t
    tile.release %p edge 0 : !a_t
    tile.yield
  } {registers = 24 : i64, warps = 1 : i64}
  tile.role "mma" {
  ^bb0(%copy: i32):
    // expected-error@+1 {{R4: role 'mma' never releases this slot of 'a'}}
    %t = tile.acquire %a[%zero] edge 0 : !tile.pipe<!a_t> -> !a_t
    tile.yield
  } {registers = 24 : i64, warps = 1 : i64}
}

// -----

!a_t = !tile.slot<smem, 128 x 64 x bf16, swizzle = 128>
!s_t = !tile.slot<tmem, 128 x 128 x f32>

// R4: a slot is not used after its release.
tile.kernel @after_release for "sm_100a" {} {
  %x = tile.tensor "input" "x" ["m", "k"] of bf16
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %two = arith.constant 2 : i32
  %a = tile.pipe "a" edges ["full", "empty"] {depth = 2 : i64} : <!a_t>
  tile.walk %one {
  ^bb0(%index: i32):
    tile.yield
  } {grid = "1"}
  tile.role "load" {
  ^bb0(%copy: i32):
    %p = tile.acquire %a[%zero] edge 1 : !tile.pipe<!a_t> -> !a_t
    // expected-note@+1 {{released here}}
    tile.release %p edge 0 : !a_t
    // expected-error@+1 {{R4: a slot of 'a' is used after it was released}}
    tile.copy_in %x[%zero, %zero] -> %p {rowDim = 0 : i64} : !a_t
    tile.yield
  } {registers = 24 : i64, warps = 1 : i64}
  tile.role "mma" {
  ^bb0(%copy: i32):
    %t = tile.acquire %a[%zero] edge 0 : !tile.pipe<!a_t> -> !a_t
    tile.release %t edge 1 : !a_t
    tile.yield
  } {registers = 24 : i64, warps = 1 : i64}
}

// -----

!a_t = !tile.slot<smem, 128 x 64 x bf16, swizzle = 128>
!s_t = !tile.slot<tmem, 128 x 128 x f32>

// R4: what was put is not overwritten before it comes back.
tile.kernel @overwrite for "sm_100a" {} {
  %x = tile.tensor "input" "x" ["m", "k"] of bf16
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %two = arith.constant 2 : i32
  %s = tile.pipe "s" edges ["out", "back"] : <!s_t>
  tile.walk %one {
  ^bb0(%index: i32):
    tile.yield
  } {grid = "1"}
  tile.role "near" {
  ^bb0(%copy: i32):
    scf.for %i = %zero to %two step %one : i32 {
      // expected-error@+1 {{R4: role 'near' puts into 's' again before taking it back; what it put may be unread}}
      %p = tile.hold %s[%zero] : !tile.pipe<!s_t> -> !s_t
      tile.release %p edge 0 : !s_t
    }
    tile.yield
  } {registers = 24 : i64, warps = 1 : i64}
  tile.role "far" {
  ^bb0(%copy: i32):
    %t = tile.acquire %s[%zero] edge 0 : !tile.pipe<!s_t> -> !s_t
    tile.release %t edge 1 : !s_t
    tile.yield
  } {registers = 24 : i64, warps = 1 : i64}
}

// -----

!a_t = !tile.slot<smem, 128 x 64 x bf16, swizzle = 128>
!s_t = !tile.slot<tmem, 128 x 128 x f32>

// R4: a role that owns a buffer from the start owns it again at the end.
tile.kernel @not_back for "sm_100a" {} {
  %x = tile.tensor "input" "x" ["m", "k"] of bf16
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %two = arith.constant 2 : i32
  %s = tile.pipe "s" edges ["out", "back"] : <!s_t>
  tile.walk %one {
  ^bb0(%index: i32):
    tile.yield
  } {grid = "1"}
  tile.role "near" {
  ^bb0(%copy: i32):
    %p = tile.hold %s[%zero] : !tile.pipe<!s_t> -> !s_t
    // expected-error@+1 {{R4: role 'near' ends a tile without taking 's' back}}
    tile.release %p edge 0 : !s_t
    tile.yield
  } {registers = 24 : i64, warps = 1 : i64}
  tile.role "far" {
  ^bb0(%copy: i32):
    %t = tile.acquire %s[%zero] edge 0 : !tile.pipe<!s_t> -> !s_t
    tile.release %t edge 1 : !s_t
    tile.yield
  } {registers = 24 : i64, warps = 1 : i64}
}

// -----

!a_t = !tile.slot<smem, 128 x 64 x bf16, swizzle = 128>
!s_t = !tile.slot<tmem, 128 x 128 x f32>

// R4: a buffer is used by who took it.
tile.kernel @not_taken_yet for "sm_100a" {} {
  %x = tile.tensor "input" "x" ["m", "k"] of bf16
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %two = arith.constant 2 : i32
  %s = tile.pipe "s" edges ["out", "back"] : <!s_t>
  tile.walk %one {
  ^bb0(%index: i32):
    tile.yield
  } {grid = "1"}
  tile.role "near" {
  ^bb0(%copy: i32):
    %p = tile.hold %s[%zero] : !tile.pipe<!s_t> -> !s_t
    tile.release %p edge 0 : !s_t
    %t = tile.acquire %s[%zero] edge 1 : !tile.pipe<!s_t> -> !s_t
    tile.yield
  } {registers = 24 : i64, warps = 1 : i64}
  tile.role "far" {
  ^bb0(%copy: i32):
    // expected-error@+1 {{R4: role 'far' uses 's' without having taken it}}
    %p = tile.hold %s[%zero] : !tile.pipe<!s_t> -> !s_t
    tile.release %p edge 1 : !s_t
    tile.yield
  } {registers = 24 : i64, warps = 1 : i64}
}

// -----

!a_t = !tile.slot<smem, 128 x 64 x bf16, swizzle = 128>
!s_t = !tile.slot<tmem, 128 x 128 x f32>

// R4: a slot goes on along the next edge.
tile.kernel @wrong_edge for "sm_100a" {} {
  %x = tile.tensor "input" "x" ["m", "k"] of bf16
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %two = arith.constant 2 : i32
  %a = tile.pipe "a" edges ["full", "empty"] {depth = 2 : i64} : <!a_t>
  tile.walk %one {
  ^bb0(%index: i32):
    tile.yield
  } {grid = "1"}
  tile.role "load" {
  ^bb0(%copy: i32):
    %p = tile.acquire %a[%zero] edge 1 : !tile.pipe<!a_t> -> !a_t
    // expected-error@+1 {{R4: role 'load' got 'a.empty' and may hand it on as 'a.full', not as 'a.empty'}}
    tile.release %p edge 1 : !a_t
    tile.yield
  } {registers = 24 : i64, warps = 1 : i64}
  tile.role "mma" {
  ^bb0(%copy: i32):
    %t = tile.acquire %a[%zero] edge 0 : !tile.pipe<!a_t> -> !a_t
    tile.release %t edge 1 : !a_t
    tile.yield
  } {registers = 24 : i64, warps = 1 : i64}
}

// -----

!a_t = !tile.slot<smem, 128 x 64 x bf16, swizzle = 128>
!s_t = !tile.slot<tmem, 128 x 128 x f32>

// L1: trip counts follow from the walk and the sizes.
tile.kernel @data_loop for "sm_100a" {} {
  %x = tile.tensor "input" "x" ["m", "k"] of bf16
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %two = arith.constant 2 : i32
  %a = tile.pipe "a" edges ["full", "empty"] {depth = 2 : i64} : <!a_t>
  tile.walk %one {
  ^bb0(%index: i32):
    tile.yield
  } {grid = "1"}
  tile.role "load" {
  ^bb0(%copy: i32):
    %n = tile.smem_base
    // expected-error@+1 {{L1: the trip count of a loop that takes or puts slots must follow from the walk and the kernel's sizes}}
    scf.for %i = %zero to %n step %one : i32 {
      %p = tile.acquire %a[%zero] edge 1 : !tile.pipe<!a_t> -> !a_t
      tile.release %p edge 0 : !a_t
    }
    tile.yield
  } {registers = 24 : i64, warps = 1 : i64}
  tile.role "mma" {
  ^bb0(%copy: i32):
    %t = tile.acquire %a[%zero] edge 0 : !tile.pipe<!a_t> -> !a_t
    tile.release %t edge 1 : !a_t
    tile.yield
  } {registers = 24 : i64, warps = 1 : i64}
}

// -----

!a_t = !tile.slot<smem, 128 x 64 x bf16, swizzle = 128>
!s_t = !tile.slot<tmem, 128 x 128 x f32>

// L1: hand-overs do not depend on data.
tile.kernel @data_branch for "sm_100a" {} {
  %x = tile.tensor "input" "x" ["m", "k"] of bf16
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %two = arith.constant 2 : i32
  %a = tile.pipe "a" edges ["full", "empty"] {depth = 2 : i64} : <!a_t>
  tile.walk %one {
  ^bb0(%index: i32):
    tile.yield
  } {grid = "1"}
  tile.role "load" {
  ^bb0(%copy: i32):
    %n = tile.smem_base
    %c = arith.cmpi eq, %n, %zero : i32
    // expected-error@+1 {{L1: a slot or turn is taken or put under a condition that depends on data; other roles can't know it}}
    scf.if %c {
      %p = tile.acquire %a[%zero] edge 1 : !tile.pipe<!a_t> -> !a_t
      tile.release %p edge 0 : !a_t
    }
    tile.yield
  } {registers = 24 : i64, warps = 1 : i64}
  tile.role "mma" {
  ^bb0(%copy: i32):
    %t = tile.acquire %a[%zero] edge 0 : !tile.pipe<!a_t> -> !a_t
    tile.release %t edge 1 : !a_t
    tile.yield
  } {registers = 24 : i64, warps = 1 : i64}
}

// -----

!a_t = !tile.slot<smem, 128 x 64 x bf16, swizzle = 128>
!s_t = !tile.slot<tmem, 128 x 128 x f32>

// R9: an instance exists.
tile.kernel @instance for "sm_100a" {} {
  %x = tile.tensor "input" "x" ["m", "k"] of bf16
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %two = arith.constant 2 : i32
  %a = tile.pipe "a" edges ["full", "empty"] {depth = 2 : i64} : <!a_t>
  tile.walk %one {
  ^bb0(%index: i32):
    tile.yield
  } {grid = "1"}
  tile.role "load" {
  ^bb0(%copy: i32):
    // expected-error@+1 {{R9: role 'load' uses instance 2 of pipe 'a', which has 1}}
    %p = tile.acquire %a[%two] edge 1 : !tile.pipe<!a_t> -> !a_t
    tile.release %p edge 0 : !a_t
    tile.yield
  } {registers = 24 : i64, warps = 1 : i64}
}

// -----

!a_t = !tile.slot<smem, 128 x 64 x bf16, swizzle = 128>
!s_t = !tile.slot<tmem, 128 x 128 x f32>

// R9: a role stands at one position of a pipe for all staged instances.
tile.kernel @staged_instance for "sm_100a" {} {
  %x = tile.tensor "input" "x" ["m", "k"] of bf16
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %two = arith.constant 2 : i32
  %s = tile.pipe "s" edges ["out", "back"] {instances = 2 : i64} : <!s_t>
  tile.walk %one {
  ^bb0(%index: i32):
    tile.yield
  } {grid = "1"}
  tile.role "near" {
  ^bb0(%copy: i32):
    scf.for %i = %zero to %two step %one : i32 {
      // expected-error@+1 {{R9: role 'near' uses instances 0 and 1 of pipe 's' by one staged index; unroll the loop on the host}}
      %p = tile.acquire %s[%i] edge 1 : !tile.pipe<!s_t> -> !s_t
      tile.release %p edge 0 : !s_t
    }
    tile.yield
  } {registers = 24 : i64, warps = 1 : i64}
}

// -----

!a_t = !tile.slot<smem, 128 x 64 x bf16, swizzle = 128>
!s_t = !tile.slot<tmem, 128 x 128 x f32>

// R10: parts are taken in order.
tile.kernel @part_order for "sm_100a" {} {
  %x = tile.tensor "input" "x" ["m", "k"] of bf16
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %two = arith.constant 2 : i32
  %s = tile.pipe "s" edges ["out", "back"] {parts = array<i64: 1, 2>} : <!s_t>
  tile.walk %one {
  ^bb0(%index: i32):
    tile.yield
  } {grid = "1"}
  tile.role "near" {
  ^bb0(%copy: i32):
    %p = tile.hold %s[%zero] : !tile.pipe<!s_t> -> !s_t
    tile.release %p edge 0 : !s_t
    // expected-error@+1 {{R10: role 'near' takes part 1 of 's' where part 0 is next}}
    %t = tile.acquire %s[%zero] edge 1 part 1 : !tile.pipe<!s_t> -> !s_t
    tile.yield
  } {registers = 24 : i64, warps = 1 : i64}
}

// -----

!a_t = !tile.slot<smem, 128 x 64 x bf16, swizzle = 128>
!s_t = !tile.slot<tmem, 128 x 128 x f32>

// R10: a buffer goes on when all of its parts were taken.
tile.kernel @part_missing for "sm_100a" {} {
  %x = tile.tensor "input" "x" ["m", "k"] of bf16
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %two = arith.constant 2 : i32
  %s = tile.pipe "s" edges ["out", "back"] {parts = array<i64: 1, 2>} : <!s_t>
  tile.walk %one {
  ^bb0(%index: i32):
    tile.yield
  } {grid = "1"}
  tile.role "near" {
  ^bb0(%copy: i32):
    scf.for %i = %zero to %two step %one : i32 {
      %t = tile.acquire %s[%zero] edge 1 : !tile.pipe<!s_t> -> !s_t
      // expected-error@+1 {{R10: role 'near' hands 's' on after taking 1 of its 2 parts}}
      tile.release %t edge 0 : !s_t
    }
    tile.yield
  } {registers = 24 : i64, warps = 1 : i64}
}

// -----

!a_t = !tile.slot<smem, 128 x 64 x bf16, swizzle = 128>
!s_t = !tile.slot<tmem, 128 x 128 x f32>

// R5: one kind of work decides how a slot is handed over.
tile.kernel @mixed for "sm_100a" {} {
  %x = tile.tensor "input" "x" ["m", "k"] of bf16
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %true = arith.constant true
  %a = tile.pipe "a" edges ["full", "empty"] {depth = 2 : i64} : <!a_t>
  %s = tile.pipe "s" edges ["out", "back"] : <!s_t>
  tile.walk %one {
  ^bb0(%index: i32):
    tile.yield
  } {grid = "1"}
  tile.role "load" {
  ^bb0(%copy: i32):
    %d = tile.acquire %s[%zero] edge 1 : !tile.pipe<!s_t> -> !s_t
    %p = tile.acquire %a[%zero] edge 1 : !tile.pipe<!a_t> -> !a_t
    tile.copy_in %x[%zero, %zero] -> %p {rowDim = 0 : i64} : !a_t
    tile.mma %p, %p -> %d accumulate %true k 0 to 64 : !a_t, !a_t -> !s_t
    // expected-error@+1 {{R5: TMA fills and MMAs use a slot of 'a' before one release; release it in between}}
    tile.release %p edge 0 : !a_t
    tile.yield
  } {registers = 24 : i64, warps = 1 : i64}
}

// -----

!a_t = !tile.slot<smem, 128 x 64 x bf16, swizzle = 128>
!s_t = !tile.slot<tmem, 128 x 128 x f32>

// R8: the bytes of a copy are announced once, where the slot is released.
tile.kernel @conditional_copy for "sm_100a" {} {
  %x = tile.tensor "input" "x" ["m", "k"] of bf16
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %two = arith.constant 2 : i32
  %a = tile.pipe "a" edges ["full", "empty"] {depth = 2 : i64} : <!a_t>
  tile.walk %one {
  ^bb0(%index: i32):
    tile.yield
  } {grid = "1"}
  tile.role "load" {
  ^bb0(%copy: i32):
    %p = tile.acquire %a[%zero] edge 1 : !tile.pipe<!a_t> -> !a_t
    %c = arith.constant true
    scf.if %c {
      // expected-error@+1 {{R8: a copy into 'a' stands in another loop or branch than the slot's release; its bytes can't be announced}}
      tile.copy_in %x[%zero, %zero] -> %p {rowDim = 0 : i64} : !a_t
    }
    tile.release %p edge 0 : !a_t
    tile.yield
  } {registers = 24 : i64, warps = 1 : i64}
  tile.role "mma" {
  ^bb0(%copy: i32):
    %t = tile.acquire %a[%zero] edge 0 : !tile.pipe<!a_t> -> !a_t
    tile.release %t edge 1 : !a_t
    tile.yield
  } {registers = 24 : i64, warps = 1 : i64}
}

// -----

!a_t = !tile.slot<smem, 128 x 64 x bf16, swizzle = 128>
!s_t = !tile.slot<tmem, 128 x 128 x f32>

// R8: copies fit into their slot.
tile.kernel @too_many_bytes for "sm_100a" {} {
  %x = tile.tensor "input" "x" ["m", "k"] of bf16
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %two = arith.constant 2 : i32
  %a = tile.pipe "a" edges ["full", "empty"] {depth = 2 : i64} : <!a_t>
  tile.walk %one {
  ^bb0(%index: i32):
    tile.yield
  } {grid = "1"}
  tile.role "load" {
  ^bb0(%copy: i32):
    %p = tile.acquire %a[%zero] edge 1 : !tile.pipe<!a_t> -> !a_t
    tile.copy_in %x[%zero, %zero] -> %p {rowDim = 0 : i64} : !a_t
    tile.copy_in %x[%zero, %one] -> %p {rowDim = 0 : i64} : !a_t
    // expected-error@+1 {{R8: copies of 32768 bytes fill a slot of 'a', which has 16384}}
    tile.release %p edge 0 : !a_t
    tile.yield
  } {registers = 24 : i64, warps = 1 : i64}
  tile.role "mma" {
  ^bb0(%copy: i32):
    %t = tile.acquire %a[%zero] edge 0 : !tile.pipe<!a_t> -> !a_t
    tile.release %t edge 1 : !a_t
    tile.yield
  } {registers = 24 : i64, warps = 1 : i64}
}

// -----

!a_t = !tile.slot<smem, 128 x 64 x bf16, swizzle = 128>
!s_t = !tile.slot<tmem, 128 x 128 x f32>

// L1: roles need a walk.
// expected-error@+1 {{L1: the kernel has no walk}}
tile.kernel @no_walk for "sm_100a" {} {
  tile.role "load" {
  ^bb0(%copy: i32):
    tile.yield
  } {registers = 24 : i64, warps = 1 : i64}
}

// -----

!a_t = !tile.slot<smem, 128 x 64 x bf16, swizzle = 128>

// L1: a loop that never ends.
tile.kernel @endless for "sm_100a" {} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %a = tile.pipe "a" edges ["full", "empty"] : <!a_t>
  tile.walk %one {
  ^bb0(%index: i32):
    tile.yield
  } {grid = "1"}
  tile.role "load" {
  ^bb0(%copy: i32):
    // expected-error@+1 {{L1: a loop advances by 0 a step; it must be at least 1}}
    scf.for %i = %zero to %one step %zero : i32 {
      %p = tile.acquire %a[%zero] edge 1 : !tile.pipe<!a_t> -> !a_t
      tile.release %p edge 0 : !a_t
    }
    tile.yield
  } {registers = 24 : i64, warps = 1 : i64}
}

// -----

!a_t = !tile.slot<smem, 128 x 64 x bf16, swizzle = 128>

// L1: a loop too long to be walked through.
tile.kernel @long for "sm_100a" {} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %many = arith.constant 2000000000 : i32
  %a = tile.pipe "a" edges ["full", "empty"] : <!a_t>
  tile.walk %one {
  ^bb0(%index: i32):
    tile.yield
  } {grid = "1"}
  tile.role "load" {
  ^bb0(%copy: i32):
    // expected-error@+1 {{L1: role 'load' takes more than 1048576 steps a tile; that many can't be checked}}
    scf.for %i = %zero to %many step %one : i32 {
      %p = tile.acquire %a[%zero] edge 1 : !tile.pipe<!a_t> -> !a_t
      tile.release %p edge 0 : !a_t
    }
    tile.yield
  } {registers = 24 : i64, warps = 1 : i64}
}

// -----

// R8: a barrier can't count what a fill of this size brings.
!huge_t = !tile.slot<smem, 4096 x 512 x bf16, swizzle = 128>
!box_t = !tile.slot<smem, 256 x 512 x bf16, swizzle = 128>
tile.kernel @uncounted for "sm_100a" {} {
  %x = tile.tensor "input" "x" ["m", "k"] of bf16
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %a = tile.pipe "a" edges ["full", "empty"] : <!huge_t>
  tile.walk %one {
  ^bb0(%index: i32):
    tile.yield
  } {grid = "1"}
  tile.role "load" {
  ^bb0(%copy: i32):
    %p = tile.acquire %a[%zero] edge 1 : !tile.pipe<!huge_t> -> !huge_t
    %q = tile.view %p at 0 : !huge_t -> !box_t
    tile.copy_in %x[%zero, %zero] -> %q {rowDim = 0 : i64} : !box_t
    tile.copy_in %x[%zero, %zero] -> %q {rowDim = 0 : i64} : !box_t
    tile.copy_in %x[%zero, %zero] -> %q {rowDim = 0 : i64} : !box_t
    tile.copy_in %x[%zero, %zero] -> %q {rowDim = 0 : i64} : !box_t
    // expected-error@+1 {{R8: a fill of 'a' has 1048576 bytes; a barrier counts at most 1048575}}
    tile.release %p edge 0 : !huge_t
    tile.yield
  } {registers = 24 : i64, warps = 1 : i64}
}

// -----

!a_t = !tile.slot<smem, 128 x 64 x bf16, swizzle = 128>

// P1: a hand-over goes to the leader or to both CTAs.
tile.kernel @both_take for "sm_100a" {} {
  %x = tile.tensor "input" "x" ["m", "k"] of bf16
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %a = tile.pipe "a" edges ["full", "empty"] {depth = 1 : i64} : <!a_t>
  tile.walk %one {
  ^bb0(%index: i32):
    tile.yield
  } {grid = "1"}
  tile.role "load" {
  ^bb0(%copy: i32):
    %p = tile.acquire %a[%zero] edge 1 : !tile.pipe<!a_t> -> !a_t
    tile.copy_in %x[%zero, %zero] -> %p {rowDim = 0 : i64} : !a_t
    tile.release %p edge 0 : !a_t
    tile.yield
  } {registers = 24 : i64, warps = 1 : i64}
  tile.role "mma" {
  ^bb0(%copy: i32):
    %v = tile.acquire %a[%zero] edge 0 : !tile.pipe<!a_t> -> !a_t
    tile.release %v edge 1 : !a_t
    tile.yield
  } {registers = 24 : i64, warps = 1 : i64, leader}
  tile.role "store" {
  ^bb0(%copy: i32):
    // expected-error@+1 {{P1: 'a.full' is taken by a leading role and by one that isn't; a hand-over goes to the leader or to both CTAs}}
    %v = tile.acquire %a[%zero] edge 0 : !tile.pipe<!a_t> -> !a_t
    tile.release %v edge 1 : !a_t
    tile.yield
  } {registers = 24 : i64, warps = 1 : i64}
} {pair}

// -----

!a_t = !tile.slot<smem, 128 x 64 x bf16, swizzle = 128>

// P2: a leading role multiplies.
tile.kernel @no_product for "sm_100a" {} {
  %x = tile.tensor "input" "x" ["m", "k"] of bf16
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %a = tile.pipe "a" edges ["full", "empty"] {depth = 1 : i64} : <!a_t>
  tile.walk %one {
  ^bb0(%index: i32):
    tile.yield
  } {grid = "1"}
  tile.role "load" {
  ^bb0(%copy: i32):
    %p = tile.acquire %a[%zero] edge 1 : !tile.pipe<!a_t> -> !a_t
    tile.copy_in %x[%zero, %zero] -> %p {rowDim = 0 : i64} : !a_t
    tile.release %p edge 0 : !a_t
    tile.yield
  } {registers = 24 : i64, warps = 1 : i64}
  tile.role "mma" {
  ^bb0(%copy: i32):
    %v = tile.acquire %a[%zero] edge 0 : !tile.pipe<!a_t> -> !a_t
    // expected-error@+1 {{P2: a leading role hands 'a.empty' over without a product; only those are announced to both CTAs}}
    tile.release %v edge 1 : !a_t
    tile.yield
  } {registers = 24 : i64, warps = 1 : i64, leader}
} {pair}

// -----

!a_t = !tile.slot<smem, 128 x 64 x bf16, swizzle = 128>

// P3: what comes from the peer is taken in the CTA that it came to.
tile.kernel @peer_to_leader for "sm_100a" {} {
  %x = tile.tensor "input" "x" ["m", "k"] of bf16
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %a = tile.pipe "a" edges ["full", "empty"] {depth = 1 : i64} : <!a_t>
  tile.walk %one {
  ^bb0(%index: i32):
    tile.yield
  } {grid = "1"}
  tile.role "send" {
  ^bb0(%copy: i32):
    %p = tile.acquire %a[%zero] edge 1 : !tile.pipe<!a_t> -> !a_t
    tile.copy_peer %p rows 0 count 64 -> %zero : !a_t
    // expected-error@+1 {{P3: 'a.full' was copied to the peer, but the leader takes it; a role of the peer must have it first}}
    tile.release %p edge 0 : !a_t
    tile.yield
  } {registers = 24 : i64, warps = 1 : i64}
  tile.role "mma" {
  ^bb0(%copy: i32):
    %v = tile.acquire %a[%zero] edge 0 : !tile.pipe<!a_t> -> !a_t
    tile.release %v edge 1 : !a_t
    tile.yield
  } {registers = 24 : i64, warps = 1 : i64, leader}
} {pair}

// -----

!a_t = !tile.slot<smem, 128 x 64 x bf16, swizzle = 128>

// L1: the CTAs of a pair run every loop as often.
tile.kernel @rank_in_a_trip_count for "sm_100a" {} {
  %x = tile.tensor "input" "x" ["m", "k"] of bf16
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %a = tile.pipe "a" edges ["full", "empty"] {depth = 1 : i64} : <!a_t>
  tile.walk %one {
  ^bb0(%index: i32):
    tile.yield
  } {grid = "1"}
  %rank = tile.rank
  tile.role "load" {
  ^bb0(%copy: i32):
    // expected-error@+1 {{L1: the trip count of a loop that takes or puts slots must follow from the walk and the kernel's sizes}}
    scf.for %i = %zero to %rank step %one : i32 {
    %p = tile.acquire %a[%zero] edge 1 : !tile.pipe<!a_t> -> !a_t
    tile.copy_in %x[%zero, %zero] -> %p {rowDim = 0 : i64} : !a_t
    tile.release %p edge 0 : !a_t
    }
    tile.yield
  } {registers = 24 : i64, warps = 1 : i64}
  tile.role "store" {
  ^bb0(%copy: i32):
    %v = tile.acquire %a[%zero] edge 0 : !tile.pipe<!a_t> -> !a_t
    tile.release %v edge 1 : !a_t
    tile.yield
  } {registers = 24 : i64, warps = 1 : i64}
} {pair}

// -----

!r_t = !tile.slot<rows, 128 x 1 x f32>

// R9: which instance can't depend on what the roles compute.
tile.kernel @which for "sm_100a" {} {
  %one = arith.constant 1 : i32
  %a = tile.pipe "a" edges ["full", "empty"] {instances = 2 : i64} : <!r_t>
  tile.walk %one {
  ^bb0(%index: i32):
    tile.yield
  } {grid = "1"}
  tile.role "use" {
  ^bb0(%copy: i32):
    %true = arith.constant dense<true> : tensor<128xi1, #tile.row>
    %any = tile.any %true : tensor<128xi1, #tile.row>
    %which = arith.extui %any : i1 to i32
    // expected-error@+1 {{R9: the instance of pipe 'a' depends on data}}
    %t = tile.acquire %a[%which] edge 1 : !tile.pipe<!r_t> -> !r_t
    tile.release %t edge 0 : !r_t
    tile.yield
  } {registers = 128 : i64, warps = 4 : i64}
}
