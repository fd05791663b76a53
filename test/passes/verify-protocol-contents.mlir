// RUN: %fa4-opt %s --split-input-file --verify-diagnostics --pass-pipeline='builtin.module(tile.kernel(tile-verify-protocol))'

!a_t = !tile.slot<smem, 128 x 64 x bf16, swizzle = 128>
!s_t = !tile.slot<tmem, 128 x 128 x f32>
!p_t = !tile.slot<tmem, 128 x 128 x bf16>

// P takes S's place from the front, columns that were read already: nothing to report.
tile.kernel @in_place for "sm_100a" {} {
  %x = tile.tensor "input" "x" ["m", "k"] of bf16
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %two = arith.constant 2 : i32
  %three = arith.constant 3 : i32
  %a = tile.pipe "a" edges ["full", "empty"] {depth = 2 : i64} : <!a_t>
  %s = tile.pipe "s" edges ["out", "back"] : <!s_t>
  tile.walk %one {
  ^bb0(%index: i32):
    tile.yield
  } {grid = "1"}
  tile.role "load" {
  ^bb0(%copy: i32):
    %p = tile.acquire %a[%zero] edge 1 : !tile.pipe<!a_t> -> !a_t
    tile.copy_in %x[%zero, %zero] -> %p {rowDim = 0 : i64} : !a_t
    tile.release %p edge 0 : !a_t
    %q = tile.acquire %a[%zero] edge 1 : !tile.pipe<!a_t> -> !a_t
    tile.copy_in %x[%zero, %zero] -> %q {rowDim = 0 : i64} : !a_t
    tile.release %q edge 0 : !a_t
    tile.yield
  } {registers = 24 : i64, warps = 1 : i64}
  tile.role "near" {
  ^bb0(%copy: i32):
    %p = tile.acquire %a[%zero] edge 0 : !tile.pipe<!a_t> -> !a_t
    %q = tile.acquire %a[%zero] edge 0 : !tile.pipe<!a_t> -> !a_t
    %d = tile.acquire %s[%zero] edge 1 : !tile.pipe<!s_t> -> !s_t
    %no = arith.constant false
    tile.mma %p, %q -> %d accumulate %no k 0 to 64 : !a_t, !a_t -> !s_t
    tile.release %d edge 0 : !s_t
    tile.release %p edge 1 : !a_t
    tile.release %q edge 1 : !a_t
    tile.yield
  } {registers = 24 : i64, warps = 1 : i64}
  tile.role "softmax" {
  ^bb0(%copy: i32):
    %d = tile.acquire %s[%zero] edge 0 : !tile.pipe<!s_t> -> !s_t
    %p = tile.view %d at 0 : !s_t -> !p_t
    %f = tile.load %d cols 0 : !s_t -> tensor<128x64xf32, #tile.row>
    %g = arith.truncf %f : tensor<128x64xf32, #tile.row> to tensor<128x64xbf16, #tile.row>
    tile.store %g, %p cols 0 : tensor<128x64xbf16, #tile.row>, !p_t
    %h = tile.load %d cols 64 : !s_t -> tensor<128x64xf32, #tile.row>
    %i = arith.truncf %h : tensor<128x64xf32, #tile.row> to tensor<128x64xbf16, #tile.row>
    tile.store %i, %p cols 64 : tensor<128x64xbf16, #tile.row>, !p_t
    tile.release %d edge 1 : !s_t
    tile.yield
  } {registers = 24 : i64, warps = 4 : i64}
}

// -----

!a_t = !tile.slot<smem, 128 x 64 x bf16, swizzle = 128>
!s_t = !tile.slot<tmem, 128 x 128 x f32>
!p_t = !tile.slot<tmem, 128 x 128 x bf16>

