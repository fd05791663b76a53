// Staged 32-bit integers and conditions: indices, trip counts, coordinates.
#pragma once
#include "dsl/lang/Handle.h"

namespace tile {

/// A signed 32-bit integer, known to the host (an int) or only to the kernel.
/// Arithmetic on host integers happens on the host.
class Int {
public:
  Int(int constant = 0) : host(constant) {}
  explicit Int(Handle staged) : handle(staged) {}

  bool isHost() const { return !handle; }
  int hostValue() const { return host; }
  /// The recorded value; a host integer becomes a constant of `recorder`.
  Handle staged(Recorder &recorder) const;
  Handle stagedOrEmpty() const { return handle; }

private:
  Handle handle;
  int host = 0;
};

/// A condition, known to the host or only to the kernel.
class Bool {
public:
  Bool(bool constant = false) : host(constant) {}
  explicit Bool(Handle staged) : handle(staged) {}
  bool isHost() const { return !handle; }
  bool hostValue() const { return host; }
  Handle staged(Recorder &recorder) const;
  Handle stagedOrEmpty() const { return handle; }

private:
  Handle handle;
  bool host = false;
};

Int operator+(Int a, Int b);
Int operator-(Int a, Int b);
Int operator*(Int a, Int b);
/// Rounds toward zero, like C++.
Int operator/(Int a, Int b);
Int operator%(Int a, Int b);
Int min(Int a, Int b);
Int max(Int a, Int b);
Bool operator<(Int a, Int b);
Bool operator<=(Int a, Int b);
Bool operator==(Int a, Int b);
Bool operator!=(Int a, Int b);
Int select(Bool condition, Int a, Int b);
/// For a >= 0: a / b rounded up.
inline Int ceilDiv(Int a, Int b) { return (a + b - 1) / b; }

} // namespace tile
