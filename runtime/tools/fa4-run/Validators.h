// What an option's text must be before CLI11 converts it.
#pragma once

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <charconv>
#include <limits>
#include <string>

namespace fa4 {

/// An integer that a T can hold: CLI11 alone clamps what is too large and takes
/// -1 for the largest unsigned number.
template <typename T> CLI::Validator integerOf() {
  return {[](std::string &text) -> std::string {
            T value{};
            const char *end = text.data() + text.size();
            const auto parsed = std::from_chars(text.data(), end, value);
            if (parsed.ec == std::errc() && parsed.ptr == end)
              return "";
            return fmt::format("'{}' is no integer from {} to {}", text,
                               std::numeric_limits<T>::min(),
                               std::numeric_limits<T>::max());
          },
          ""};
}

/// An option for an integer.
template <typename T>
CLI::Option *addInteger(CLI::App &app, const std::string &flag, T &target,
                        const std::string &help) {
  return app.add_option(flag, target, help)->check(integerOf<T>());
}

/// Not the empty string, which a shell's unset variable becomes.
inline CLI::Validator notEmpty() {
  return {[](std::string &text) -> std::string {
            return text.empty() ? "the value is empty" : "";
          },
          ""};
}

/// An option for a name or a path.
inline CLI::Option *addText(CLI::App &app, const std::string &flag,
                            std::string &target, const std::string &help) {
  return app.add_option(flag, target, help)->check(notEmpty());
}

} // namespace fa4
