// RUN: fa4-opt %s --split-input-file --verify-diagnostics

// expected-error@+1 {{is for 'sm_80', there are sm_100a and sm_90a}}
tile.kernel @arch for "sm_80" {} {
}

// -----

// Slots are what a memory can hold.
tile.kernel @row for "sm_100a" {} {
  // expected-error@+2 {{M1: a row of 40 bytes in shared memory needs a swizzle of 32, 64 or 128 bytes that divides it, not 0}}
  // expected-error@+1 {{failed to parse Tile_Pipe parameter 'slot'}}
  %a = tile.pipe "a" edges ["full", "empty"] : <!tile.slot<smem, 128 x 20 x bf16>>
}

// -----

tile.kernel @pattern for "sm_100a" {} {
  // expected-error@+2 {{M1: 100 rows in shared memory are not a multiple of the 8 of a swizzle pattern}}
  // expected-error@+1 {{failed to parse Tile_Pipe parameter 'slot'}}
  %a = tile.pipe "a" edges ["full", "empty"] : <!tile.slot<smem, 100 x 64 x bf16, swizzle = 128>>
}

// -----

tile.kernel @lanes for "sm_100a" {} {
  // expected-error@+2 {{M2: 64 rows of 512 bytes don't fit tensor memory, which has 128 lanes and columns of 4 bytes}}
  // expected-error@+1 {{failed to parse Tile_Pipe parameter 'slot'}}
  %a = tile.pipe "a" edges ["out", "back"] : <!tile.slot<tmem, 64 x 128 x f32>>
}

// -----

tile.kernel @statistics for "sm_100a" {} {
  // expected-error@+2 {{M1: row statistics are one unswizzled f32 a row}}
  // expected-error@+1 {{failed to parse Tile_Pipe parameter 'slot'}}
  %a = tile.pipe "a" edges ["full", "empty"] : <!tile.slot<rows, 128 x 1 x bf16>>
}

// -----

tile.kernel @extent for "sm_100a" {} {
  // expected-error@+2 {{M1: a slot of 0 x 64 elements; each must be from 1 to 65536}}
  // expected-error@+1 {{failed to parse Tile_Pipe parameter 'slot'}}
  %a = tile.pipe "a" edges ["full", "empty"] : <!tile.slot<smem, 0 x 64 x bf16, swizzle = 128>>
}

// -----

tile.kernel @element for "sm_100a" {} {
  // expected-error@+2 {{M1: a slot has elements bf16, f16, f32 or i32, not 'i8'}}
  // expected-error@+1 {{failed to parse Tile_Pipe parameter 'slot'}}
  %a = tile.pipe "a" edges ["full", "empty"] : <!tile.slot<smem, 128 x 128 x i8, swizzle = 128>>
}

// -----

tile.kernel @tensor for "sm_100a" {} {
  // expected-error@+1 {{is 'outputs', not input, output, inout or scratch}}
  %x = tile.tensor "outputs" "x" ["m", "k"] of bf16
}

// -----

tile.kernel @tensor for "sm_100a" {} {
  // expected-error@+1 {{has elements 'f64', there are bf16, f16, f32 and i32}}
  %x = tile.tensor "output" "x" ["m", "k"] of f64
}

// -----

tile.kernel @tensor for "sm_100a" {} {
  // expected-error@+1 {{has no dims}}
  %x = tile.tensor "output" "x" [] of bf16
}

// -----

tile.kernel @map for "sm_100a" {} {
  %x = tile.tensor "output" "x" ["m", "k"] of bf16
  // expected-error@+1 {{has a box of 1 dims for a tensor of 2}}
  %m = tile.tensor_map %x box [64] swizzle 128 : !llvm.ptr
}

// -----

tile.kernel @map for "sm_100a" {} {
  %x = tile.tensor "output" "x" ["m", "k"] of bf16
  // expected-error@+1 {{is a pointer parameter, not 'i32'}}
  %m = tile.tensor_map %x box [64, 64] swizzle 128 : i32
}

// -----

// R1: at most 32 parts.
tile.kernel @parts for "sm_100a" {} {
  // expected-error@+1 {{R1: hands an edge over in 64 parts; there can be 1 to 32}}
  %a = tile.pipe "a" edges ["full", "empty"] {parts = array<i64: 1, 64>} : <!tile.slot<rows, 128 x 1 x f32>>
}

// -----

// L1: one walk for all roles.
tile.kernel @walks for "sm_100a" {} {
  %n = tile.scalar "n" : i32
  tile.walk %n {
  ^bb0(%index: i32):
    tile.yield
  } {grid = "n"}
  // expected-error@+1 {{is the second of its kernel; all roles share one walk}}
  tile.walk %n {
  ^bb0(%index: i32):
    tile.yield
  } {grid = "n"}
}

// -----

tile.kernel @grid for "sm_100a" {} {
  %n = tile.scalar "n" : i32
  // expected-error@+1 {{requires attribute 'grid'}}
  tile.walk %n {
  ^bb0(%index: i32):
    tile.yield
  }
}

