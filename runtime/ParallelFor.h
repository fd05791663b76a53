// Independent pieces of work on a few threads.
#pragma once
#include <cstdint>
#include <functional>

namespace fa4 {

/// Calls body(i) once for each i in [0, count), in any order, on up to
/// `threads` threads. An exception of the body is rethrown here.
void parallelFor(int64_t count, unsigned threads,
                 const std::function<void(int64_t)> &body);

} // namespace fa4
