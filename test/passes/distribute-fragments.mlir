// RUN: %fa4-opt %s --allow-unregistered-dialect --split-input-file --pass-pipeline='builtin.module(tile.kernel(tile-distribute-fragments))' | FileCheck %s

!s_t = !tile.slot<tmem, 128 x 64 x f32>
!c_t = !tile.slot<smem, 128 x 64 x bf16, swizzle = 128>
!rows_t = !tile.slot<rows, 128 x 1 x f32>

// F1: in the row layout a thread holds its row: elementwise ops keep their
// form, tensor memory is read 32 columns at a time, and waited for once.
// CHECK-LABEL: tile.kernel @row_layout
// CHECK-COUNT-2: nvvm.tcgen05.ld {{.*}} : vector<32xi32>
// CHECK-NEXT: nvvm.tcgen05.wait <load>
// CHECK: %[[X:.*]] = vector.insert_strided_slice {{.*}} into vector<64xf32>
// CHECK: %[[Y:.*]] = arith.mulf %{{.*}}, %{{.*}} : vector<64xf32>
// A row of 128 bytes goes to shared memory in 8 swizzled chunks of 16.
// CHECK: arith.truncf %[[Y]] : vector<64xf32> to vector<64xbf16>
// CHECK-COUNT-8: llvm.store {{.*}} : vector<4xi32>, !llvm.ptr<3>
// CHECK-NOT: llvm.store
// CHECK-NOT: tensor<
tile.kernel @row_layout for "sm_100a" {} {
  tile.role "epilogue" {
  ^bb0(%copy: i32):
    %zero = arith.constant 0 : i32
    %s = tile.slot_at %zero : !s_t
    %c = tile.slot_at %zero : !c_t
    %x = tile.load %s cols 0 : !s_t -> tensor<128x64xf32, #tile.row>
    %y = arith.mulf %x, %x : tensor<128x64xf32, #tile.row>
    %h = arith.truncf %y : tensor<128x64xf32, #tile.row> to tensor<128x64xbf16, #tile.row>
    tile.store %h, %c cols 0 : tensor<128x64xbf16, #tile.row>, !c_t
    tile.yield
  } {registers = 128 : i64, warps = 4 : i64}
}

// -----

!rows_t = !tile.slot<rows, 128 x 1 x f32>

