#include "runtime/tools/fa4-emu/Redundant.h"

#include "runtime/AtomicFile.h"
#include "runtime/Error.h"

#include <charconv>
#include <fstream>
#include <sstream>

namespace fa4 {
namespace {

std::string trimmed(const std::string &text) {
  const size_t first = text.find_first_not_of(" \t\r");
  if (first == std::string::npos)
    return "";
  return text.substr(first, text.find_last_not_of(" \t\r") - first + 1);
}

} // namespace

const std::vector<std::string> &SiteNames::linesOf(const std::string &file) {
  const auto [at, fresh] = files.try_emplace(file);
  if (fresh) {
    std::ifstream in(file);
    for (std::string line; std::getline(in, line);)
      at->second.push_back(trimmed(line.substr(0, line.find("//"))));
  }
  return at->second;
}

std::string SiteNames::name(const emulator::MutationSite &site) {
  std::string place = fmt::format("line {}", site.ptxLine);
  if (!site.file.empty()) {
    const auto &lines = linesOf(site.file);
    place = site.line <= lines.size()
                ? lines[site.line - 1]
                : fmt::format("{}:{}", site.file, site.line);
  }
  return fmt::format("{} @ {}", site.change, place);
}

RedundantSites RedundantSites::load(const std::string &path) {
  std::istringstream in(readTextFile(path));
  RedundantSites sites;
  uint64_t number = 0;
  for (std::string line; std::getline(in, line);) {
    ++number;
    line = trimmed(line);
    if (line.empty() || line[0] == '#')
      continue;
    uint64_t count = 0;
    const char *end = line.data() + line.size();
    const auto parsed = std::from_chars(line.data(), end, count);
    const size_t reason = line.find(" # ");
    const auto begin = static_cast<size_t>(parsed.ptr - line.data());
    if (parsed.ec != std::errc() || count == 0 || reason == std::string::npos ||
        begin >= reason || line[begin] != ' ')
      fail("{}:{}: expected COUNT NAME # REASON", path, number);
    sites.left[trimmed(line.substr(begin, reason - begin))] += count;
  }
  return sites;
}

bool RedundantSites::take(const std::string &name) {
  const auto found = left.find(name);
  if (found == left.end() || found->second == 0)
    return false;
  --found->second;
  return true;
}

} // namespace fa4