// M3: P is written over columns of S that are still to be read.
tile.kernel @overtakes for "sm_100a" {} {
  %x = tile.tensor "input" "x" ["m", "k"] of bf16
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %two = arith.constant 2 : i32
  %three = arith.constant 3 : i32
  %a = tile.pipe "a" edges ["full", "empty"] {depth = 2 : i64} : <!a_t>
  %s = tile.pipe "s" edges ["out", "back"] : <!s_t>
  tile.walk %one {
  ^bb0(%index: i32):
    tile.yield
  } {grid = "1"}
  tile.role "load" {
  ^bb0(%copy: i32):
    %p = tile.acquire %a[%zero] edge 1 : !tile.pipe<!a_t> -> !a_t
    tile.copy_in %x[%zero, %zero] -> %p {rowDim = 0 : i64} : !a_t
    tile.release %p edge 0 : !a_t
    %q = tile.acquire %a[%zero] edge 1 : !tile.pipe<!a_t> -> !a_t
    tile.copy_in %x[%zero, %zero] -> %q {rowDim = 0 : i64} : !a_t
    tile.release %q edge 0 : !a_t
    tile.yield
  } {registers = 24 : i64, warps = 1 : i64}
  tile.role "near" {
  ^bb0(%copy: i32):
    %p = tile.acquire %a[%zero] edge 0 : !tile.pipe<!a_t> -> !a_t
    %q = tile.acquire %a[%zero] edge 0 : !tile.pipe<!a_t> -> !a_t
    %d = tile.acquire %s[%zero] edge 1 : !tile.pipe<!s_t> -> !s_t
    %no = arith.constant false
    tile.mma %p, %q -> %d accumulate %no k 0 to 64 : !a_t, !a_t -> !s_t
    tile.release %d edge 0 : !s_t
    tile.release %p edge 1 : !a_t
    tile.release %q edge 1 : !a_t
    tile.yield
  } {registers = 24 : i64, warps = 1 : i64}
  tile.role "softmax" {
  ^bb0(%copy: i32):
    %d = tile.acquire %s[%zero] edge 0 : !tile.pipe<!s_t> -> !s_t
    %p = tile.view %d at 64 : !s_t -> !p_t
    %f = tile.load %d cols 0 : !s_t -> tensor<128x64xf32, #tile.row>
    %g = arith.truncf %f : tensor<128x64xf32, #tile.row> to tensor<128x64xbf16, #tile.row>
    // expected-error@+1 {{M3: writes 'bf16' over columns 64 to 65 of 's' while the 'f32' there is still to be read}}
    tile.store %g, %p cols 0 : tensor<128x64xbf16, #tile.row>, !p_t
    // expected-note@+1 {{read here}}
    %h = tile.load %d cols 64 : !s_t -> tensor<128x64xf32, #tile.row>
    tile.release %d edge 1 : !s_t
    tile.yield
  } {registers = 24 : i64, warps = 4 : i64}
}

// -----

!a_t = !tile.slot<smem, 128 x 64 x bf16, swizzle = 128>
!s_t = !tile.slot<tmem, 128 x 128 x f32>
!p_t = !tile.slot<tmem, 128 x 128 x bf16>

