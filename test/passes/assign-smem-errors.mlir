// RUN: %fa4-opt %s --verify-diagnostics --pass-pipeline='builtin.module(tile.kernel(tile-assign-smem))'

// M1: what a CTA needs, what it may have, and who takes how much.
// expected-error@+1 {{shared memory overflows: needs 263168 bytes of 232448}}
tile.kernel @overflow for "sm_100a" {} {
  // expected-note@+1 {{'q' takes 65536 bytes}}
  %q = tile.pipe "q" edges ["full", "empty"] {depth = 2 : i64} : <!tile.slot<smem, 128 x 128 x bf16, swizzle = 128>>
  // expected-note@+1 {{'kv' takes 196608 bytes}}
  %kv = tile.pipe "kv" edges ["full", "empty"] {depth = 6 : i64} : <!tile.slot<smem, 128 x 128 x bf16, swizzle = 128>>
}
