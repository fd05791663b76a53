// Order between CTAs: counters in global memory.
#pragma once
#include "dsl/lang/Int.h"

namespace tile {

/// Counters that are 0 when the kernel starts. For roles that are one thread.
/// With KernelBuilder::walkByTicket, a tile may wait for what tiles with
/// smaller indices post: those have been begun, so that it ends whatever the
/// number of CTAs that run at a time. Waiting for others may hang.
class Counters {
public:
  explicit Counters(Handle base) : base(base) {}
  /// Waits until counter `index` is `value`. All that others did before the
  /// posts that led there is done then, TMA stores and additions too.
  void wait(Int index, Int value, Where where = Where::current()) const;
  /// Adds 1 to counter `index`, once all that this role did is done.
  void post(Int index, Where where = Where::current()) const;

private:
  Handle base;
};

} // namespace tile