// F1: a per-row value is one scalar a thread, its row the thread's index in
// the role; a reduction stays within the thread.
// CHECK-LABEL: tile.kernel @per_row
// CHECK: %[[BEFORE:.*]] = llvm.load {{.*}} : !llvm.ptr<3> -> f32
// CHECK-COUNT-8: arith.maxnumf {{.*}} : f32
// CHECK-NOT: nvvm.shfl
// CHECK: %[[EACH:.*]] = vector.broadcast %{{.*}} : f32 to vector<8xf32>
// CHECK: arith.constant dense<[0, 1, 2, 3, 4, 5, 6, 7]> : vector<8xi32>
// CHECK: nvvm.vote.sync
tile.kernel @per_row for "sm_100a" {} {
  tile.role "softmax" {
  ^bb0(%copy: i32):
    %zero = arith.constant 0 : i32
    %slot = tile.slot_at %zero : !rows_t
    %before = tile.load %slot cols 0 : !rows_t -> tensor<128xf32, #tile.row>
    %x = "test.source"() : () -> tensor<128x8xf32, #tile.row>
    %max = tile.row_reduce "max" %x, %before : tensor<128x8xf32, #tile.row>, tensor<128xf32, #tile.row> -> tensor<128xf32, #tile.row>
    %each = tile.broadcast %max : tensor<128xf32, #tile.row> -> tensor<128x8xf32, #tile.row>
    %column = tile.column_index : tensor<128x8xi32, #tile.row>
    %less = arith.cmpf olt, %before, %max : tensor<128xf32, #tile.row>
    %any = tile.any %less : tensor<128xi1, #tile.row>
    "test.sink"(%each, %column, %any) : (tensor<128x8xf32, #tile.row>, tensor<128x8xi32, #tile.row>, i1) -> ()
    tile.yield
  } {registers = 128 : i64, warps = 4 : i64}
}

// -----

// F1: in the quad layout four lanes share two rows: a thread holds half of the
// elements of each, and a reduction combines the four: the start of a sum is
// added once, not in each lane.
// CHECK-LABEL: tile.kernel @quad_layout
// CHECK: "test.source"() : () -> vector<8xf32>
// CHECK: "test.rows"() : () -> vector<2xf32>
// CHECK: %[[START:.*]] = vector.extract %{{.*}}[0] : f32 from vector<2xf32>
// CHECK-COUNT-2: nvvm.shfl.sync bfly
// CHECK: arith.addf
// CHECK: arith.addf %[[START]], %{{.*}} : f32
// CHECK-COUNT-2: nvvm.shfl.sync bfly
// CHECK-NOT: nvvm.shfl
// CHECK: "test.sink"(%{{.*}}) : (vector<2xf32>) -> ()
tile.kernel @quad_layout for "sm_90a" {} {
  tile.role "softmax" {
  ^bb0(%copy: i32):
    %x = "test.source"() : () -> tensor<64x16xf32, #tile.quad>
    %init = "test.rows"() : () -> tensor<64xf32, #tile.quad>
    %sum = tile.row_reduce "sum" %x, %init : tensor<64x16xf32, #tile.quad>, tensor<64xf32, #tile.quad> -> tensor<64xf32, #tile.quad>
    "test.sink"(%sum) : (tensor<64xf32, #tile.quad>) -> ()
    tile.yield
  } {registers = 128 : i64, warps = 4 : i64}
}

// -----

// A store to global memory is guarded row by row and addressed with 64 bits.
// CHECK-LABEL: tile.kernel @global_store
// CHECK: scf.if
// CHECK: arith.extsi %{{.*}} : i32 to i64
// CHECK: llvm.store %{{.*}} : f32, !llvm.ptr<1>
tile.kernel @global_store for "sm_100a" {} {
  %lse = tile.tensor "output" "lse" ["rows"] of f32
  %base = tile.pointer %lse
  tile.role "softmax" {
  ^bb0(%copy: i32):
    %x = "test.source"() : () -> tensor<128xf32, #tile.row>
    %row = tile.row_index : tensor<128xi32, #tile.row>
    %live = arith.cmpi eq, %row, %row : tensor<128xi32, #tile.row>
    tile.store_global %x, %base[%row] if %live : tensor<128xf32, #tile.row>, tensor<128xi32, #tile.row>, tensor<128xi1, #tile.row>
    tile.yield
  } {registers = 128 : i64, warps = 4 : i64}
}

// -----

!t = !tile.slot<smem, 128 x 64 x bf16, swizzle = 128>

// F1: a thread reads its row of a tile in shared memory 16 bytes at a time.
// CHECK-LABEL: tile.kernel @read_rows
// CHECK-COUNT-4: llvm.load {{.*}} : !llvm.ptr<3> -> vector<4xi32>
// CHECK-NOT: llvm.load
// CHECK: arith.extf {{.*}} : vector<32xbf16> to vector<32xf32>
tile.kernel @read_rows for "sm_100a" {} {
  tile.role "reader" {
  ^bb0(%copy: i32):
    %zero = arith.constant 0 : i32
    %slot = tile.slot_at %zero : !t
    %h = tile.load %slot cols 32 : !t -> tensor<128x32xbf16, #tile.row>
    %x = arith.extf %h : tensor<128x32xbf16, #tile.row> to tensor<128x32xf32, #tile.row>
    "test.sink"(%x) : (tensor<128x32xf32, #tile.row>) -> ()
    tile.yield
  } {registers = 128 : i64, warps = 4 : i64}
}

// -----

!h = !tile.slot<smem, 64 x 16 x bf16, swizzle = 32>
!f = !tile.slot<smem, 64 x 16 x f32, swizzle = 64>

// F1: in the quad layout it reads the pairs of its two rows, and writes those
// of 32 bits without stmatrix.
// CHECK-LABEL: tile.kernel @quad_pairs
// CHECK-COUNT-4: llvm.load {{.*}} : !llvm.ptr<3> -> vector<2xbf16>
// CHECK-NOT: llvm.load
// CHECK-COUNT-4: llvm.store {{.*}} : vector<2xf32>, !llvm.ptr<3>
// CHECK-NOT: stmatrix
tile.kernel @quad_pairs for "sm_90a" {} {
  tile.role "reader" {
  ^bb0(%copy: i32):
    %zero = arith.constant 0 : i32
    %in = tile.slot_at %zero : !h
    %out = tile.slot_at %zero : !f
    %h = tile.load %in cols 0 : !h -> tensor<64x16xbf16, #tile.quad>
    %x = arith.extf %h : tensor<64x16xbf16, #tile.quad> to tensor<64x16xf32, #tile.quad>
    tile.store %x, %out cols 0 : tensor<64x16xf32, #tile.quad>, !f
    tile.yield
  } {registers = 128 : i64, warps = 4 : i64}
}

// -----

// F1: a row that the mask excludes is not read.
// CHECK-LABEL: tile.kernel @global_rows
// CHECK: %[[ROW:.*]] = scf.if %{{.*}} -> (f32)
// CHECK: llvm.load {{.*}} : !llvm.ptr<1> -> f32
// CHECK: } else {
// CHECK-NEXT: scf.yield %[[ZERO:.*]] : f32
// CHECK: "test.sink"(%[[ROW]])
tile.kernel @global_rows for "sm_100a" {} {
  tile.role "reader" {
  ^bb0(%copy: i32, %base: i64):
    %index = tile.row_index : tensor<128xi32, #tile.row>
    %limit = arith.constant dense<100> : tensor<128xi32, #tile.row>
    %mask = arith.cmpi slt, %index, %limit : tensor<128xi32, #tile.row>
    %none = arith.constant dense<0.0> : tensor<128xf32, #tile.row>
    %x = tile.load_global %base[%index] if %mask else %none : tensor<128xi32, #tile.row>, tensor<128xi1, #tile.row>, tensor<128xf32, #tile.row>
    "test.sink"(%x) : (tensor<128xf32, #tile.row>) -> ()
    tile.yield
  } {registers = 128 : i64, warps = 4 : i64}
}

// -----

!rows_t = !tile.slot<rows, 128 x 1 x f32>

// F1: a row slot loaded across gives every row the same values: a thread of
// the row layout reads them all.
// CHECK-LABEL: tile.kernel @across
// CHECK: %[[FIRST:.*]] = arith.constant 128 : i32
// CHECK: arith.addi %{{.*}}, %[[FIRST]]
// CHECK-COUNT-2: llvm.load {{.*}} : !llvm.ptr<3> -> vector<4xf32>
// CHECK-NOT: llvm.load
tile.kernel @across for "sm_100a" {} {
  tile.role "reader" {
  ^bb0(%copy: i32):
    %zero = arith.constant 0 : i32
    %slot = tile.slot_at %zero : !rows_t
    %x = tile.load %slot cols 32 : !rows_t -> tensor<128x8xf32, #tile.row>
    "test.sink"(%x) : (tensor<128x8xf32, #tile.row>) -> ()
    tile.yield
  } {registers = 128 : i64, warps = 4 : i64}
}

// -----

!rows_t = !tile.slot<rows, 128 x 1 x f32>

// In the quad layout it reads the pairs of its columns, for both its rows.
// CHECK-LABEL: tile.kernel @across_quads
// CHECK-COUNT-2: llvm.load {{.*}} : !llvm.ptr<3> -> vector<2xf32>
// CHECK-NOT: llvm.load
// CHECK: "test.sink"({{.*}}) : (vector<8xf32>)
tile.kernel @across_quads for "sm_90a" {} {
  tile.role "reader" {
  ^bb0(%copy: i32):
    %zero = arith.constant 0 : i32
    %slot = tile.slot_at %zero : !rows_t
    %x = tile.load %slot cols 0 : !rows_t -> tensor<64x16xf32, #tile.quad>
    "test.sink"(%x) : (tensor<64x16xf32, #tile.quad>) -> ()
    tile.yield
  } {registers = 128 : i64, warps = 4 : i64}
}
