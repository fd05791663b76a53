// The one exception type of the runtime: a mistake of its user.
#pragma once
#include <fmt/format.h>
#include <stdexcept>
#include <string>

namespace fa4 {

// Message: lower case, no full stop, says what and where with numbers. Callers
// that know more (a PTX line, a file) catch it and rethrow with that in front.
class Error : public std::runtime_error {
public:
  explicit Error(const std::string &message) : std::runtime_error(message) {}
};

template <typename... Args>
[[noreturn]] void fail(fmt::format_string<Args...> text, Args &&...args) {
  throw Error(fmt::format(text, std::forward<Args>(args)...));
}

} // namespace fa4
