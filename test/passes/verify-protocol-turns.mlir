// RUN: %fa4-opt %s --split-input-file --verify-diagnostics --pass-pipeline='builtin.module(tile.kernel(tile-verify-protocol))'

!a_t = !tile.slot<smem, 128 x 64 x bf16, swizzle = 128>

// The copies take turns, copy 0 first, as often each: nothing to report.
tile.kernel @in_order for "sm_100a" {} {
  %x = tile.tensor "input" "x" ["m", "k"] of bf16
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %two = arith.constant 2 : i32
  %three = arith.constant 3 : i32
  tile.walk %one {
  ^bb0(%index: i32):
    tile.yield
  } {grid = "1"}
  tile.role "attend" {
  ^bb0(%copy: i32):
    scf.for %i = %zero to %three step %one : i32 {
      tile.turn "wait" %copy of 2 from 1
      tile.turn "pass" %copy of 2 from 1
    }
    tile.yield
  } {registers = 24 : i64, copies = 2 : i64, warps = 4 : i64}
}

// -----

!a_t = !tile.slot<smem, 128 x 64 x bf16, swizzle = 128>

// R7: copy 1 waits for more turns than copy 0 passes.
tile.kernel @unequal for "sm_100a" {} {
  %x = tile.tensor "input" "x" ["m", "k"] of bf16
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %two = arith.constant 2 : i32
  %three = arith.constant 3 : i32
  tile.walk %one {
  ^bb0(%index: i32):
    tile.yield
  } {grid = "1"}
  tile.role "attend" {
  ^bb0(%copy: i32):
    %trips = arith.addi %copy, %two : i32
    scf.for %i = %zero to %trips step %one : i32 {
      // expected-error@+3 {{R7: copy 1 of role 'attend' takes 'turn of copy 1' 3 times a tile, but copy 0 of role 'attend' hands it over 2 times}}
      // expected-note@+2 {{copy 1 of role 'attend' waits here for 'turn of copy 1'}}
      // expected-note@+1 {{found with tile 0}}
      tile.turn "wait" %copy of 2 from 1
      tile.turn "pass" %copy of 2 from 1
    }
    tile.yield
  } {registers = 24 : i64, copies = 2 : i64, warps = 4 : i64}
}

// -----

!a_t = !tile.slot<smem, 128 x 64 x bf16, swizzle = 128>

// R7: copy 0 passes more turns than copy 1 takes; the next tile would find them.
tile.kernel @left_over for "sm_100a" {} {
  %x = tile.tensor "input" "x" ["m", "k"] of bf16
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %two = arith.constant 2 : i32
  %three = arith.constant 3 : i32
  tile.walk %one {
  ^bb0(%index: i32):
    tile.yield
  } {grid = "1"}
  tile.role "attend" {
  ^bb0(%copy: i32):
    %trips = arith.subi %three, %copy : i32
    scf.for %i = %zero to %trips step %one : i32 {
      tile.turn "wait" %copy of 2 from 1
      // expected-error@+2 {{R7: copy 1 of role 'attend' hands 'turn of copy 0' over 2 times a tile, but it is taken 3 times}}
      // expected-note@+1 {{found with tile 0}}
      tile.turn "pass" %copy of 2 from 1
    }
    tile.yield
  } {registers = 24 : i64, copies = 2 : i64, warps = 4 : i64}
}

// -----

!a_t = !tile.slot<smem, 128 x 64 x bf16, swizzle = 128>

// R7: copy 1 has to hand a slot over before it gets the turn, copy 0 keeps the turn until it has the slot.
tile.kernel @against_ring for "sm_100a" {} {
  %x = tile.tensor "input" "x" ["m", "k"] of bf16
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %two = arith.constant 2 : i32
  %three = arith.constant 3 : i32
  %a = tile.pipe "a" edges ["full", "empty"] {instances = 2 : i64} : <!a_t>
  tile.walk %one {
  ^bb0(%index: i32):
    tile.yield
  } {grid = "1"}
  tile.role "attend" {
  ^bb0(%copy: i32):
    // expected-note@+1 {{copy 1 of role 'attend' waits here for 'turn of copy 1'}}
    tile.turn "wait" %copy of 2 from 1
    // expected-error@+3 {{R7: deadlock: copy 0 of role 'attend' waits for 'a.full' from role 'load', which waits as well}}
    // expected-note@+2 {{copy 0 of role 'attend' waits here for 'a.full'}}
    // expected-note@+1 {{found with tile 0}}
    %s = tile.acquire %a[%copy] edge 0 : !tile.pipe<!a_t> -> !a_t
    tile.release %s edge 1 : !a_t
    tile.turn "pass" %copy of 2 from 1
    tile.yield
  } {registers = 24 : i64, copies = 2 : i64, warps = 4 : i64}
  tile.role "load" {
  ^bb0(%copy: i32):
    %p = tile.acquire %a[%one] edge 1 : !tile.pipe<!a_t> -> !a_t
    tile.release %p edge 0 : !a_t
    // expected-note@+1 {{role 'load' waits here for 'a.empty'}}
    %q = tile.acquire %a[%one] edge 1 : !tile.pipe<!a_t> -> !a_t
    tile.release %q edge 0 : !a_t
    %r = tile.acquire %a[%zero] edge 1 : !tile.pipe<!a_t> -> !a_t
    tile.release %r edge 0 : !a_t
    tile.yield
  } {registers = 24 : i64, warps = 1 : i64}
}

