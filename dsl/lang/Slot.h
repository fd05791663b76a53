// A slot: one tile of a pipe, owned by a role from take or fill until release.
#pragma once
#include "dsl/lang/Fragment.h"
#include "dsl/lang/Types.h"

namespace tile {

/// Memory that holds slots. The phantom types keep smem operands, tensor
/// memory and row statistics apart at compile time.
struct Smem {};
struct Tmem {};
struct Rows {};

/// Shape of a slot; `columnOffset` is where an alias begins (tensor-memory
/// columns), for a duplex whose way back uses other columns than its way out.
struct SlotSpec {
  enum class Memory { smem, tmem, rows } memory;
  DType type;
  int rows;
  int cols;
  int columnOffset = 0;
};
/// Shared memory is swizzled by the widest span of 128, 64, 32 bytes that
/// divides a row of the tile, so that neither TMA, MMAs nor threads meet bank
/// conflicts; rows of other lengths are refused.
inline SlotSpec smem(DType type, int rows, int cols) {
  return {SlotSpec::Memory::smem, type, rows, cols};
}
inline SlotSpec tmem(DType type, int rows, int cols, int columnOffset = 0) {
  return {SlotSpec::Memory::tmem, type, rows, cols, columnOffset};
}
inline SlotSpec rows(int count) {
  return {SlotSpec::Memory::rows, DType::f32, count, 1};
}

/// What a slot names in the recording. `edge` < 0: nothing to release.
struct SlotRef {
  Handle slot;
  int edge = -1;
  int part = 0;
  /// Released or moved from: may not be used any more.
  bool over = false;
};

namespace detail {
void release(SlotRef &slot, Where where);
SlotRef aliased(const SlotRef &slot, const SlotSpec &as, Where where);
SlotRef rowsOf(const SlotRef &slot, int begin, int count, Where where);
} // namespace detail

/// Move-only: the end of its scope, or release(), hands it over.
template <class M> class [[nodiscard]] Slot {
public:
  explicit Slot(SlotRef ref, Where where) : ref(ref), where(where) {}
  Slot(Slot &&other) noexcept : ref(other.ref), where(other.where) {
    other.ref.over = true;
  }
  Slot(const Slot &) = delete;
  Slot &operator=(Slot &&) = delete;
  ~Slot() {
    if (!ref.over)
      detail::release(ref, where);
  }
  /// Hands the slot over before the end of its scope.
  void release(Where at = Where::current()) && { detail::release(ref, at); }
  const SlotRef &raw() const { return ref; }

private:
  SlotRef ref;
  Where where;
};

/// Columns [begin, begin + count) of a slot; all of them where count is 0.
Frag load(const Slot<Tmem> &slot, int begin = 0, int count = 0,
          Where where = Where::current());
/// The same of a tile in shared memory, as f32.
Frag load(const Slot<Smem> &slot, int begin = 0, int count = 0,
          Where where = Where::current());
Row load(const Slot<Rows> &slot, Where where = Where::current());
/// Values [begin, begin + like's columns) of the slot, one for each column, the
/// same in each row.
Frag loadAcross(const Slot<Rows> &slot, Frag like, int begin = 0,
                Where where = Where::current());
/// The same memory as another shape or type; the slot itself is released.
template <class M>
Slot<M> alias(const Slot<M> &slot, const SlotSpec &as,
              Where where = Where::current()) {
  return Slot<M>(detail::aliased(slot.raw(), as, where), where);
}

/// Rows [begin, begin + count) of a slot that is as wide as its swizzle
/// pattern; in eights.
inline Slot<Smem> rowsOf(const Slot<Smem> &slot, int begin, int count,
                         Where where = Where::current()) {
  return Slot<Smem>(detail::rowsOf(slot.raw(), begin, count, where), where);
}

/// Writes columns [begin, ...) of a slot.
void store(Rounded value, const Slot<Smem> &slot, int begin = 0,
           Where where = Where::current());
void store(Frag value, const Slot<Smem> &slot, int begin = 0,
           Where where = Where::current());
/// Writes rows [begin, ...) of a slot, the share of one copy of the role, at
/// columns [column, ...).
void storeRows(Rounded value, const Slot<Smem> &slot, Int begin, int column = 0,
               Where where = Where::current());
void store(Rounded value, const Slot<Tmem> &slot, int begin = 0,
           Where where = Where::current());
void store(Frag value, const Slot<Tmem> &slot, int begin = 0,
           Where where = Where::current());
void store(Row value, const Slot<Rows> &slot, Where where = Where::current());

} // namespace tile
