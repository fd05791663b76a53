#include "runtime/ArgumentSpec.h"

#include "runtime/Error.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <span>

namespace fa4 {
namespace {

using Json = nlohmann::json;

[[noreturn]] void malformed(std::string_view text, std::string_view expected) {
  fail("argument '{}': expected {}", text, expected);
}

std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> parts;
  for (;;) {
    size_t at = text.find(separator);
    parts.emplace_back(text.substr(0, at));
    if (at == std::string_view::npos)
      return parts;
    text.remove_prefix(at + 1);
  }
}

template <typename T>
bool parseValue(std::string_view text, T &value, int base = 10) {
  auto result = [&] {
    if constexpr (std::is_floating_point_v<T>)
      return std::from_chars(text.data(), text.data() + text.size(), value);
    else
      return std::from_chars(text.data(), text.data() + text.size(), value,
                             base);
  }();
  return result.ec == std::errc() && result.ptr == text.data() + text.size();
}

ElementType parseType(std::string_view text, std::string_view name) {
  auto type = elementTypeNamed(name);
  if (!type || *type == ElementType::F64)
    malformed(text, "a type out of bf16, f16, f32, i32, u32, u8");
  return *type;
}

/// "bf16[2,128]"
void parseShape(std::string_view text, std::string_view part,
                TensorArgument &spec) {
  constexpr std::string_view form = "out:TYPE[DIMS]:FILE.npy";
  size_t open = part.find('[');
  if (open == std::string_view::npos || part.back() != ']')
    malformed(text, form);
  spec.type = parseType(text, part.substr(0, open));
  part = part.substr(open + 1, part.size() - open - 2);
  int64_t elements = 1;
  for (const std::string &dim : split(part, ',')) {
    int64_t value = 0;
    size_t first = dim.find_first_not_of(' ');
    if (first == std::string::npos ||
        !parseValue(std::string_view(dim).substr(first), value) || value < 0 ||
        (value > 0 && elements > (int64_t(1) << 36) / value))
      malformed(text, "dimensions such as [2,128]");
    elements *= value;
    spec.dims.push_back(value);
  }
}

std::vector<std::byte> bytesOf(const auto &value) {
  std::vector<std::byte> bytes(sizeof(value));
  std::memcpy(bytes.data(), &value, sizeof(value));
  return bytes;
}

template <typename T>
ScalarArgument parseScalar(std::string_view text, std::string_view value) {
  T parsed{};
  bool hexadecimal = value.starts_with("0x") && std::is_unsigned_v<T>;
  if (!(hexadecimal ? parseValue(value.substr(2), parsed, 16)
                    : parseValue(value, parsed)))
    malformed(text, "a number behind the colon");
  return {bytesOf(parsed)};
}

bool isTensor(std::string_view kind) {
  return kind == "in" || kind == "out" || kind == "inout" || kind == "zeros" ||
         kind == "arg";
}

TensorArgument parseTensor(std::string_view text) {
  auto parts = split(text, ':');
  TensorArgument spec;
  const std::string &kind = parts[0];
  if (kind == "in" && parts.size() == 3) {
    spec.inFile = parts[1];
    spec.type = parseType(text, parts[2]);
  } else if (kind == "out" && parts.size() == 3 && !parts[2].empty()) {
    spec.kind = TensorArgument::Kind::Out;
    parseShape(text, parts[1], spec);
    spec.outFile = parts[2];
  } else if (kind == "inout" && parts.size() == 4 && !parts[3].empty()) {
    spec.kind = TensorArgument::Kind::InOut;
    spec.inFile = parts[1];
    spec.type = parseType(text, parts[2]);
    spec.outFile = parts[3];
  } else if (kind == "zeros" && parts.size() == 2 &&
             parseValue(parts[1], spec.bytes) &&
             spec.bytes <= uint64_t(1) << 36) {
    spec.kind = TensorArgument::Kind::Zeros;
  } else if (kind == "arg" && parts.size() == 2 &&
             parseValue(parts[1], spec.argument)) {
    spec.kind = TensorArgument::Kind::SameAs;
  } else {
    malformed(text, "in:FILE.npy:TYPE, out:TYPE[DIMS]:FILE.npy, "
                    "inout:FILE.npy:TYPE:OUT.npy or zeros:BYTES");
  }
  return spec;
}

/// A number, or one of `names` by position.
uint32_t code(const Json &json, const char *key,
              std::span<const std::string_view> names, uint32_t fallback) {
  auto found = json.find(key);
  if (found == json.end())
    return fallback;
  if (found->is_number_unsigned() && found->get<uint64_t>() < names.size())
    return found->get<uint32_t>();
  if (found->is_string())
    for (uint32_t n = 0; n < names.size(); ++n)
      if (found->get<std::string>() == names[n])
        return n;
  std::string known;
  for (std::string_view name : names)
    known += fmt::format("{}{}", known.empty() ? "" : ", ", name);
  fail("tensor map: '{}' is {}, expected one of {}", key, found->dump(), known);
}

template <typename T>
std::vector<T> numbers(const Json &json, const char *key, bool required) {
  auto found = json.find(key);
  std::vector<T> result;
  if (found == json.end()) {
    if (required)
      fail("tensor map: '{}' is missing", key);
    return result;
  }
  bool valid = found->is_array() && found->size() <= 5;
  for (const Json &value : valid ? *found : Json::array()) {
    valid &= value.is_number_unsigned() &&
             value.get<uint64_t>() <= uint64_t(T(~T(0)));
    if (valid)
      result.push_back(value.get<T>());
  }
  if (!valid)
    fail("tensor map: '{}' is {}, expected a list of at most 5 unsigned "
         "numbers",
         key, found->dump());
  return result;
}

void checkKeys(const Json &json) {
  static constexpr std::string_view known[] = {
      "tensor",  "dtype",      "rank",       "dim",     "stride", "box",
      "swizzle", "elemStride", "interleave", "l2promo", "oobFill"};
  for (const auto &[key, value] : json.items())
    if (std::find(std::begin(known), std::end(known), key) == std::end(known))
      fail("tensor map: unknown key '{}'", key);
}

TensorMapArgument parseTensorMap(std::string_view text, std::string_view body) {
  static constexpr std::string_view types[] = {
      "u8",  "u16", "u32",  "i32",     "u64",  "s64",     "f16",
      "f32", "f64", "bf16", "f32_ftz", "tf32", "tf32_ftz"};
  static constexpr std::string_view swizzles[] = {
      "none",         "32B",           "64B",
      "128B",         "128B_ATOM_32B", "128B_ATOM_32B_FLIP_8B",
      "128B_ATOM_64B"};
  static constexpr std::string_view interleaves[] = {"none", "16B", "32B"};
  static constexpr std::string_view promotions[] = {"none", "64B", "128B",
                                                    "256B"};
  static constexpr std::string_view fills[] = {"zeros", "nan"};
  Json json = Json::parse(body, nullptr, false);
  if (!json.is_object())
    malformed(text, "a JSON object behind 'tmap:'");
  checkKeys(json);
  TensorMapArgument spec;
  if (!json.contains("tensor") || !json["tensor"].is_string())
    fail("tensor map: 'tensor' is missing");
  spec.tensor = parseTensor(json["tensor"].get<std::string>());
  // The element type is the tensor's unless the map states another.
  static constexpr uint32_t ofElement[] = {9, 6, 7, 8, 3, 2, 0};
  spec.type = code(json, "dtype", types,
                   ofElement[static_cast<size_t>(spec.tensor.type)]);
  spec.dims = numbers<uint64_t>(json, "dim", true);
  spec.strides = numbers<uint64_t>(json, "stride", spec.dims.size() > 1);
  spec.box = numbers<uint32_t>(json, "box", true);
  spec.elementStrides = numbers<uint32_t>(json, "elemStride", false);
  if (spec.elementStrides.empty())
    spec.elementStrides.assign(spec.dims.size(), 1);
  spec.interleave = code(json, "interleave", interleaves, 0);
  spec.swizzle = code(json, "swizzle", swizzles, 0);
  spec.l2Promotion = code(json, "l2promo", promotions, 0);
  spec.fill = code(json, "oobFill", fills, 0);
  const size_t rank = spec.dims.size();
  if (rank == 0 || spec.box.size() != rank || spec.strides.size() + 1 != rank ||
      spec.elementStrides.size() != rank) {
    fail("tensor map: {} dims need as many box sizes and element strides and "
         "one stride less; there are {}, {} and {}",
         rank, spec.box.size(), spec.elementStrides.size(),
         spec.strides.size());
  }
  if (json.contains("rank") && json["rank"] != rank)
    fail("tensor map: rank {} with {} dims", json["rank"].dump(), rank);
  return spec;
}

} // namespace

ArgumentSpec parseArgumentSpec(std::string_view text) {
  const size_t colon = text.find(':');
  const std::string_view kind = text.substr(0, colon);
  const std::string_view value =
      colon == std::string_view::npos ? "" : text.substr(colon + 1);
  if (text == "null")
    return ScalarArgument{bytesOf(uint64_t(0))};
  if (kind == "f32")
    return parseScalar<float>(text, value);
  if (kind == "i32")
    return parseScalar<int32_t>(text, value);
  if (kind == "u32")
    return parseScalar<uint32_t>(text, value);
  if (kind == "u64")
    return parseScalar<uint64_t>(text, value);
  if (kind == "tmap")
    return parseTensorMap(text, value);
  if (isTensor(kind) && kind != "arg")
    return parseTensor(text);
  malformed(text, "in:, out:, inout:, zeros:, f32:, i32:, u32:, u64:, null or "
                  "tmap:");
}

} // namespace fa4