// -----

!a_t = !tile.slot<smem, 128 x 64 x bf16, swizzle = 128>

// L4: a turn that a copy doesn't have can't be passed.
tile.kernel @passed_twice for "sm_100a" {} {
  %x = tile.tensor "input" "x" ["m", "k"] of bf16
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %two = arith.constant 2 : i32
  %three = arith.constant 3 : i32
  tile.walk %one {
  ^bb0(%index: i32):
    tile.yield
  } {grid = "1"}
  tile.role "attend" {
  ^bb0(%copy: i32):
    tile.turn "wait" %copy of 2 from 1
    tile.turn "pass" %copy of 2 from 1
    // expected-error@+1 {{L4: copy 0 of role 'attend' passes a turn that it doesn't have}}
    tile.turn "pass" %copy of 2 from 1
    tile.yield
  } {registers = 24 : i64, copies = 2 : i64, warps = 4 : i64}
}

// -----

!a_t = !tile.slot<smem, 128 x 64 x bf16, swizzle = 128>

// L4: nobody passes a turn to the copy that has it.
tile.kernel @waited_twice for "sm_100a" {} {
  %x = tile.tensor "input" "x" ["m", "k"] of bf16
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %two = arith.constant 2 : i32
  %three = arith.constant 3 : i32
  tile.walk %one {
  ^bb0(%index: i32):
    tile.yield
  } {grid = "1"}
  tile.role "attend" {
  ^bb0(%copy: i32):
    // expected-note@+1 {{got here}}
    tile.turn "wait" %copy of 2 from 1
    // expected-error@+1 {{L4: copy 0 of role 'attend' waits for a turn that it already has}}
    tile.turn "wait" %copy of 2 from 1
    tile.turn "pass" %copy of 2 from 1
    tile.yield
  } {registers = 24 : i64, copies = 2 : i64, warps = 4 : i64}
}

// -----

!a_t = !tile.slot<smem, 128 x 64 x bf16, swizzle = 128>

// L4: a turn is passed on before the tile ends.
tile.kernel @kept for "sm_100a" {} {
  %x = tile.tensor "input" "x" ["m", "k"] of bf16
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %two = arith.constant 2 : i32
  %three = arith.constant 3 : i32
  tile.walk %one {
  ^bb0(%index: i32):
    tile.yield
  } {grid = "1"}
  tile.role "attend" {
  ^bb0(%copy: i32):
    // expected-error@+1 {{L4: copy 0 of role 'attend' never passes this turn on}}
    tile.turn "wait" %copy of 2 from 1
    tile.yield
  } {registers = 24 : i64, copies = 2 : i64, warps = 4 : i64}
}

// -----

!a_t = !tile.slot<smem, 128 x 64 x bf16, swizzle = 128>

// L4: a copy takes its own turn.
tile.kernel @other_copy for "sm_100a" {} {
  %x = tile.tensor "input" "x" ["m", "k"] of bf16
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %two = arith.constant 2 : i32
  %three = arith.constant 3 : i32
  tile.walk %one {
  ^bb0(%index: i32):
    tile.yield
  } {grid = "1"}
  tile.role "attend" {
  ^bb0(%copy: i32):
    // expected-error@+1 {{L4: copy 1 of role 'attend' waits for a turn by an index that isn't its copy}}
    tile.turn "wait" %zero of 2 from 1
    tile.turn "pass" %zero of 2 from 1
    tile.yield
  } {registers = 24 : i64, copies = 2 : i64, warps = 4 : i64}
}

// -----

!a_t = !tile.slot<smem, 128 x 64 x bf16, swizzle = 128>

// L1: turns do not depend on data.
tile.kernel @turn_by_data for "sm_100a" {} {
  %x = tile.tensor "input" "x" ["m", "k"] of bf16
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %two = arith.constant 2 : i32
  %three = arith.constant 3 : i32
  tile.walk %one {
  ^bb0(%index: i32):
    tile.yield
  } {grid = "1"}
  tile.role "attend" {
  ^bb0(%copy: i32):
    %n = tile.smem_base
    %c = arith.cmpi eq, %n, %zero : i32
    // expected-error@+1 {{L1: a slot or turn is taken or put under a condition that depends on data; other roles can't know it}}
    scf.if %c {
      tile.turn "wait" %copy of 2 from 1
      tile.turn "pass" %copy of 2 from 1
    }
    tile.yield
  } {registers = 24 : i64, copies = 2 : i64, warps = 4 : i64}
}
