#include "runtime/ManifestReader.h"

#include "runtime/AtomicFile.h"
#include "runtime/Error.h"
#include "runtime/JsonField.h"

#include <filesystem>
#include <set>

namespace fa4 {
namespace {

constexpr int64_t supportedVersion = 1;
constexpr int64_t maximumShared = 1 << 20; // bytes; the device's own is lower
constexpr int64_t maximumBox = 256;        // of cuTensorMapEncodeTiled
constexpr std::size_t maximumRank = 5;

Expression expressionAt(const JsonField &field) {
  std::string text =
      field.json().is_number_integer() ? field.json().dump() : field.string();
  try {
    return Expression::parse(text);
  } catch (const Error &error) {
    fail("{}: {}", field.where(), error.what());
  }
}

Key readKey(const JsonField &field) {
  Key key;
  for (const auto &[name, value] : field.members()) {
    KeyValue &entry = key[keyName(name)];
    if (value.json().is_boolean())
      entry = value.boolean();
    else if (value.json().is_number_integer())
      entry = value.integer(INT64_MIN, INT64_MAX);
    else
      entry = value.string();
  }
  return key;
}

ElementType elementTypeAt(const JsonField &field) {
  std::optional<ElementType> type = elementTypeNamed(field.string());
  if (!type)
    field.reject("one of bf16 f16 f32 f64 i32 u32 u8");
  return *type;
}

TensorSpec readTensor(const JsonField &field) {
  constexpr std::string_view roles[] = {"input", "output", "inout", "scratch"};
  TensorSpec spec{field.at("name").string(),
                  static_cast<Role>(field.at("role").choice(roles)),
                  elementTypeAt(field.at("dtype")),
                  {},
                  false};
  for (const JsonField &dim : field.at("dims").elements())
    spec.dims.push_back(expressionAt(dim));
  if (auto zeroed = field.find("zeroed"))
    spec.zeroed = zeroed->boolean();
  return spec;
}

std::array<uint32_t, 3> readExtent(const JsonField &field) {
  std::vector<JsonField> elements = field.elements();
  if (elements.size() != 3)
    field.reject("three integers");
  std::array<uint32_t, 3> extent{};
  for (std::size_t i = 0; i < 3; ++i)
    extent[i] = static_cast<uint32_t>(elements[i].integer(1, 1024));
  return extent;
}

TensorMapParameter readTensorMap(const JsonField &field) {
  constexpr std::string_view swizzles[] = {"none", "32B", "64B", "128B"};
  constexpr std::string_view promotions[] = {"none", "64B", "128B", "256B"};
  constexpr uint32_t promotionBytes[] = {0, 64, 128, 256};
  TensorMapParameter map;
  map.tensor = field.at("tensor").string();
  for (const JsonField &dim : field.at("order").elements())
    map.order.push_back(static_cast<int>(dim.integer(0, 4)));
  for (const JsonField &size : field.at("box").elements())
    map.box.push_back(static_cast<uint32_t>(size.integer(1, maximumBox)));
  if (auto swizzle = field.find("swizzle"))
    map.swizzle = static_cast<MapSwizzle>(swizzle->choice(swizzles));
  if (auto promotion = field.find("l2_promotion"))
    map.l2Promotion = promotionBytes[promotion->choice(promotions)];
  return map;
}

Parameter readParameter(const JsonField &field) {
  constexpr std::string_view kinds[] = {"tensor_map", "pointer", "scalar"};
  constexpr std::string_view types[] = {"i32", "u32", "i64",
                                        "u64", "f32", "f64"};
  switch (field.at("kind").choice(kinds)) {
  case 0:
    return readTensorMap(field);
  case 1:
    return PointerParameter{field.at("tensor").string()};
  default:
    return ScalarParameter{
        static_cast<ScalarType>(field.at("type").choice(types)),
        expressionAt(field.at("value"))};
  }
}

/// What a manifest promises about one kernel, checked against itself.
class KernelValidator {
public:
  KernelValidator(const KernelEntry &kernel, const std::string &where)
      : kernel(kernel), where(where) {}

  void validate() {
    collectNames();
    for (const TensorSpec &spec : kernel.tensors)
      for (const Expression &dim : spec.dims)
        checkExpression(dim);
    for (const Expression &extent : kernel.grid)
      checkExpression(extent);
    for (std::size_t i = 0; i < kernel.params.size(); ++i)
      checkParameter(kernel.params[i], fmt::format("{}.params[{}]", where, i));
    if (kernel.ptxPath.empty() && kernel.cubinPath.empty())
      fail("{}: neither 'ptx' nor 'cubin' is there", where);
  }

private:
  void collectNames() {
    names = {kernel.scalars.begin(), kernel.scalars.end()};
    names.insert("sm_count");
    std::set<std::string> tensorNames;
    for (const TensorSpec &spec : kernel.tensors) {
      if (!tensorNames.insert(spec.name).second)
        fail("{}: two tensors are called '{}'", where, spec.name);
      if (spec.role == Role::Scratch)
        continue;
      for (const Expression &dim : spec.dims)
        if (std::optional<std::string> name = dim.plainName())
          names.insert(*name);
    }
  }

