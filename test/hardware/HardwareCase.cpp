#include "test/hardware/HardwareCase.h"

#include <fstream>
#include <iterator>
#include <map>
#include <stdexcept>

namespace fa4::hardware {
namespace {

std::string readFile(const std::string &path) {
  std::ifstream file(FA4_HARDWARE_FOLDER + ("/" + path), std::ios::binary);
  if (!file)
    throw std::runtime_error("cannot read " + path);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::vector<HardwareCase> readRecordedCases() {
  const nlohmann::json index =
      nlohmann::json::parse(readFile("expected/index.json"));
  const nlohmann::json leftOut =
      nlohmann::json::parse(readFile("left_out.json"));
  std::map<std::string, std::string> blobs;
  std::vector<HardwareCase> cases;
  for (const nlohmann::json &spec : caseList().at("cases")) {
    HardwareCase item{spec.at("family"), spec.at("name"), spec, {}, {}};
    const auto found = index.find(item.title());
    if (found == index.end() || leftOut.contains(item.title()))
      continue;
    if (found->contains("trap")) {
      item.trap = found->at("trap");
    } else {
      auto [blob, isNew] = blobs.try_emplace(item.family);
      if (isNew)
        blob->second = readFile("expected/" + item.family + ".bin");
      const auto *begin = reinterpret_cast<const std::byte *>(
          blob->second.data() + found->at("offset").get<std::size_t>());
      item.expected.assign(begin,
                           begin + found->at("bytes").get<std::size_t>());
    }
    cases.push_back(std::move(item));
  }
  return cases;
}

} // namespace

const nlohmann::json &caseList() {
  static const nlohmann::json list =
      nlohmann::json::parse(readFile("cases.json"));
  return list;
}

const nlohmann::json &measuredErrors() {
  static const nlohmann::json errors =
      nlohmann::json::parse(readFile("approximate.json"));
  return errors;
}

const std::vector<HardwareCase> &recordedCases() {
  static const std::vector<HardwareCase> cases = readRecordedCases();
  return cases;
}

} // namespace fa4::hardware