// M3: the reader takes more columns than the writer wrote.
tile.kernel @half_read for "sm_100a" {} {
  %x = tile.tensor "input" "x" ["m", "k"] of bf16
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %two = arith.constant 2 : i32
  %three = arith.constant 3 : i32
  %a = tile.pipe "a" edges ["full", "empty"] {depth = 2 : i64} : <!a_t>
  %s = tile.pipe "s" edges ["out", "back"] : <!s_t>
  %b = tile.pipe "b" edges ["out", "back"] : <!s_t>
  tile.walk %one {
  ^bb0(%index: i32):
    tile.yield
  } {grid = "1"}
  tile.role "load" {
  ^bb0(%copy: i32):
    %p = tile.acquire %a[%zero] edge 1 : !tile.pipe<!a_t> -> !a_t
    tile.copy_in %x[%zero, %zero] -> %p {rowDim = 0 : i64} : !a_t
    tile.release %p edge 0 : !a_t
    %q = tile.acquire %a[%zero] edge 1 : !tile.pipe<!a_t> -> !a_t
    tile.copy_in %x[%zero, %zero] -> %q {rowDim = 0 : i64} : !a_t
    tile.release %q edge 0 : !a_t
    tile.yield
  } {registers = 24 : i64, warps = 1 : i64}
  tile.role "near" {
  ^bb0(%copy: i32):
    %p = tile.acquire %a[%zero] edge 0 : !tile.pipe<!a_t> -> !a_t
    %q = tile.acquire %a[%zero] edge 0 : !tile.pipe<!a_t> -> !a_t
    %d = tile.acquire %s[%zero] edge 1 : !tile.pipe<!s_t> -> !s_t
    %no = arith.constant false
    tile.mma %p, %q -> %d accumulate %no k 0 to 64 : !a_t, !a_t -> !s_t
    tile.release %d edge 0 : !s_t
    tile.release %p edge 1 : !a_t
    tile.release %q edge 1 : !a_t
    tile.yield
  } {registers = 24 : i64, warps = 1 : i64}
  tile.role "softmax" {
  ^bb0(%copy: i32):
    %d = tile.acquire %s[%zero] edge 0 : !tile.pipe<!s_t> -> !s_t
    %f = tile.load %d cols 0 : !s_t -> tensor<128x64xf32, #tile.row>
    %g = arith.truncf %f : tensor<128x64xf32, #tile.row> to tensor<128x64xbf16, #tile.row>
    %p = tile.view %d at 0 : !s_t -> !p_t
    tile.store %g, %p cols 0 : tensor<128x64xbf16, #tile.row>, !p_t
    tile.release %d edge 1 : !s_t
    tile.yield
  } {registers = 24 : i64, warps = 4 : i64}
  tile.role "far" {
  ^bb0(%copy: i32):
    %q = tile.acquire %b[%zero] edge 0 : !tile.pipe<!s_t> -> !s_t
    // expected-error@+1 {{M3: reads columns 64 to 128 of 'b', of which nobody has written 64 to 65}}
    %f = tile.load %q cols 64 : !s_t -> tensor<128x64xf32, #tile.row>
    tile.release %q edge 1 : !s_t
    tile.yield
  } {registers = 24 : i64, warps = 4 : i64}
  tile.role "half" {
  ^bb0(%copy: i32):
    %r = tile.row_index : tensor<128xi32, #tile.row>
    %v = tile.broadcast %r : tensor<128xi32, #tile.row> -> tensor<128x64xi32, #tile.row>
    %f = arith.sitofp %v : tensor<128x64xi32, #tile.row> to tensor<128x64xf32, #tile.row>
    %q = tile.acquire %b[%zero] edge 1 : !tile.pipe<!s_t> -> !s_t
    tile.store %f, %q cols 0 : tensor<128x64xf32, #tile.row>, !s_t
    tile.release %q edge 0 : !s_t
    tile.yield
  } {registers = 24 : i64, warps = 4 : i64}
}

// -----

!a_t = !tile.slot<smem, 128 x 64 x bf16, swizzle = 128>
!s_t = !tile.slot<tmem, 128 x 128 x f32>
!p_t = !tile.slot<tmem, 128 x 128 x bf16>

// M3: the first product of a tile overwrites; one that adds finds the last tile's sum.
tile.kernel @adds_to_nothing for "sm_100a" {} {
  %x = tile.tensor "input" "x" ["m", "k"] of bf16
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %two = arith.constant 2 : i32
  %three = arith.constant 3 : i32
  %a = tile.pipe "a" edges ["full", "empty"] {depth = 2 : i64} : <!a_t>
  %s = tile.pipe "s" edges ["out", "back"] : <!s_t>
  tile.walk %one {
  ^bb0(%index: i32):
    tile.yield
  } {grid = "1"}
  tile.role "load" {
  ^bb0(%copy: i32):
    %p = tile.acquire %a[%zero] edge 1 : !tile.pipe<!a_t> -> !a_t
    tile.copy_in %x[%zero, %zero] -> %p {rowDim = 0 : i64} : !a_t
    tile.release %p edge 0 : !a_t
    %q = tile.acquire %a[%zero] edge 1 : !tile.pipe<!a_t> -> !a_t
    tile.copy_in %x[%zero, %zero] -> %q {rowDim = 0 : i64} : !a_t
    tile.release %q edge 0 : !a_t
    tile.yield
  } {registers = 24 : i64, warps = 1 : i64}
  tile.role "near" {
  ^bb0(%copy: i32):
    %p = tile.acquire %a[%zero] edge 0 : !tile.pipe<!a_t> -> !a_t
    %q = tile.acquire %a[%zero] edge 0 : !tile.pipe<!a_t> -> !a_t
    %d = tile.acquire %s[%zero] edge 1 : !tile.pipe<!s_t> -> !s_t
    %no = arith.constant true
    // expected-error@+1 {{M3: reads columns 0 to 128 of 's', of which nobody has written 0 to 1}}
    tile.mma %p, %q -> %d accumulate %no k 0 to 64 : !a_t, !a_t -> !s_t
    tile.release %d edge 0 : !s_t
    tile.release %p edge 1 : !a_t
    tile.release %q edge 1 : !a_t
    tile.yield
  } {registers = 24 : i64, warps = 1 : i64}
  tile.role "softmax" {
  ^bb0(%copy: i32):
    %d = tile.acquire %s[%zero] edge 0 : !tile.pipe<!s_t> -> !s_t
    tile.release %d edge 1 : !s_t
    tile.yield
  } {registers = 24 : i64, warps = 4 : i64}
}

