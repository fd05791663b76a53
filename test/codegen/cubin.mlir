// A capped kernel assembles, locations and all.
// REQUIRES: ptxas
// RUN: %fa4-gen lower %s --emit=cubin -o %t.cubin
// RUN: test -s %t.cubin
llvm.func @capped(%p: !llvm.ptr<1>, %x: i32) attributes {nvvm.kernel, nvvm.reqntid = array<i32: 384, 1, 1>, nvvm.minctasm = 1 : i32} {
  nvvm.setmaxregister increase 232
  llvm.store %x, %p : i32, !llvm.ptr<1> loc(callsite("/src/AttentionTiles.cpp":7:3 at "/src/Fa4Forward.cpp":33:5))
  llvm.return
} loc("/src/Fa4Forward.cpp":30:1)
