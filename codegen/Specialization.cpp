#include "codegen/Specialization.h"
#include "codegen/Target.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

namespace tile {
namespace {

std::string dims(std::pair<int, int> pair) {
  std::string text = std::to_string(pair.first);
  return pair.second == pair.first ? text
                                   : text + "," + std::to_string(pair.second);
}

/// "64, 96, 128" from a container and a way to spell an element.
template <class Range, class Spell>
std::string listed(const Range &range, Spell spell) {
  return llvm::join(llvm::map_range(range, spell), ", ");
}

llvm::Error unsupported(const KernelDefinition &kernel, llvm::StringRef what,
                        llvm::StringRef given, llvm::StringRef supported) {
  return llvm::createStringError("kernel '" + kernel.name + "' has no " + what +
                                 " '" + given + "'; it supports " + supported);
}

llvm::Error readArch(const KernelDefinition &kernel, llvm::StringRef text,
                     Request &request) {
  std::optional<Arch> arch = parseArch(text);
  if (!arch || !llvm::is_contained(kernel.archs, *arch))
    return unsupported(
        kernel, "architecture", text,
        listed(kernel.archs, [](Arch a) { return std::string(name(a)); }));
  request.arch = *arch;
  return llvm::Error::success();
}

llvm::Error readDtype(const KernelDefinition &kernel, llvm::StringRef text,
                      Request &request) {
  for (DType type : {DType::bf16, DType::f16}) {
    if (text == llvm::StringRef(name(type))) {
      request.dtype = type;
      return llvm::Error::success();
    }
  }
  return unsupported(kernel, "dtype", text, "bf16, f16");
}

llvm::Error readHeadDim(const KernelDefinition &kernel, llvm::StringRef text,
                        Request &request) {
  auto [first, second] = text.split(',');
  std::pair<int, int> pair;
  bool good = llvm::to_integer(first, pair.first, 10);
  if (!text.contains(','))
    pair.second = pair.first;
  else
    good &= llvm::to_integer(second, pair.second, 10);
  if (!good || !llvm::is_contained(kernel.headDims, pair))
    return unsupported(kernel, "head dim", text,
                       kernel.headDims.empty() ? std::string("none")
                                               : listed(kernel.headDims, dims));
  request.headDim = pair.first;
  request.headDimV = pair.second;
  return llvm::Error::success();
}

Request defaultRequest(const KernelDefinition &kernel) {
  Request request;
  if (!kernel.archs.empty())
    request.arch = kernel.archs.front();
  bool has128 = llvm::is_contained(kernel.headDims, std::make_pair(128, 128));
  if (!kernel.headDims.empty() && !has128)
    std::tie(request.headDim, request.headDimV) = kernel.headDims.front();
  return request;
}

/// Doubles the requests for each form: without its flag, and with it.
void addForms(const KernelDefinition &kernel, std::vector<Request> &requests) {
  for (const std::string &form : kernel.forms) {
    size_t count = requests.size();
    for (size_t i = 0; i < count; ++i) {
      requests.push_back(requests[i]);
      requests.back().schedule[form] = 1;
    }
  }
}

/// Every architecture, dtype, head dim, mask and form, with the default
/// schedule.
std::vector<Request> allRequests(const KernelDefinition &kernel) {
  Request request = defaultRequest(kernel);
  auto headDims = kernel.headDims;
  if (headDims.empty())
    headDims.push_back({request.headDim, request.headDimV});
  std::vector<Request> requests;
  for (int choice = 0; choice < 4 * int(headDims.size()); ++choice) {
    request.dtype = choice & 2 ? DType::f16 : DType::bf16;
    request.causal = choice & 1;
    std::tie(request.headDim, request.headDimV) = headDims[choice / 4];
    for (Arch arch : kernel.archs) {
      request.arch = arch;
      requests.push_back(request);
    }
  }
  addForms(kernel, requests);
  return requests;
}

llvm::Error checkRejection(const Specialization &specialization) {
  if (!specialization.kernel->reject)
    return llvm::Error::success();
  if (auto reason = specialization.kernel->reject(specialization.request))
    return llvm::createStringError("kernel '" + specialization.kernel->name +
                                   "' can't be built: " + *reason);
  return llvm::Error::success();
}

llvm::Expected<Specialization> parseSpecLine(const KernelRegistry &registry,
                                             llvm::StringRef line) {
  llvm::SmallVector<llvm::StringRef> words;
  llvm::SplitString(line, words);
  auto kernel = findKernel(registry, words.front());
  if (!kernel)
    return kernel.takeError();
  auto arguments = Arguments::parse(llvm::ArrayRef(words).drop_front(),
                                    specializationFlags(**kernel));
  if (!arguments)
    return arguments.takeError();
  return parseSpecialization(**kernel, *arguments);
}

} // namespace

std::string Specialization::name() const {
  std::string text = kernel->name + "_";
  for (char c : tile::name(request.arch))
    if (c != '_')
      text += c;
  text += "_" + std::string(tile::name(request.dtype));
  if (!kernel->headDims.empty()) {
    text += "_d" + std::to_string(request.headDim);
    if (request.headDimV != request.headDim)
      text += "x" + std::to_string(request.headDimV);
  }
  if (request.causal)
    text += "_causal";
  for (const auto &[flag, value] : request.schedule)
    text += "_" + flag + std::to_string(value);
  return text;
}

llvm::json::Object Specialization::key() const {
  llvm::json::Object key{{"kernel", kernel->name},
                         {"dtype", std::string(tile::name(request.dtype))},
                         {"causal", request.causal}};
  if (!kernel->headDims.empty()) {
    key["head_dim"] = request.headDim;
    key["head_dim_v"] = request.headDimV;
  }
  for (const auto &[flag, value] : request.schedule)
    key[flag] = value;
  return key;
}

std::vector<Flag> specializationFlags(const KernelDefinition &kernel) {
  using Value = Flag::Value;
  std::vector<Flag> flags = {
      {"arch", Value::required, "ARCH", "sm_100a or sm_90a"},
      {"dtype", Value::required, "TYPE", "bf16 or f16"},
      {"head-dim", Value::required, "D[,DV]", "head dims of Q and K, of V"},
      {"causal", Value::none, "", "bottom-right-aligned causal mask"}};
  for (const ScheduleFlag &flag : kernel.schedule)
    flags.push_back({flag.name, Value::optionalNumber, "N", flag.help});
  return flags;
}

llvm::Expected<const KernelDefinition *>
findKernel(const KernelRegistry &registry, llvm::StringRef name) {
  std::vector<std::string> names;
  for (const KernelDefinition &kernel : registry) {
    if (kernel.name == name)
      return &kernel;
    names.push_back(kernel.name);
  }
  std::string hint = nearestHint(name, names);
  if (hint.empty())
    hint = "; there are " + llvm::join(names, ", ");
  return llvm::createStringError("unknown kernel '" + name + "'" + hint);
}

llvm::Expected<Specialization>
parseSpecialization(const KernelDefinition &kernel,
                    const Arguments &arguments) {
  Specialization result{&kernel, defaultRequest(kernel)};
  using Reader =
      llvm::Error (*)(const KernelDefinition &, llvm::StringRef, Request &);
  const std::pair<const char *, Reader> readers[] = {
      {"arch", readArch}, {"dtype", readDtype}, {"head-dim", readHeadDim}};
  for (auto [flag, reader] : readers)
    if (std::optional<std::string> text = arguments.get(flag))
      if (llvm::Error error = reader(kernel, *text, result.request))
        return error;
  result.request.causal = arguments.has("causal");
  for (const ScheduleFlag &flag : kernel.schedule) {
    if (!arguments.has(flag.name))
      continue;
    llvm::Expected<int> value = arguments.number(flag.name, 0);
    if (!value)
      return value.takeError();
    result.request.schedule[flag.name] = *value;
  }
  if (llvm::Error error = checkRejection(result))
    return error;
  return result;
}

std::vector<Specialization> allSpecializations(const KernelRegistry &registry) {
  std::vector<Specialization> result;
  for (const KernelDefinition &kernel : registry) {
    for (const Request &request : allRequests(kernel))
      if (!kernel.reject || !kernel.reject(request))
        result.push_back({&kernel, request});
  }
  return result;
}

llvm::Expected<std::vector<Specialization>>
parseSpecFile(const KernelRegistry &registry, llvm::StringRef path,
              llvm::StringRef text) {
  std::vector<Specialization> result;
  int number = 0;
  for (llvm::StringRef line : llvm::split(text, '\n')) {
    ++number;
    llvm::StringRef content = line.split('#').first.trim();
    if (content.empty())
      continue;
    auto specialization = parseSpecLine(registry, content);
    if (!specialization)
      return llvm::createStringError(
          path + ":" + llvm::Twine(number) + ": " +
          llvm::toString(specialization.takeError()));
    result.push_back(*specialization);
  }
  return result;
}

} // namespace tile
