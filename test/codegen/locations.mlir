// The author's file and lines reach the PTX without making it a debug build.
// RUN: %fa4-gen lower %s | FileCheck %s
// RUN: %fa4-gen lower %s --emit=llvm | FileCheck %s --check-prefix=LLVM

// LLVM: emissionKind: DebugDirectivesOnly

// CHECK: .target sm_100a{{$}}
// CHECK-LABEL: .entry locations
// CHECK: .loc [[#FILE:]] 33 5
// CHECK: st.volatile
// CHECK: .loc [[#FILE]] 41 7
// CHECK: st.volatile
// CHECK: .file [[#FILE]] "/src/Fa4Forward.cpp"
llvm.func @locations(%p: !llvm.ptr<1>, %x: i32) attributes {nvvm.kernel} {
  llvm.store volatile %x, %p : i32, !llvm.ptr<1> loc("/src/Fa4Forward.cpp":33:5)
  llvm.store volatile %x, %p : i32, !llvm.ptr<1> loc("put"("/src/Fa4Forward.cpp":41:7))
  llvm.return
} loc("/src/Fa4Forward.cpp":30:1)
