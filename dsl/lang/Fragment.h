// Values in registers: fragments (a tile's elements) and rows (one per row).
#pragma once
#include "dsl/lang/Handle.h"
#include "dsl/lang/Int.h"
#include "dsl/lang/Types.h"

namespace tile {

/// A tile of T spread over the threads of a role.
template <class T> struct FragOf {
  Handle handle;
};
/// One T for each row of a tile.
template <class T> struct RowOf {
  Handle handle;
};
using Frag = FragOf<float>;
using Row = RowOf<float>;

/// A fragment rounded to the kernel's 16-bit type, to be stored.
struct Rounded {
  Handle handle;
};
/// Round to nearest even.
Rounded cast(DType type, Frag x, Where where = Where::current());

/// A scalar f32 parameter of the kernel.
struct Scalar {
  Handle handle;
};

#define TILE_BINARY(SYMBOL, ARITH)                                             \
  template <class T> FragOf<T> operator SYMBOL(FragOf<T> a, FragOf<T> b) {     \
    return {detail::arith(detail::Arith::ARITH, a.handle, b.handle)};          \
  }                                                                            \
  template <class T> FragOf<T> operator SYMBOL(FragOf<T> a, RowOf<T> b) {      \
    return {detail::arith(detail::Arith::ARITH, a.handle, b.handle)};          \
  }                                                                            \
  template <class T> RowOf<T> operator SYMBOL(RowOf<T> a, RowOf<T> b) {        \
    return {detail::arith(detail::Arith::ARITH, a.handle, b.handle)};          \
  }                                                                            \
  template <class T> FragOf<T> operator SYMBOL(FragOf<T> a, double b) {        \
    return {detail::arith(detail::Arith::ARITH, a.handle,                      \
                          detail::constantLike(a.handle, b))};                 \
  }                                                                            \
  template <class T> RowOf<T> operator SYMBOL(RowOf<T> a, double b) {          \
    return {detail::arith(detail::Arith::ARITH, a.handle,                      \
                          detail::constantLike(a.handle, b))};                 \
  }                                                                            \
  inline Frag operator SYMBOL(Frag a, Scalar b) {                              \
    return {detail::arith(detail::Arith::ARITH, a.handle, b.handle)};          \
  }                                                                            \
  inline Row operator SYMBOL(Row a, Scalar b) {                                \
    return {detail::arith(detail::Arith::ARITH, a.handle, b.handle)};          \
  }                                                                            \
  inline RowOf<int> operator SYMBOL(RowOf<int> a, Int b) {                     \
    return {detail::arith(detail::Arith::ARITH, a.handle,                      \
                          b.staged(*a.handle.recorder))};                      \
  }
TILE_BINARY(+, add)
TILE_BINARY(-, sub)
TILE_BINARY(*, mul)
#undef TILE_BINARY

#define TILE_COMPARE(SYMBOL, COMPARE)                                          \
  inline RowOf<bool> operator SYMBOL(RowOf<int> a, Int b) {                    \
    return {detail::compare(detail::Compare::COMPARE, a.handle,                \
                            b.staged(*a.handle.recorder))};                    \
  }                                                                            \
  template <class T> FragOf<bool> operator SYMBOL(FragOf<T> a, RowOf<T> b) {   \
    return {detail::compare(detail::Compare::COMPARE, a.handle, b.handle)};    \
  }                                                                            \
  template <class T> RowOf<bool> operator SYMBOL(RowOf<T> a, RowOf<T> b) {     \
    return {detail::compare(detail::Compare::COMPARE, a.handle, b.handle)};    \
  }                                                                            \
  template <class T> RowOf<bool> operator SYMBOL(RowOf<T> a, double b) {       \
    return {detail::compare(detail::Compare::COMPARE, a.handle,                \
                            detail::constantLike(a.handle, b))};               \
  }                                                                            \
  template <class T> FragOf<bool> operator SYMBOL(FragOf<T> a, double b) {     \
    return {detail::compare(detail::Compare::COMPARE, a.handle,                \
                            detail::constantLike(a.handle, b))};               \
  }
TILE_COMPARE(<, lt)
TILE_COMPARE(<=, le)
TILE_COMPARE(>=, ge)
TILE_COMPARE(>, gt)
TILE_COMPARE(==, eq)
#undef TILE_COMPARE

inline FragOf<bool> operator&&(FragOf<bool> a, FragOf<bool> b) {
  return {detail::arith(detail::Arith::land, a.handle, b.handle)};
}
inline FragOf<bool> operator||(FragOf<bool> a, FragOf<bool> b) {
  return {detail::arith(detail::Arith::lor, a.handle, b.handle)};
}
template <class T> RowOf<T> min(RowOf<T> a, RowOf<T> b) {
  return {detail::arith(detail::Arith::min, a.handle, b.handle)};
}
template <class T> RowOf<T> max(RowOf<T> a, RowOf<T> b) {
  return {detail::arith(detail::Arith::max, a.handle, b.handle)};
}
inline RowOf<int> min(RowOf<int> a, Int b) {
  return {detail::arith(detail::Arith::min, a.handle,
                        b.staged(*a.handle.recorder))};
}
inline Frag max(Frag a, double b) {
  return {detail::arith(detail::Arith::max, a.handle,
                        detail::constantLike(a.handle, b))};
}
/// Elementwise choice; a constant stands for every element.
inline Frag select(FragOf<bool> c, Frag a, double b) {
  return {
      detail::select(c.handle, a.handle, detail::constantLike(a.handle, b))};
}
inline RowOf<int> select(RowOf<bool> c, RowOf<int> a, Int b) {
  return {detail::select(c.handle, a.handle, b.staged(*a.handle.recorder))};
}
template <class T> RowOf<T> select(RowOf<bool> c, RowOf<T> a, RowOf<T> b) {
  return {detail::select(c.handle, a.handle, b.handle)};
}
template <class T> RowOf<T> select(RowOf<bool> c, double a, RowOf<T> b) {
  return {
      detail::select(c.handle, detail::constantLike(b.handle, a), b.handle)};
}
/// a * b + c, rounded once.
inline Frag fma(Frag a, Scalar b, Row c) {
  return {detail::fma(a.handle, b.handle, c.handle)};
}
inline Frag fma(Frag a, Scalar b, Frag c) {
  return {detail::fma(a.handle, b.handle, c.handle)};
}
inline Row fma(Row a, Scalar b, Row c) {
  return {detail::fma(a.handle, b.handle, c.handle)};
}
inline Row log2(Row x) { return {detail::approx("log2", x.handle)}; }
inline Row reciprocal(Row x) { return {detail::approx("rcp", x.handle)}; }
inline Frag tanh(Frag x) { return {detail::approx("tanh", x.handle)}; }
inline Frag reciprocal(Frag x) { return {detail::approx("rcp", x.handle)}; }

/// Which of 2^x's columns use the polynomial instead of MUFU: in columns
/// [begin, end) the last `share` of each `period`. share is even.
struct Exp2Split {
  int degree = 3;
  int share = 0;
  int period = 16;
  int begin = 0;
  int end = 0;
};
Frag exp2(Frag x, Exp2Split split = {}, Where where = Where::current());
Row exp2(Row x, Where where = Where::current());

/// Folds the columns of each row into `init`.
Row rowMax(Frag x, Row init, Where where = Where::current());
/// Each thread adds only what it holds of the row; `combined` adds up the
/// threads' parts.
Row rowSumPartial(Frag x, Row init, Where where = Where::current());
Row combined(Row partialSum, Where where = Where::current());

/// Columns [begin, begin + count) of a fragment.
Frag slice(Frag x, int begin, int count, Where where = Where::current());
/// Holds for the whole warp where a condition holds for one of its rows.
Bool any(RowOf<bool> condition, Where where = Where::current());

/// The column of each element; the row of each row.
FragOf<int> columnIndex(Frag like, Where where = Where::current());
RowOf<int> rowIndex(Row like, Where where = Where::current());
/// One integer for every row.
inline RowOf<int> everyRow(Int value, Row like) {
  return {detail::everywhere(value.staged(*like.handle.recorder), like.handle)};
}

} // namespace tile
