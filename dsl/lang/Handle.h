// What a DSL value is to the host program: a name for something recorded.
#pragma once
#include <source_location>

namespace tile {

/// Where the author wrote a verb; every verb has one defaulted parameter.
using Where = std::source_location;

class Recorder;

/// A recorded value. Copies name the same value. Empty until assigned.
struct Handle {
  Recorder *recorder = nullptr;
  const void *value = nullptr;
  explicit operator bool() const { return value != nullptr; }
};

namespace detail {
enum class Arith { add, sub, mul, div, rem, min, max, land, lor };
enum class Compare { lt, le, eq, ne, ge, gt };

/// Elementwise; a per-row value or a scalar is broadcast to a fragment. Both
/// sides have the same element type.
Handle arith(Arith op, Handle a, Handle b);
Handle compare(Compare op, Handle a, Handle b);
/// A constant with the type of `like`.
Handle constantLike(Handle like, double value);
Handle select(Handle condition, Handle a, Handle b);
Handle fma(Handle a, Handle b, Handle c);
/// `log2`, `rcp`, `tanh`: MUFU functions, elementwise.
Handle approx(const char *function, Handle x);
/// A scalar for every row of `like`, or for every element.
Handle everywhere(Handle scalar, Handle like);
} // namespace detail

} // namespace tile
