#include "runtime/JsonField.h"

#include "runtime/Error.h"

namespace fa4 {

JsonField JsonField::at(std::string_view key) const {
  std::optional<JsonField> found = find(key);
  if (!found)
    fail("{}: no field '{}'", path, key);
  return *found;
}

std::optional<JsonField> JsonField::find(std::string_view key) const {
  if (!value->is_object())
    reject("an object");
  auto found = value->find(key);
  if (found == value->end())
    return std::nullopt;
  return JsonField(*found, fmt::format("{}.{}", path, key));
}

std::vector<JsonField> JsonField::elements() const {
  if (!value->is_array())
    reject("an array");
  std::vector<JsonField> fields;
  for (std::size_t i = 0; i < value->size(); ++i)
    fields.emplace_back((*value)[i], fmt::format("{}[{}]", path, i));
  return fields;
}

std::vector<std::pair<std::string, JsonField>> JsonField::members() const {
  if (!value->is_object())
    reject("an object");
  std::vector<std::pair<std::string, JsonField>> fields;
  for (const auto &[key, member] : value->items())
    fields.emplace_back(key,
                        JsonField(member, fmt::format("{}.{}", path, key)));
  return fields;
}

std::string JsonField::string() const {
  if (!value->is_string())
    reject("a string");
  return value->get<std::string>();
}

bool JsonField::boolean() const {
  if (!value->is_boolean())
    reject("true or false");
  return value->get<bool>();
}

int64_t JsonField::integer(int64_t minimum, int64_t maximum) const {
  bool fits = value->is_number_integer() &&
              !(value->is_number_unsigned() &&
                value->get<uint64_t>() > static_cast<uint64_t>(INT64_MAX));
  int64_t number = fits ? value->get<int64_t>() : 0;
  if (!fits || number < minimum || number > maximum)
    reject(fmt::format("an integer in {}..{}", minimum, maximum));
  return number;
}

std::vector<std::string> JsonField::strings() const {
  std::vector<std::string> texts;
  for (const JsonField &element : elements())
    texts.push_back(element.string());
  return texts;
}

std::size_t JsonField::choice(std::span<const std::string_view> names) const {
  if (value->is_string())
    for (std::size_t i = 0; i < names.size(); ++i)
      if (value->get_ref<const std::string &>() == names[i])
        return i;
  reject(fmt::format("one of {}", fmt::join(names, " ")));
}

void JsonField::reject(std::string_view expected) const {
  std::string found = value->dump();
  if (found.size() > 40)
    found = found.substr(0, 40) + "...";
  fail("{}: expected {}, found {}", path, expected, found);
}

} // namespace fa4
