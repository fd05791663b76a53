// The decode functions of the instruction families, one file each, and the
// handlers that the decoder itself needs.
#pragma once

#include "runtime/emulator/Decoding.h"

namespace fa4::emulator {

Outcome exitLanes(Context &c, const Instruction &i);

// IntegerArithmetic.cpp
void decodeAddSubtract(Decoding &d);
void decodeMultiply(Decoding &d);
void decodeMultiplyAdd(Decoding &d);
void decodeDivide(Decoding &d);
void decodeMinMax(Decoding &d);
void decodeAbsNegate(Decoding &d);
void decodeSad(Decoding &d);
void decodeDotProduct(Decoding &d);
// Carry.cpp
void decodeCarry(Decoding &d);
// BitMasks.cpp
void decodeBitMask(Decoding &d);
// FloatArithmetic.cpp: handlers for the float types of the shared opcodes
bool decodeFloatArithmetic(Decoding &d);
void decodeFma(Decoding &d);
// FloatMinMax.cpp: null for a type without these
Handler minMaxFloat(Decoding &d, Type type);
Handler signFloat(Decoding &d, Type type);
// FloatFunctions.cpp
void decodeFloatFunction(Decoding &d);
void decodeCopySign(Decoding &d);
// Logic.cpp
void decodeLogic(Decoding &d);
void decodeShift(Decoding &d);
void decodeBitField(Decoding &d);
void decodeBitCount(Decoding &d);
void decodePermute(Decoding &d);
void decodeLop3(Decoding &d);
// Compare.cpp
void decodeSetPredicate(Decoding &d);
void decodeSelect(Decoding &d);
void decodeSelectBySign(Decoding &d);
// Convert.cpp
void decodeConvert(Decoding &d);
// Move.cpp
void decodeMove(Decoding &d);
void decodeAddressConversion(Decoding &d);
void decodeMapa(Decoding &d);
void decodeGetRank(Decoding &d);
// Control.cpp
void decodeBranch(Decoding &d);
void decodeExit(Decoding &d);
void decodeTrap(Decoding &d);
void decodeNothing(Decoding &d);
void decodeSetMaxRegisters(Decoding &d);
// WarpOperations.cpp
void decodeShuffle(Decoding &d);
void decodeVote(Decoding &d);
void decodeElect(Decoding &d);
void decodeReduce(Decoding &d);
void decodeMatch(Decoding &d);
void decodeActiveMask(Decoding &d);
// Barriers.cpp
void decodeBarrier(Decoding &d);
void decodeFence(Decoding &d);
void decodeGridDependency(Decoding &d);
// LoadStore.cpp
void decodeLoad(Decoding &d);
void decodeStore(Decoding &d);
void decodePrefetch(Decoding &d);
// Atomics.cpp
void decodeAtomic(Decoding &d);
// MatrixMove.cpp
void decodeLoadMatrix(Decoding &d);
void decodeStoreMatrix(Decoding &d);
// MmaSync.cpp
void decodeMmaSync(Decoding &d);
// MbarrierOperations.cpp
void decodeMbarrier(Decoding &d);
// AsyncCopies.cpp: cp.async, cp.async.bulk, cp.reduce
void decodeCopy(Decoding &d);
void decodeBulkStore(Decoding &d);
void decodeBulkCopy(Decoding &d);
void decodeTensorCopy(Decoding &d);
// TensorMapOperations.cpp
void decodeTensorMap(Decoding &d);
// Tcgen05.cpp and its parts
void decodeTcgen05(Decoding &d);
void decodeTmemAllocation(Decoding &d);
void decodeTmemAccess(Decoding &d);
void decodeTensorCore(Decoding &d);
// Wgmma.cpp
void decodeWgmma(Decoding &d);
// ClusterLaunch.cpp
void decodeClusterLaunch(Decoding &d);

} // namespace fa4::emulator
