// Binds a case's arguments to emulator memory and launches it.
#include "runtime/emulator/TensorMap.h"
#include "test/hardware/HardwareCase.h"
#include "test/hardware/InputFormula.h"

#include <algorithm>
#include <cstring>
#include <fstream>
#include <map>
#include <stdexcept>

namespace fa4::hardware {
namespace {

using Bytes = std::vector<std::byte>;

constexpr std::array<const char *, 13> typeNames = {
    "u8",  "u16", "u32",  "s32",    "u64",  "s64",    "f16",
    "f32", "f64", "bf16", "f32ftz", "tf32", "tf32ftz"};
constexpr std::array<const char *, 4> swizzleNames = {"none", "32B", "64B",
                                                      "128B"};

template <typename Names>
int indexOf(const Names &names, std::string_view name) {
  const auto found = std::find(names.begin(), names.end(), name);
  if (found == names.end())
    throw std::runtime_error("unknown name " + std::string(name));
  return int(found - names.begin());
}

template <typename T> Bytes bytesOf(const T &value) {
  Bytes bytes(sizeof value);
  std::memcpy(bytes.data(), &value, sizeof value);
  return bytes;
}

template <typename Target>
void copyList(const nlohmann::json &list, Target &target) {
  for (std::size_t i = 0; i < list.size(); ++i)
    list[i].get_to(target[i]);
}

std::string field(const std::string &spec, std::size_t position) {
  std::size_t start = 0;
  for (; position > 0; --position)
    start = spec.find(':', start) + 1;
  return spec.substr(start, spec.find(':', start) - start);
}

class Arguments {
public:
  Arguments(const HardwareCase &item, emulator::GlobalMemory &memory)
      : item(item), memory(memory) {
    for (const std::string spec : item.spec.at("args"))
      parameters.push_back(parameter(spec));
  }

  Bytes outputs() const {
    Bytes all;
    for (const auto &[address, size] : outputRanges) {
      all.resize(all.size() + size);
      memory.read(address, std::span(all).last(size));
    }
    return all;
  }

  std::vector<Bytes> parameters;

private:
  Bytes parameter(const std::string &spec) {
    const std::string kind = field(spec, 0);
    if (kind == "tmap")
      return tensorMap(nlohmann::json::parse(spec.substr(5)));
    if (kind == "in" || kind == "out" || kind == "inout")
      return bytesOf(buffer(spec));
    if (kind == "zeros")
      return bytesOf(place(Bytes(std::stoul(field(spec, 1)))));
    if (kind == "i32")
      return bytesOf(int32_t(std::stol(field(spec, 1))));
    if (kind == "u64")
      return bytesOf(uint64_t(std::stoull(field(spec, 1))));
    throw std::runtime_error("unknown argument " + spec);
  }

  uint64_t place(const Bytes &data) {
    const uint64_t address = memory.allocate(
        data.size(), "argument " + std::to_string(parameters.size()));
    memory.write(address, data);
    return address;
  }

  uint64_t buffer(const std::string &spec) {
    const std::string kind = field(spec, 0), name = field(spec, 1);
    Bytes data;
    if (kind == "out")
      data.assign(std::stoul(name.substr(name.find('[') + 1)) * 4,
                  std::byte(0xFF));
    else
      data = makeInput(item.spec.at("files").at(name), caseList().at("values"));
    const uint64_t address = place(data);
    if (kind != "in")
      outputRanges.emplace_back(address, data.size());
    return address;
  }

  Bytes tensorMap(const nlohmann::json &spec) {
    emulator::TensorMapArguments map;
    map.address = buffer(spec.at("tensor"));
    map.type = emulator::TensorType(
        indexOf(typeNames, spec.at("dtype").get<std::string>()));
    map.rank = uint32_t(spec.at("dims").size());
    copyList(spec.at("dims"), map.dims);
    copyList(spec.at("strides"), map.strides);
    copyList(spec.at("box"), map.box);
    copyList(spec.at("elementStrides"), map.elementStrides);
    map.swizzle = emulator::Swizzle(
        indexOf(swizzleNames, spec.at("swizzle").get<std::string>()));
    map.fill = spec.at("oobFill") == "nan" ? 1 : 0;
    return bytesOf(emulator::encodeTiled(map));
  }

  const HardwareCase &item;
  emulator::GlobalMemory &memory;
  std::vector<std::pair<uint64_t, std::size_t>> outputRanges;
};

// The file's directives and one entry, at its own line numbers: a case depends
// on no instruction but its own kernel's.
std::string entryText(const std::string &path, const std::string &entry) {
  std::ifstream file(FA4_HARDWARE_FOLDER + ("/" + path));
  std::string text, line;
  bool inHead = true, wanted = false;
  while (std::getline(file, line)) {
    if (line.starts_with(".visible .entry ")) {
      inHead = false;
      wanted = line == ".visible .entry " + entry + "(";
    }
    text += inHead || wanted ? line + "\n" : "\n";
  }
  return text;
}

const emulator::Module &moduleOf(const HardwareCase &item) {
  static std::map<std::pair<std::string, std::string>, emulator::Module>
      modules;
  const std::string path = item.spec.at("ptx"), entry = item.spec.at("entry");
  auto found = modules.find({path, entry});
  if (found == modules.end())
    found = modules
                .emplace(std::pair(path, entry),
                         emulator::Module::parse(entryText(path, entry), path))
                .first;
  return found->second;
}

emulator::Dim3 dimensions(const nlohmann::json &list) {
  return {list[0], list[1], list[2]};
}

} // namespace

Outcome runOnEmulator(const HardwareCase &item,
                      const emulator::Options &options) {
  emulator::GlobalMemory memory;
  Arguments arguments(item, memory);
  emulator::LaunchConfig config;
  config.entry = item.spec.at("entry");
  config.grid = dimensions(item.spec.at("grid"));
  config.block = dimensions(item.spec.at("block"));
  config.cluster = dimensions(item.spec.at("cluster"));
  config.dynamicShared = item.spec.at("shared");
  config.parameters = arguments.parameters;
  Outcome outcome;
  outcome.result = emulator::launch(moduleOf(item), memory, config, options);
  outcome.outputs = arguments.outputs();
  return outcome;
}

} // namespace fa4::hardware
