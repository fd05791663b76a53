// A value that a loop carries: assigned in one iteration, read in the next.
#pragma once
#include "dsl/lang/Fragment.h"

namespace tile {

namespace detail {
Handle declareVariable(Handle init);
Handle readVariable(Handle variable);
void writeVariable(Handle variable, Handle value);
} // namespace detail

/// A mutable Row or Frag of a role. Becomes a register of the loop.
template <class T> class Carried {
public:
  explicit Carried(T init) : variable(detail::declareVariable(init.handle)) {}
  Carried(const Carried &) = delete;
  Carried &operator=(T value) {
    detail::writeVariable(variable, value.handle);
    return *this;
  }
  operator T() const { return T{detail::readVariable(variable)}; }
  T get() const { return *this; }

private:
  Handle variable;
};

} // namespace tile
