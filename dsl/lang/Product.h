// Matrix products, as operands: a @ b, to be put into an accumulator.
#pragma once
#include "dsl/lang/Slot.h"

namespace tile {

/// A slot read the other way around: rows are columns.
struct Transposed {
  SlotRef ref;
};
inline Transposed T(const Slot<Smem> &slot) { return {slot.raw()}; }
Transposed T(Slot<Smem> &&) = delete;

/// a (M x K) times b (K x N). b's slot holds K x N, or N x K when transposed.
struct Product {
  SlotRef a, b;
  bool aTransposed = false, bTransposed = false;
  int kBegin = 0, kEnd = 0;
  /// Only rows [begin, end) of the common dim.
  Product range(int begin, int end) const {
    Product p = *this;
    p.kBegin = begin;
    p.kEnd = end;
    return p;
  }
};
inline Product mma(const Slot<Smem> &a, Transposed b) {
  return {a.raw(), b.ref, false, true};
}
template <class M> Product mma(const Slot<M> &a, const Slot<Smem> &b) {
  return {a.raw(), b.raw()};
}
template <class M> Product mma(Transposed a, const Slot<M> &b) {
  return {a.ref, b.raw(), true, false};
}
template <class M> Product mma(Slot<M> &&, const Slot<Smem> &) = delete;
template <class M> Product mma(const Slot<M> &, Slot<Smem> &&) = delete;
Product mma(Slot<Smem> &&, Transposed) = delete;

/// d = a b, or d += a b where `accumulate` holds: the MMA unit's predicate.
void multiply(const Slot<Tmem> &d, const Product &product, Bool accumulate,
              Where where = Where::current());

} // namespace tile
