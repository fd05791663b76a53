// Rings and duplexes: buffers whose slots roles hand to each other.
#pragma once
#include "dsl/lang/Product.h"
#include "dsl/lang/Slot.h"
#include "dsl/lang/Tensor.h"
#include <optional>
#include <vector>

namespace tile {

namespace detail {
SlotRef acquire(Handle pipe, Int instance, int edge, int releases, int part,
                const SlotSpec &as, Where where);
SlotRef hold(Handle pipe, Int instance, const SlotSpec &as, Where where);
void copyIn(const SlotRef &slot, const View &view, Where where);
void copyPeer(const SlotRef &slot, int from, int count, Int to, Where where);
/// `add`: onto what the tensor holds.
void copyOut(const SlotRef &slot, const View &view, bool add, Where where);
} // namespace detail

/// A one-way buffer of `depth` slots. One role fills, the others take, in the
/// same order. The arrival kind (TMA bytes, MMA commit, threads) follows from
/// what the roles do with the slots.
template <class M> class Ring {
public:
  Ring(Handle pipe, SlotSpec spec, Int instance = 0)
      : pipe(pipe), spec(spec), instance(instance) {}

  /// A free slot to write; its release makes it full.
  Slot<M> fill(Where where = Where::current()) { return fillAs(spec, where); }
  /// The same with the slot written as another shape.
  Slot<M> fillAs(const SlotSpec &as, Where where = Where::current()) {
    return Slot<M>(detail::acquire(pipe, instance, 1, 0, 0, as, where), where);
  }
  /// The oldest full slot; its release makes it free.
  Slot<M> take(Where where = Where::current()) { return takeAs(spec, where); }
  /// The same with the slot read as another shape.
  Slot<M> takeAs(const SlotSpec &as, Where where = Where::current()) {
    return Slot<M>(detail::acquire(pipe, instance, 0, 1, 0, as, where), where);
  }
  /// Fills a slot by TMA.
  void put(const View &view, Where where = Where::current()) {
    putAs(spec, view, where);
  }
  void putAs(const SlotSpec &as, const View &view,
             Where where = Where::current()) {
    SlotRef slot = detail::acquire(pipe, instance, 1, 0, 0, as, where);
    detail::copyIn(slot, view, where);
    detail::release(slot, where);
  }
  /// Fills a slot with one value for each row.
  void put(Row row, Where where = Where::current()) {
    Slot<M> slot = fill(where);
    store(row, slot, where);
  }
  /// The ring of one copy of a role.
  Ring operator[](Int copy) const { return Ring(pipe, spec, copy); }

private:
  Handle pipe;
  SlotSpec spec;
  Int instance;
};

/// One side of a duplex: takes what the other side put, and puts back.
template <class M> class End {
public:
  End(Handle pipe, Int instance, bool near, SlotSpec in, SlotSpec out)
      : pipe(pipe), instance(instance), isNear(near), in(in), out(out) {}

  /// The buffer, once the other side gave it; its release gives it back.
  Slot<M> take(Where where = Where::current()) {
    return Slot<M>(
        detail::acquire(pipe, instance, edgeIn(), edgeOut(), 0, in, where),
        where);
  }
  /// The buffer, once the other side gave it; nothing is given back: this side
  /// puts into it later.
  Slot<M> claim(Where where = Where::current()) {
    return Slot<M>(detail::acquire(pipe, instance, edgeIn(), -1, 0, in, where),
                   where);
  }
  /// Part `chunk` of what the other side puts back in chunks.
  Slot<M> claimChunk(int chunk, Where where = Where::current()) {
    return Slot<M>(
        detail::acquire(pipe, instance, edgeIn(), -1, chunk, in, where), where);
  }
  /// The buffer that this side owns since it claimed it, or from the start;
  /// its release gives it to the other side.
  Slot<M> own(int chunk = 0, Where where = Where::current()) {
    SlotRef ref = detail::hold(pipe, instance, out, where);
    ref.edge = edgeOut();
    ref.part = chunk;
    return Slot<M>(ref, where);
  }
  /// Puts a product: d = a b.
  void put(const Product &product, Where where = Where::current()) {
    Slot<M> slot = own(0, where);
    multiply(slot, product, false, where);
  }

private:
  int edgeIn() const { return isNear ? 1 : 0; }
  int edgeOut() const { return isNear ? 0 : 1; }
  Handle pipe;
  Int instance;
  bool isNear;
  SlotSpec in, out;
};

/// One buffer that two roles own in turn: near first, then far, which gives it
/// back, possibly as another type in the same memory.
template <class M> class Duplex {
public:
  Duplex(Handle pipe, SlotSpec out, SlotSpec back)
      : pipe(pipe), outSpec(out), backSpec(back) {}
  End<M> near(Int copy = 0) const {
    return End<M>(pipe, copy, true, backSpec, outSpec);
  }
  End<M> far(Int copy = 0) const {
    return End<M>(pipe, copy, false, outSpec, backSpec);
  }
  Handle raw() const { return pipe; }

private:
  Handle pipe;
  SlotSpec outSpec, backSpec;
};

/// One of the owners of a cycle: takes what the owner before it put, and its
/// release hands the slot to the next.
template <class M> class Owner {
public:
  Owner(Handle pipe, SlotSpec spec, int edgeIn, int edgeOut)
      : pipe(pipe), spec(spec), edgeIn(edgeIn), edgeOut(edgeOut) {}
  Slot<M> take(Where where = Where::current()) { return takeAs(spec, where); }
  Slot<M> takeAs(const SlotSpec &as, Where where = Where::current()) {
    return Slot<M>(detail::acquire(pipe, 0, edgeIn, edgeOut, 0, as, where),
                   where);
  }
  /// Fills the slot by TMA.
  void put(const View &view, Where where = Where::current()) {
    SlotRef slot = detail::acquire(pipe, 0, edgeIn, edgeOut, 0, spec, where);
    detail::copyIn(slot, view, where);
    detail::release(slot, where);
  }

private:
  Handle pipe;
  SlotSpec spec;
  int edgeIn, edgeOut;
};

/// A buffer that passes through several owners in a circle, owner 0 first. A
/// role may be several of them: what it hands to itself it finds again later.
template <class M> class Cycle {
public:
  Cycle(Handle pipe, SlotSpec spec, int owners)
      : pipe(pipe), spec(spec), owners(owners) {}
  Owner<M> operator[](int owner) const {
    return Owner<M>(pipe, spec, (owner + owners - 1) % owners, owner);
  }

private:
  Handle pipe;
  SlotSpec spec;
  int owners;
};

/// Copies `count` rows of a slot, from row `from` on, into rows `to` and on of
/// the same slot in the peer CTA of a pair; the slot's release then hands over
/// the peer's. The slot is as wide as its swizzle pattern, rows come in eights.
inline void copyToPeer(const Slot<Smem> &slot, int from, int count, Int to,
                       Where where = Where::current()) {
  detail::copyPeer(slot.raw(), from, count, to, where);
}
/// Stores a taken slot to global memory by TMA.
inline void storeTo(const View &view, const Slot<Smem> &slot,
                    Where where = Where::current()) {
  detail::copyOut(slot.raw(), view, false, where);
}
/// Adds a taken slot of f32 to global memory by TMA; additions of several CTAs
/// to one element happen in any order.
inline void addTo(const View &view, const Slot<Smem> &slot,
                  Where where = Where::current()) {
  detail::copyOut(slot.raw(), view, true, where);
}

} // namespace tile