// -----

tile.kernel @index for "sm_100a" {} {
  %n = tile.scalar "n" : i32
  // expected-error@+1 {{L1: takes the tile's index, one i32}}
  tile.walk %n {
    tile.yield
  } {grid = "n"}
}

// -----

tile.kernel @end for "sm_100a" {} {
  %n = tile.scalar "n" : i32
  // expected-error@+1 {{L1: ends with a tile.yield}}
  tile.walk %n {
  ^bb0(%index: i32):
    llvm.unreachable
  } {grid = "n"}
}

// -----

// L1: a role takes what the walk gives.
tile.kernel @coordinates for "sm_100a" {} {
  %n = tile.scalar "n" : i32
  tile.walk %n {
  ^bb0(%index: i32):
    tile.yield %index : i32
  } {grid = "n"}
  // expected-error@+1 {{L1: takes 0 values of the walk, which yields 1}}
  tile.role "load" {
  ^bb0(%copy: i32):
    tile.yield
  } {registers = 24 : i64, warps = 1 : i64}
}

// -----

tile.kernel @copy for "sm_100a" {} {
  // expected-error@+1 {{L1: takes the index of its copy first, an i32}}
  tile.role "load" {
    tile.yield
  } {registers = 24 : i64, warps = 1 : i64}
}

// -----

tile.kernel @result for "sm_100a" {} {
  // expected-error@+1 {{L1: ends with a tile.yield of nothing}}
  tile.role "load" {
  ^bb0(%copy: i32):
    tile.yield %copy : i32
  } {registers = 24 : i64, warps = 1 : i64}
}

// -----

// L6: all threads of a warpgroup would issue the copy.
tile.kernel @threads for "sm_100a" {} {
  %x = tile.tensor "output" "x" ["m", "k"] of bf16
  tile.role "epilogue" {
  ^bb0(%i: i32):
    %s = tile.slot_at %i : !tile.slot<smem, 128 x 64 x bf16, swizzle = 128>
    // expected-note@+1 {{this takes all of its threads}}
    %f = tile.load %s cols 0 : !tile.slot<smem, 128 x 64 x bf16, swizzle = 128> -> tensor<128x64xbf16, #tile.row>
    // expected-error@+1 {{L6: role 'epilogue' has 4 warps, each thread of which would issue this; copies and MMAs belong into a role of one warp}}
    tile.copy_out %s -> %x[%i, %i] {rowDim = 0 : i64} : !tile.slot<smem, 128 x 64 x bf16, swizzle = 128>
    tile.yield
  } {registers = 128 : i64, warps = 4 : i64}
}

// -----

// L6: a warp has no 128 rows.
tile.kernel @warp for "sm_100a" {} {
  tile.role "epilogue" {
  ^bb0(%i: i32):
    %s = tile.slot_at %i : !tile.slot<smem, 128 x 64 x bf16, swizzle = 128>
    // expected-error@+1 {{L6: role 'epilogue' is one warp; fragments and rows take roles of 4 warps}}
    %f = tile.load %s cols 0 : !tile.slot<smem, 128 x 64 x bf16, swizzle = 128> -> tensor<128x64xbf16, #tile.row>
    tile.yield
  } {registers = 128 : i64, warps = 1 : i64}
}

// -----

// F1: a thread of the row layout has one of 128 rows.
tile.kernel @rows for "sm_100a" {} {
  // expected-error@+1 {{F1: 'tensor<256xf32, #tile.row>' is nothing that a warpgroup holds: 128 rows}}
  %r = arith.constant dense<0.0> : tensor<256xf32, #tile.row>
}

// -----

// F1: in the quad layout, 64 rows and pairs of 8 columns.
tile.kernel @quads for "sm_90a" {} {
  // expected-error@+1 {{F1: 'tensor<64x12xf32, #tile.quad>' is nothing that a warpgroup holds: 64 rows, and columns in steps of 8}}
  %r = arith.constant dense<0.0> : tensor<64x12xf32, #tile.quad>
}

// -----

tile.kernel @splat for "sm_90a" {} {
  // expected-error@+1 {{F1: a constant fragment has one value for all of its elements}}
  %r = arith.constant dense<"0x0000000000000001"> : tensor<64xi1, #tile.quad>
}

// -----

// M2: an overlay lies in columns of the other pipe.
tile.kernel @overlay for "sm_100a" {} {
  %s = tile.pipe "s" edges ["out", "back"] : <!tile.slot<tmem, 128 x 64 x f32>>
  // expected-error@+1 {{M2: ends at column 96 of the 64 of 's'}}
  %p = tile.pipe "p" edges ["out", "back"] {over = "s", overColumn = 32 : i64} : <!tile.slot<tmem, 128 x 64 x f32>>
}

// -----

tile.kernel @overlay for "sm_100a" {} {
  // expected-error@+1 {{M2: lies over 's', which has no columns of its own}}
  %p = tile.pipe "p" edges ["out", "back"] {over = "s"} : <!tile.slot<tmem, 128 x 64 x f32>>
}
