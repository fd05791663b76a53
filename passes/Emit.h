// Small builders that several passes share.
#pragma once
#include "passes/Passes.h"

namespace tile {

/// i32 arithmetic at one location.
struct Emit {
  mlir::OpBuilder &b;
  mlir::Location loc;

  mlir::Value i32(int64_t value) const {
    return mlir::arith::ConstantIntOp::create(b, loc, value, 32);
  }
  mlir::Value i64(int64_t value) const {
    return mlir::arith::ConstantIntOp::create(b, loc, value, 64);
  }
  mlir::Value add(mlir::Value a, mlir::Value c) const {
    return mlir::arith::AddIOp::create(b, loc, a, c);
  }
  /// a + constant; a itself where the constant is 0.
  mlir::Value add(mlir::Value a, int64_t constant) const {
    return constant ? add(a, i32(constant)) : a;
  }
  mlir::Value mul(mlir::Value a, int64_t constant) const {
    if (constant == 1)
      return a;
    return mlir::arith::MulIOp::create(b, loc, a, i32(constant));
  }
  mlir::Value equal(mlir::Value a, int64_t constant) const {
    return mlir::arith::CmpIOp::create(b, loc, mlir::arith::CmpIPredicate::eq,
                                       a, i32(constant));
  }
  mlir::Value less(mlir::Value a, int64_t constant) const {
    return mlir::arith::CmpIOp::create(b, loc, mlir::arith::CmpIPredicate::slt,
                                       a, i32(constant));
  }
  /// A pointer in address space 3 (shared), 6 (tensor memory) from an i32.
  mlir::Value pointer(mlir::Value address, unsigned space) const {
    auto type = mlir::LLVM::LLVMPointerType::get(b.getContext(), space);
    return mlir::LLVM::IntToPtrOp::create(b, loc, type, address);
  }
  /// 0 in the leader of a pair of CTAs, 1 in its peer.
  mlir::Value rank() const {
    return mlir::NVVM::ClusterId::create(b, loc, b.getI32Type());
  }
  /// The same shared address in the CTA of a rank, in address space 7.
  mlir::Value inCta(mlir::Value address, mlir::Value rank) const {
    auto type = mlir::LLVM::LLVMPointerType::get(b.getContext(), 7);
    return mlir::NVVM::MapaOp::create(b, loc, type, pointer(address, 3), rank);
  }
  /// The same in the peer.
  mlir::Value inPeer(mlir::Value address) const {
    return inCta(address, mlir::arith::XOrIOp::create(b, loc, rank(), i32(1)));
  }
};

/// The address of a lowered slot (its slot_at).
inline mlir::Value addressOf(mlir::Value slot) {
  return slot.getDefiningOp<ir::SlotAtOp>().getAddress();
}

/// Pipes of a kernel in a memory, in declaration order.
inline llvm::SmallVector<ir::PipeOp> pipesIn(ir::KernelOp kernel,
                                             ir::Memory memory) {
  llvm::SmallVector<ir::PipeOp> pipes;
  for (ir::PipeOp pipe : kernel.getBody().getOps<ir::PipeOp>())
    if (pipe.getSlotType().getMemory() == memory)
      pipes.push_back(pipe);
  return pipes;
}

} // namespace tile
