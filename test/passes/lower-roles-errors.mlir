// RUN: %fa4-opt %s --split-input-file --verify-diagnostics --tile-lower-roles

// L3: the roles may not ask for more registers than an SM has.
// expected-error@+1 {{registers overflow: the roles ask for 68608 of the 64512 that 384 threads get at launch}}
tile.kernel @registers for "sm_100a" {key = {}, op = "test"} {
  %tiles = tile.scalar "tiles" : i32
  tile.walk %tiles {
  ^bb0(%index: i32):
    tile.yield
  } {grid = "tiles"}
  tile.role "wide" {
  ^bb0(%copy: i32):
    tile.yield
  } {registers = 256 : i64, warps = 4 : i64}
  tile.role "other" {
  ^bb0(%copy: i32):
    tile.yield
  } {registers = 256 : i64, warps = 4 : i64}
  tile.role "small" {
  ^bb0(%copy: i32):
    tile.yield
  } {registers = 24 : i64, warps = 1 : i64, elected}
} {smem_bytes = 0 : i64, tmem_columns = 0 : i64, tmem_slot = 0 : i64}

// -----

// L2: a CTA has at most 32 warps.
// expected-error@+1 {{too many warps: 36 of the 32 that a CTA may have}}
tile.kernel @warps for "sm_100a" {key = {}, op = "test"} {
  %tiles = tile.scalar "tiles" : i32
  tile.walk %tiles {
  ^bb0(%index: i32):
    tile.yield
  } {grid = "tiles"}
  tile.role "wide" {
  ^bb0(%copy: i32):
    tile.yield
  } {registers = 64 : i64, warps = 4 : i64, copies = 9 : i64}
} {smem_bytes = 0 : i64, tmem_columns = 0 : i64, tmem_slot = 0 : i64}

// -----

// The manifest entry needs what the kernel computes and its key.
// expected-error@+1 {{needs `op` and `key` in its info, for the manifest}}
tile.kernel @nameless for "sm_100a" {} {
  %tiles = tile.scalar "tiles" : i32
  tile.walk %tiles {
  ^bb0(%index: i32):
    tile.yield
  } {grid = "tiles"}
  tile.role "idle" {
  ^bb0(%copy: i32):
    tile.yield
  } {registers = 24 : i64, warps = 1 : i64, elected}
} {smem_bytes = 0 : i64, tmem_columns = 0 : i64, tmem_slot = 0 : i64}

// -----

// L2: nobody would do anything.
// expected-error@+1 {{L2: the kernel has no role}}
tile.kernel @idle for "sm_100a" {key = {}, op = "test"} {
  %tiles = tile.scalar "tiles" : i32
  tile.walk %tiles {
  ^bb0(%index: i32):
    tile.yield
  } {grid = "tiles"}
} {smem_bytes = 0 : i64, tmem_columns = 0 : i64, tmem_slot = 0 : i64}
