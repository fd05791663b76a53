// Products whose accumulator is in the registers of a warpgroup, and that run
// while the warpgroup does something else (sm_90a).
#pragma once
#include "dsl/lang/Product.h"

namespace tile {

/// A product that is in flight. Its operands stay as they are until await.
class [[nodiscard]] Pending {
public:
  explicit Pending(Handle value) : value(value) {}
  Pending(Pending &&) = default;
  Pending(const Pending &) = delete;
  Handle raw() const { return value; }

private:
  Handle value;
};

/// 64 rows of a slot, the share of one warpgroup.
struct WarpgroupRows {
  SlotRef ref;
  Int begin;
};
inline WarpgroupRows rowsFrom(const Slot<Smem> &slot, Int begin) {
  return {slot.raw(), begin};
}
WarpgroupRows rowsFrom(Slot<Smem> &&, Int) = delete;

/// Columns of a slot; they begin at a multiple of 64.
struct SlotColumns {
  SlotRef ref;
  Int begin;
  int count;
};
inline SlotColumns columnsFrom(const Slot<Smem> &slot, Int begin,
                               int count = 64) {
  return {slot.raw(), begin, count};
}
SlotColumns columnsFrom(Slot<Smem> &&, Int, int = 64) = delete;

/// a (64 x K) times b (K x N); a in shared memory or, rounded, in registers.
struct WarpgroupProduct {
  Handle a;
  SlotRef b;
  bool bTransposed;
  Int row;
  bool aInRegisters;
  bool aTransposed = false;
  /// Of b, if not all: where they begin, and how many.
  Int column = 0;
  int columns = 0;
};
inline WarpgroupProduct mma(const WarpgroupRows &a, Transposed b) {
  return {a.ref.slot, b.ref, true, a.begin, false};
}
inline WarpgroupProduct mma(const WarpgroupRows &a, const Slot<Smem> &b) {
  return {a.ref.slot, b.raw(), false, a.begin, false};
}
inline WarpgroupProduct mma(Rounded a, const Slot<Smem> &b) {
  return {a.handle, b.raw(), false, 0, true};
}
inline WarpgroupProduct mma(Rounded a, Transposed b) {
  return {a.handle, b.ref, true, 0, true};
}

/// The transposed columns of a (64 x K) times columns of b (K x N).
inline WarpgroupProduct mma(const SlotColumns &a, const SlotColumns &b) {
  return {a.ref.slot, b.ref, false, a.begin, false, true, b.begin, b.count};
}

/// Issues a b, or a b + c; c becomes part of the product.
Pending start(const WarpgroupProduct &product, Where where = Where::current());
Pending start(const WarpgroupProduct &product, Frag c,
              Where where = Where::current());
/// The result, once at most `later` products that were started after it are
/// still in flight.
Frag await(Pending &&pending, int later = 0, Where where = Where::current());

/// A turn that the copies of a role take in order, copy 0 first: while one
/// issues its products, the others do something else.
class Turn {
public:
  Turn(Recorder *recorder, int first, int copies)
      : recorder(recorder), first(first), copies(copies) {}
  /// Waits until copy `copy`, the calling one, has the turn.
  void wait(Int copy, Where where = Where::current()) const;
  /// Gives the turn to the copy after `copy`.
  void pass(Int copy, Where where = Where::current()) const;

private:
  void record(const char *kind, Int copy, Where where) const;
  Recorder *recorder;
  int first, copies;
};

} // namespace tile