// -----

!a_t = !tile.slot<smem, 128 x 64 x bf16, swizzle = 128>
!s_t = !tile.slot<tmem, 128 x 128 x f32>
!p_t = !tile.slot<tmem, 128 x 128 x bf16>

// M3: a slot is read as what was put into it.
tile.kernel @wrong_type for "sm_100a" {} {
  %x = tile.tensor "input" "x" ["m", "k"] of bf16
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %two = arith.constant 2 : i32
  %three = arith.constant 3 : i32
  %a = tile.pipe "a" edges ["full", "empty"] {depth = 2 : i64} : <!a_t>
  tile.walk %one {
  ^bb0(%index: i32):
    tile.yield
  } {grid = "1"}
  tile.role "load" {
  ^bb0(%copy: i32):
    %p = tile.acquire %a[%zero] edge 1 : !tile.pipe<!a_t> -> !a_t
    tile.copy_in %x[%zero, %zero] -> %p {rowDim = 0 : i64} : !a_t
    tile.release %p edge 0 : !a_t
    %q = tile.acquire %a[%zero] edge 1 : !tile.pipe<!a_t> -> !a_t
    // expected-error@+1 {{M3: writes 'bf16' over bytes 0 to 2048 of 'a' while the 'f32' there is still to be read}}
    tile.copy_in %x[%zero, %zero] -> %q {rowDim = 0 : i64} : !a_t
    tile.release %q edge 0 : !a_t
    tile.yield
  } {registers = 24 : i64, warps = 1 : i64}
  tile.role "near" {
  ^bb0(%copy: i32):
    %p = tile.acquire %a[%zero] edge 0 : !tile.pipe<!a_t> -> !a_t
    tile.release %p edge 1 : !a_t
    %q = tile.acquire %a[%zero] edge 0 : !tile.pipe<!a_t> -> !a_t
    %v = tile.view %q at 0 : !a_t -> !tile.slot<smem, 128 x 32 x f32, swizzle = 128>
    // expected-note@+1 {{read here}}
    %f = tile.load %v cols 0 : !tile.slot<smem, 128 x 32 x f32, swizzle = 128> -> tensor<128x32xf32, #tile.row>
    tile.release %q edge 1 : !a_t
    tile.yield
  } {registers = 24 : i64, warps = 4 : i64}
}

// -----

!a_t = !tile.slot<smem, 128 x 64 x bf16, swizzle = 128>
!s_t = !tile.slot<tmem, 128 x 128 x f32>

