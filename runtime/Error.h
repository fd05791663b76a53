// The one exception type of the runtime: an error of the user or of its input.
#ifndef FA4_RUNTIME_ERROR_H
#define FA4_RUNTIME_ERROR_H

#include <fmt/format.h>

#include <stdexcept>
#include <utility>

namespace fa4 {

/// Says what is wrong and where, with numbers; lower case, no full stop.
class Error : public std::runtime_error {
public:
  using std::runtime_error::runtime_error;

  template <typename... Args>
  static Error format(fmt::format_string<Args...> text, Args &&...args) {
    return Error(fmt::format(text, std::forward<Args>(args)...));
  }
};

} // namespace fa4

#endif // FA4_RUNTIME_ERROR_H
