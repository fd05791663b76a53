#include "runtime/Manifest.h"

#include "runtime/Error.h"
#include "runtime/ManifestReader.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <utility>

namespace fa4 {
namespace {

std::string valueText(const KeyValue &value) {
  if (const bool *truth = std::get_if<bool>(&value))
    return *truth ? "true" : "false";
  if (const int64_t *integer = std::get_if<int64_t>(&value))
    return std::to_string(*integer);
  return std::get<std::string>(value);
}

KeyValue withoutTruth(const KeyValue &value) {
  const bool *truth = std::get_if<bool>(&value);
  return truth ? KeyValue(int64_t(*truth)) : value;
}

bool agrees(const KernelEntry &kernel, const std::string &name,
            const KeyValue &wanted) {
  auto found = kernel.key.find(name);
  KeyValue has = found == kernel.key.end() ? KeyValue(false) : found->second;
  return withoutTruth(has) == withoutTruth(wanted);
}

/// Orders kernels that match: lower is better.
std::pair<std::ptrdiff_t, std::size_t> rankOf(const KernelEntry &kernel,
                                              const Key &preferred) {
  auto disagrees = [&](const auto &pair) {
    return !agrees(kernel, pair.first, pair.second);
  };
  return {std::count_if(preferred.begin(), preferred.end(), disagrees),
          kernel.key.size()};
}

/// How far a kernel's key is from the wanted one: 0 when it agrees, 1 for a
/// pair that differs, and a little more the further apart two numbers are.
double distance(const KernelEntry &kernel, const Key &wanted) {
  double sum = 0;
  for (const auto &[name, value] : wanted) {
    if (agrees(kernel, name, value))
      continue;
    auto found = kernel.key.find(name);
    const int64_t *want = std::get_if<int64_t>(&value);
    const int64_t *have = found == kernel.key.end()
                              ? nullptr
                              : std::get_if<int64_t>(&found->second);
    double apart = want && have ? std::abs(double(*want) - double(*have)) : 0;
    sum += 1 + apart / (1 + apart) / 16;
  }
  return sum;
}

std::string differences(const KernelEntry &kernel, const Key &wanted) {
  std::vector<std::string> texts;
  for (const auto &[name, value] : wanted) {
    if (agrees(kernel, name, value))
      continue;
    auto found = kernel.key.find(name);
    texts.push_back(fmt::format(
        "{} {} instead of {}", name,
        found == kernel.key.end() ? "absent" : valueText(found->second),
        valueText(value)));
  }
  return fmt::format("{}", fmt::join(texts, ", "));
}

} // namespace

std::string keyName(std::string flag) {
  std::replace(flag.begin(), flag.end(), '-', '_');
  return flag;
}

KeyValue keyValue(std::string_view text) {
  if (text == "true" || text == "false")
    return text == "true";
  int64_t number = 0;
  auto [end, code] =
      std::from_chars(text.data(), text.data() + text.size(), number);
  if (code == std::errc() && end == text.data() + text.size())
    return number;
  return std::string(text);
}

std::string keyText(const Key &key) {
  std::vector<std::string> texts;
  for (const auto &[name, value] : key)
    texts.push_back(fmt::format("{}={}", name, valueText(value)));
  return fmt::format("{}", fmt::join(texts, ", "));
}

const TensorSpec *KernelEntry::findTensor(std::string_view tensor) const {
  auto found =
      std::find_if(tensors.begin(), tensors.end(),
                   [&](const TensorSpec &spec) { return spec.name == tensor; });
  return found == tensors.end() ? nullptr : &*found;
}

Bundle Bundle::load(const std::string &directory) {
  Bundle bundle;
  bundle.path = (std::filesystem::path(directory) / "manifest.json").string();
  bundle.entries = readManifest(bundle.path);
  return bundle;
}

const KernelEntry &Bundle::select(const Selection &selection) const {
  for (const std::string &arch : selection.archs) {
    const KernelEntry *best = nullptr;
    for (const KernelEntry &kernel : entries) {
      if (kernel.op == selection.op && kernel.arch == arch &&
          distance(kernel, selection.key) == 0 &&
          (!best || rankOf(kernel, selection.preferred) <
                        rankOf(*best, selection.preferred)))
        best = &kernel;
    }
    if (best)
      return *best;
  }
  failWithNearest(selection);
}

void Bundle::failWithNearest(const Selection &selection) const {
  const KernelEntry *nearest = nullptr;
  bool knownOp = false;
  for (const std::string &arch : selection.archs) {
    for (const KernelEntry &kernel : entries) {
      knownOp = knownOp || kernel.op == selection.op;
      if (kernel.op == selection.op && kernel.arch == arch &&
          (!nearest ||
           distance(kernel, selection.key) < distance(*nearest, selection.key)))
        nearest = &kernel;
    }
  }
  std::string wanted = fmt::format("no kernel for {} with {} in '{}'",
                                   selection.op, keyText(selection.key), path);
  if (nearest)
    fail("{}; the nearest is '{}' ({})", wanted, nearest->name,
         differences(*nearest, selection.key));
  if (knownOp)
    fail("{}; none there is for {}", wanted,
         fmt::join(selection.archs, " or "));
  fail("{}; it has no kernel for {} at all", wanted, selection.op);
}

} // namespace fa4