// A pipe in another's columns, filled when the reader has given those back: nothing to report.
tile.kernel @over_ordered for "sm_100a" {} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %s = tile.pipe "s" edges ["out", "back"] : <!s_t>
  %t = tile.pipe "t" edges ["out", "back"] {over = "s"} : <!s_t>
  tile.walk %one {
  ^bb0(%index: i32):
    tile.yield
  } {grid = "1"}
  tile.role "write" {
  ^bb0(%copy: i32):
    %r = tile.row_index : tensor<128xi32, #tile.row>
    %v = tile.broadcast %r : tensor<128xi32, #tile.row> -> tensor<128x128xi32, #tile.row>
    %f = arith.sitofp %v : tensor<128x128xi32, #tile.row> to tensor<128x128xf32, #tile.row>
    %p = tile.acquire %s[%zero] edge 1 : !tile.pipe<!s_t> -> !s_t
    tile.store %f, %p cols 0 : tensor<128x128xf32, #tile.row>, !s_t
    tile.release %p edge 0 : !s_t
    %q = tile.acquire %t[%zero] edge 1 : !tile.pipe<!s_t> -> !s_t
    %w = tile.acquire %s[%zero] edge 1 : !tile.pipe<!s_t> -> !s_t
    tile.store %f, %q cols 0 : tensor<128x128xf32, #tile.row>, !s_t
    tile.release %q edge 0 : !s_t
    tile.release %w edge 0 : !s_t
    tile.yield
  } {registers = 24 : i64, warps = 4 : i64}
  tile.role "read" {
  ^bb0(%copy: i32):
    %p = tile.acquire %s[%zero] edge 0 : !tile.pipe<!s_t> -> !s_t
    %f = tile.load %p cols 0 : !s_t -> tensor<128x128xf32, #tile.row>
    tile.release %p edge 1 : !s_t
    %q = tile.acquire %t[%zero] edge 0 : !tile.pipe<!s_t> -> !s_t
    %g = tile.load %q cols 0 : !s_t -> tensor<128x128xf32, #tile.row>
    tile.release %q edge 1 : !s_t
    %w = tile.acquire %s[%zero] edge 0 : !tile.pipe<!s_t> -> !s_t
    tile.release %w edge 1 : !s_t
    tile.yield
  } {registers = 24 : i64, warps = 4 : i64}
}

// -----

!a_t = !tile.slot<smem, 128 x 64 x bf16, swizzle = 128>
!s_t = !tile.slot<tmem, 128 x 128 x f32>

// M3: a pipe in another's columns is filled while the reader may still be busy there.
tile.kernel @over_unordered for "sm_100a" {} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %s = tile.pipe "s" edges ["out", "back"] : <!s_t>
  %t = tile.pipe "t" edges ["out", "back"] {over = "s"} : <!s_t>
  tile.walk %one {
  ^bb0(%index: i32):
    tile.yield
  } {grid = "1"}
  tile.role "write" {
  ^bb0(%copy: i32):
    %r = tile.row_index : tensor<128xi32, #tile.row>
    %v = tile.broadcast %r : tensor<128xi32, #tile.row> -> tensor<128x128xi32, #tile.row>
    %f = arith.sitofp %v : tensor<128x128xi32, #tile.row> to tensor<128x128xf32, #tile.row>
    %p = tile.acquire %s[%zero] edge 1 : !tile.pipe<!s_t> -> !s_t
    tile.store %f, %p cols 0 : tensor<128x128xf32, #tile.row>, !s_t
    tile.release %p edge 0 : !s_t
    %q = tile.acquire %t[%zero] edge 1 : !tile.pipe<!s_t> -> !s_t
    // expected-note@+1 {{written here}}
    tile.store %f, %q cols 0 : tensor<128x128xf32, #tile.row>, !s_t
    tile.release %q edge 0 : !s_t
    tile.yield
  } {registers = 24 : i64, warps = 4 : i64}
  tile.role "read" {
  ^bb0(%copy: i32):
    %p = tile.acquire %s[%zero] edge 0 : !tile.pipe<!s_t> -> !s_t
    // expected-error@+1 {{M3: nothing orders this read of columns 0 to 1 of 's' after 't' was written there}}
    %f = tile.load %p cols 0 : !s_t -> tensor<128x128xf32, #tile.row>
    tile.release %p edge 1 : !s_t
    %q = tile.acquire %t[%zero] edge 0 : !tile.pipe<!s_t> -> !s_t
    %g = tile.load %q cols 0 : !s_t -> tensor<128x128xf32, #tile.row>
    tile.release %q edge 1 : !s_t
    tile.yield
  } {registers = 24 : i64, warps = 4 : i64}
}
