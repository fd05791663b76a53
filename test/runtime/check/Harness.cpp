#include "Harness.h"
#include "runtime/Error.h"
#include "runtime/emulator/NumberFormats.h"
#include "runtime/emulator/TensorMap.h"
#include <algorithm>
#include <cstring>
#include <fstream>
#include <sstream>

namespace fa4::emulator::test {
namespace {

constexpr uint64_t rows = 512, rowBytes = 128;

std::vector<std::string> readLines(const std::string &kernel) {
  const std::string path = std::string(FA4_CHECK_KERNELS) + "/" + kernel;
  std::ifstream in(path);
  if (!in)
    fail("cannot read {}", path);
  std::vector<std::string> lines;
  for (std::string line; std::getline(in, line);)
    lines.push_back(line);
  return lines;
}

bool isTagged(const std::string &line, const std::string &tag) {
  const size_t at = line.find("//@");
  return at != std::string::npos && line.substr(at + 3) == tag;
}

void apply(const Edit &edit, std::vector<std::string> &lines) {
  std::string tag = edit.tag;
  size_t insert = std::string::npos; // offset from the tagged line
  if (tag.starts_with("before ") || tag.starts_with("after ")) {
    insert = tag.starts_with("after ");
    tag = tag.substr(tag.find(' ') + 1);
  }
  const auto tagged = [&](const std::string &line) {
    return isTagged(line, tag);
  };
  const auto at = std::find_if(lines.begin(), lines.end(), tagged);
  if (at == lines.end())
    fail("no line is tagged '{}'", tag);
  if (insert != std::string::npos)
    lines.insert(at + std::ptrdiff_t(insert), edit.line);
  else if (edit.line.empty())
    std::erase_if(lines, tagged);
  else
    *at = edit.line;
}

TensorMap mapOver(uint64_t address) {
  TensorMapArguments map;
  map.rank = 2;
  map.address = address;
  map.dims = {64, rows};
  map.strides = {rowBytes};
  map.box = {64, 64};
  map.swizzle = Swizzle::Span128;
  return encodeTiled(map);
}

template <typename T> std::vector<std::byte> bytesOf(const T &value) {
  std::vector<std::byte> bytes(sizeof value);
  std::memcpy(bytes.data(), &value, sizeof value);
  return bytes;
}

} // namespace

LaunchResult runChecked(const CheckRun &run) {
  std::vector<std::string> lines = readLines(run.kernel + ".ptx");
  for (const Edit &edit : run.edits)
    apply(edit, lines);
  std::string text;
  for (const std::string &line : lines)
    text += line + "\n";
  const Module module = Module::parse(text, run.kernel + ".ptx");
  GlobalMemory memory;
  const uint64_t in = memory.allocate(rows * rowBytes, "in");
  const uint64_t out = memory.allocate(rows * rowBytes, "out");
  memory.write(in, std::vector<std::byte>(rows * rowBytes));
  LaunchConfig config;
  config.entry = "k";
  config.block = module.entry("k").block;
  config.grid = module.entry("k").cluster;
  if (config.grid.count() == 0)
    config.grid = {1, 1, 1};
  config.grid.x *= run.clusters;
  config.parameters = {bytesOf(in), bytesOf(out), bytesOf(mapOver(in)),
                       bytesOf(mapOver(out))};
  Options options;
  options.schedule = run.schedule;
  options.seed = run.seed;
  options.stepLimit = 200000;
  options.checks = {true, true, true, true, true, true, run.strict};
  return launch(module, memory, config, options);
}

std::string textOf(const LaunchResult &result) {
  std::string text;
  for (const Report &report : result.reports)
    text += report.text() + "\n";
  return text;
}

} // namespace fa4::emulator::test
