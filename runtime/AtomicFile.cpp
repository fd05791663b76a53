#include "runtime/AtomicFile.h"

#include "runtime/Error.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <memory>

#include <unistd.h>

namespace fa4 {
namespace {

struct CloseFile {
  void operator()(std::FILE *file) const { std::fclose(file); }
};
using File = std::unique_ptr<std::FILE, CloseFile>;

std::string readInto(const std::string &path) {
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored))
    fail("can't read '{}': it is a directory", path);
  // It may have no end.
  if (std::filesystem::is_character_file(path, ignored))
    fail("can't read '{}': it is a device", path);
  File file(std::fopen(path.c_str(), "rb"));
  if (!file)
    fail("can't read '{}': {}", path, std::strerror(errno));
  std::string text;
  char buffer[1 << 16];
  while (std::size_t got = std::fread(buffer, 1, sizeof(buffer), file.get()))
    text.append(buffer, got);
  if (std::ferror(file.get()))
    fail("can't read '{}': {}", path, std::strerror(errno));
  return text;
}

} // namespace

void writeFile(const std::string &path,
               std::initializer_list<std::span<const std::byte>> parts) {
  // A device, a pipe or a link can't be replaced by a renamed file.
  std::error_code ignored;
  const auto status = std::filesystem::symlink_status(path, ignored);
  const bool replaces = !std::filesystem::exists(status) ||
                        std::filesystem::is_regular_file(status);
  const std::string target =
      replaces ? fmt::format("{}.tmp{}", path, ::getpid()) : path;
  File file(std::fopen(target.c_str(), "wb"));
  if (!file)
    fail("can't write '{}': {}", path, std::strerror(errno));
  bool good = true;
  for (std::span<const std::byte> part : parts)
    good = good && (part.empty() || std::fwrite(part.data(), 1, part.size(),
                                                file.get()) == part.size());
  good = std::fclose(file.release()) == 0 && good;
  if (replaces)
    good = good && std::rename(target.c_str(), path.c_str()) == 0;
  if (good)
    return;
  int reason = errno;
  if (replaces)
    std::remove(target.c_str());
  fail("can't write '{}': {}", path, std::strerror(reason));
}

std::vector<std::byte> readFile(const std::string &path) {
  std::string text = readInto(path);
  std::vector<std::byte> bytes(text.size());
  std::copy_n(reinterpret_cast<const std::byte *>(text.data()), text.size(),
              bytes.begin());
  return bytes;
}

std::string readTextFile(const std::string &path) { return readInto(path); }

} // namespace fa4
