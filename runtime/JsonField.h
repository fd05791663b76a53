// Reads JSON fields with errors that say where they are.
#pragma once

#include <nlohmann/json.hpp>

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace fa4 {

/// A JSON value and the path that led to it. Every reader throws fa4::Error
/// "PATH: expected ..., found ..." when the value is something else.
class JsonField {
public:
  JsonField(const nlohmann::json &value, std::string path)
      : value(&value), path(std::move(path)) {}

  JsonField at(std::string_view key) const; // must be there
  std::optional<JsonField> find(std::string_view key) const;
  std::vector<JsonField> elements() const;
  std::vector<std::pair<std::string, JsonField>> members() const;

  std::string string() const;
  bool boolean() const;
  int64_t integer(int64_t minimum, int64_t maximum) const;
  std::vector<std::string> strings() const;
  /// One of `names`, by its index.
  std::size_t choice(std::span<const std::string_view> names) const;

  const nlohmann::json &json() const { return *value; }
  [[noreturn]] void reject(std::string_view expected) const;
  const std::string &where() const { return path; }

private:
  const nlohmann::json *value;
  std::string path;
};

} // namespace fa4
