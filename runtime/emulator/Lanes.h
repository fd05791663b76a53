// Reads and writes operands as rows of 32 lanes.
#pragma once

#include "runtime/emulator/State.h"

#include <bit>
#include <concepts>
#include <cstring>
#include <type_traits>

namespace fa4::emulator {

struct alignas(64) Scratch32 {
  uint32_t lane[32];
};
struct alignas(64) Scratch64 {
  uint64_t lane[32];
};

/// Fill `scratch` for the operands that have no row of the wanted width.
const uint32_t *slowRow32(Context &c, const Operand &o, Scratch32 &scratch);
const uint64_t *slowRow64(Context &c, const Operand &o, Scratch64 &scratch);

/// The low 32 bits of an operand in every lane.
inline const uint32_t *row32(Context &c, const Operand &o, Scratch32 &scratch) {
  if (o.kind == OperandKind::Row32 && o.addend == 0) [[likely]]
    return c.warp.row32(o.index);
  if (o.kind == OperandKind::Immediate)
    return c.function.constants[o.index].narrow.data();
  return slowRow32(c, o, scratch);
}

/// 64 bits of an operand in every lane; narrower registers are zero-extended.
inline const uint64_t *row64(Context &c, const Operand &o, Scratch64 &scratch) {
  if (o.kind == OperandKind::Row64 && o.addend == 0) [[likely]]
    return c.warp.row64(o.index);
  if (o.kind == OperandKind::Immediate)
    return c.function.constants[o.index].wide.data();
  return slowRow64(c, o, scratch);
}

/// Lanes in which a predicate operand holds.
uint32_t predicateMask(Context &c, const Operand &o);
void writePredicate(Context &c, const Operand &o, uint32_t value);

/// Write the active lanes; the value is cut or zero-extended to the register.
void write32(Context &c, const Operand &o, const uint32_t *values);
void write64(Context &c, const Operand &o, const uint64_t *values);
void writeLane(Context &c, const Operand &o, uint32_t lane, uint64_t value);

/// One lane of an operand; `uniform` takes the first active lane's.
uint64_t laneValue(Context &c, const Operand &o, uint32_t lane);
inline uint64_t uniformValue(Context &c, const Operand &o) {
  return laneValue(c, o, static_cast<uint32_t>(__builtin_ctz(c.mask)));
}

/// A value type's row: types of up to 32 bits live in 32-bit lanes.
template <typename T>
using LaneBits = std::conditional_t<sizeof(T) <= 4, uint32_t, uint64_t>;

template <typename T> T fromLane(LaneBits<T> bits) {
  if constexpr (std::is_same_v<T, float> || std::is_same_v<T, double>)
    return std::bit_cast<T>(bits);
  else
    return static_cast<T>(bits);
}

template <typename T> LaneBits<T> toLane(T value) {
  if constexpr (std::is_same_v<T, float> || std::is_same_v<T, double>)
    return std::bit_cast<LaneBits<T>>(value);
  else
    return static_cast<LaneBits<T>>(
        static_cast<std::make_unsigned_t<T>>(value));
}

template <typename T>
using ScratchOf = std::conditional_t<sizeof(T) <= 4, Scratch32, Scratch64>;

template <typename T>
const LaneBits<T> *rowOf(Context &c, const Operand &o, ScratchOf<T> &scratch) {
  if constexpr (sizeof(T) <= 4)
    return row32(c, o, scratch);
  else
    return row64(c, o, scratch);
}

template <typename T>
void writeRow(Context &c, const Operand &o, const LaneBits<T> *values) {
  if constexpr (sizeof(T) <= 4)
    write32(c, o, values);
  else
    write64(c, o, values);
}

/// D = f(A), D = f(A, B), D = f(A, B, C) in all lanes, written where active.
template <typename D, typename A, typename F>
Outcome mapLanes(Context &c, const Instruction &i, F f) {
  ScratchOf<A> scratch;
  ScratchOf<D> result;
  const LaneBits<A> *a = rowOf<A>(c, c.operand(i, 1), scratch);
  for (int lane = 0; lane < 32; ++lane)
    result.lane[lane] = toLane<D>(f(fromLane<A>(a[lane])));
  writeRow<D>(c, c.operand(i, 0), result.lane);
  return Outcome::Next;
}

template <typename D, typename A, typename B, typename F>
Outcome mapLanes(Context &c, const Instruction &i, F f) {
  ScratchOf<A> scratchA;
  ScratchOf<B> scratchB;
  ScratchOf<D> result;
  const LaneBits<A> *a = rowOf<A>(c, c.operand(i, 1), scratchA);
  const LaneBits<B> *b = rowOf<B>(c, c.operand(i, 2), scratchB);
  for (int lane = 0; lane < 32; ++lane)
    result.lane[lane] =
        toLane<D>(f(fromLane<A>(a[lane]), fromLane<B>(b[lane])));
  writeRow<D>(c, c.operand(i, 0), result.lane);
  return Outcome::Next;
}

template <typename D, typename A, typename B, typename C, typename F>
Outcome mapLanes(Context &c, const Instruction &i, F f) {
  ScratchOf<A> scratchA;
  ScratchOf<B> scratchB;
  ScratchOf<C> scratchC;
  ScratchOf<D> result;
  const LaneBits<A> *a = rowOf<A>(c, c.operand(i, 1), scratchA);
  const LaneBits<B> *b = rowOf<B>(c, c.operand(i, 2), scratchB);
  const LaneBits<C> *d = rowOf<C>(c, c.operand(i, 3), scratchC);
  for (int lane = 0; lane < 32; ++lane)
    result.lane[lane] = toLane<D>(
        f(fromLane<A>(a[lane]), fromLane<B>(b[lane]), fromLane<C>(d[lane])));
  writeRow<D>(c, c.operand(i, 0), result.lane);
  return Outcome::Next;
}

} // namespace fa4::emulator