  void checkExpression(const Expression &expression) {
    for (const std::string &name : expression.names())
      if (!names.contains(name))
        fail("{}: '{}' in expression '{}' is no dim, scalar or sm_count", where,
             name, expression.text());
    for (const auto &[tensor, dim] : expression.tensors())
      if (dim >= static_cast<int64_t>(tensorNamed(tensor, where).dims.size()))
        fail("{}: tensor '{}' in expression '{}' has no dim {}", where, tensor,
             expression.text(), dim);
  }

  const TensorSpec &tensorNamed(const std::string &name,
                                const std::string &place) {
    const TensorSpec *spec = kernel.findTensor(name);
    if (!spec)
      fail("{}: no tensor is called '{}'", place, name);
    return *spec;
  }

  void checkParameter(const Parameter &parameter, const std::string &place) {
    if (auto *scalar = std::get_if<ScalarParameter>(&parameter))
      checkExpression(scalar->value);
    else if (auto *pointer = std::get_if<PointerParameter>(&parameter))
      tensorNamed(pointer->tensor, place);
    else
      checkMap(std::get<TensorMapParameter>(parameter), place);
  }

  void checkMap(const TensorMapParameter &map, const std::string &place) {
    std::size_t rank = tensorNamed(map.tensor, place).dims.size();
    if (rank == 0 || rank > maximumRank)
      fail("{}: tensor '{}' has {} dims, a tensor map takes 1 to 5", place,
           map.tensor, rank);
    if (map.box.size() != rank)
      fail("{}.box: {} sizes for a tensor of {} dims", place, map.box.size(),
           rank);
    std::vector<int> sorted = map.order;
    std::sort(sorted.begin(), sorted.end());
    for (std::size_t i = 0; i < rank; ++i)
      if (sorted.size() != rank || sorted[i] != static_cast<int>(i))
        fail("{}.order: not a permutation of the {} dims of '{}'", place, rank,
             map.tensor);
  }

  const KernelEntry &kernel;
  const std::string &where;
  std::set<std::string> names;
};

std::string filePath(const JsonField &field, std::string_view key,
                     const std::filesystem::path &directory) {
  auto name = field.find(key);
  return name ? (directory / name->string()).string() : std::string();
}

/// A report needs them, a launch doesn't: `resources` may be absent.
std::vector<RoleWarps> readRoles(const JsonField &kernel) {
  std::vector<RoleWarps> roles;
  auto resources = kernel.find("resources");
  auto list = resources ? resources->find("roles") : std::nullopt;
  if (!list)
    return roles;
  constexpr int64_t maximumWarps = 32;
  for (const JsonField &role : list->elements()) {
    roles.push_back(
        {role.at("name").string(),
         static_cast<uint32_t>(
             role.at("first_warp").integer(0, maximumWarps - 1)),
         static_cast<uint32_t>(role.at("warps").integer(1, maximumWarps))});
  }
  return roles;
}

KernelEntry readKernel(const JsonField &field,
                       const std::filesystem::path &directory) {
  KernelEntry kernel;
  kernel.name = field.at("name").string();
  kernel.op = field.at("op").string();
  kernel.arch = field.at("arch").string();
  kernel.entry = field.at("entry").string();
  kernel.key = readKey(field.at("key"));
  kernel.ptxPath = filePath(field, "ptx", directory);
  kernel.cubinPath = filePath(field, "cubin", directory);
  kernel.block = readExtent(field.at("block"));
  kernel.cluster = {1, 1, 1};
  if (auto cluster = field.find("cluster"))
    kernel.cluster = readExtent(*cluster);
  kernel.dynamicShared = static_cast<uint32_t>(
      field.at("dynamic_shared_bytes").integer(0, maximumShared));
  if (auto programmatic = field.find("programmatic_launch"))
    kernel.programmaticLaunch = programmatic->boolean();
  for (const JsonField &extent : field.at("grid").elements())
    kernel.grid.push_back(expressionAt(extent));
  if (kernel.grid.size() != 3)
    field.at("grid").reject("three expressions");
  for (const JsonField &tensor : field.at("tensors").elements())
    kernel.tensors.push_back(readTensor(tensor));
  if (auto scalars = field.find("scalars"))
    kernel.scalars = scalars->strings();
  for (const JsonField &parameter : field.at("params").elements())
    kernel.params.push_back(readParameter(parameter));
  kernel.roles = readRoles(field);
  return kernel;
}

nlohmann::json parseJson(const std::string &path) {
  try {
    return nlohmann::json::parse(readTextFile(path));
  } catch (const nlohmann::json::parse_error &error) {
    fail("'{}' is not JSON: error at byte {}", path, error.byte);
  }
}

} // namespace

std::vector<KernelEntry> readManifest(const std::string &path) {
  nlohmann::json json = parseJson(path);
  JsonField root(json, fmt::format("'{}'", path));
  int64_t version = root.at("version").integer(0, INT64_MAX);
  if (version != supportedVersion)
    fail("'{}' is a manifest of version {}, expected {}", path, version,
         supportedVersion);
  std::filesystem::path directory = std::filesystem::path(path).parent_path();
  std::vector<KernelEntry> kernels;
  for (const JsonField &field : root.at("kernels").elements()) {
    std::string name = field.at("name").string();
    JsonField named(field.json(), fmt::format("'{}', kernel '{}'", path, name));
    kernels.push_back(readKernel(named, directory));
    KernelValidator(kernels.back(), named.where()).validate();
  }
  return kernels;
}

} // namespace fa4
