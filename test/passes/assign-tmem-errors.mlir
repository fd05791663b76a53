// RUN: %fa4-opt %s --verify-diagnostics --pass-pipeline='builtin.module(tile.kernel(tile-assign-tmem))'

// M2: the pipe that crosses the last column is named, with the numbers.
tile.kernel @overflow for "sm_100a" {} {
  %s = tile.pipe "s" edges ["out", "back"] {instances = 2 : i64} : <!tile.slot<tmem, 128 x 128 x f32>>
  %o = tile.pipe "o" edges ["out", "back"] {instances = 2 : i64} : <!tile.slot<tmem, 128 x 128 x f32>>
  // expected-error@+1 {{tensor memory overflows: pipe 'extra' ends at column 544 of 512}}
  %e = tile.pipe "extra" edges ["out", "back"] : <!tile.slot<tmem, 128 x 32 x f32>>
}
