// Files that appear whole or not at all.
#pragma once

#include <cstddef>
#include <initializer_list>
#include <span>
#include <string>
#include <vector>

namespace fa4 {

/// Writes to a temporary file beside `path` and renames it. Throws fa4::Error
/// "can't write 'path': why"; nothing is left behind then. What is no regular
/// file (a device, a pipe, a link) is written through instead.
void writeFile(const std::string &path,
               std::initializer_list<std::span<const std::byte>> parts);

/// Throws fa4::Error "can't read 'path': why".
std::vector<std::byte> readFile(const std::string &path);
std::string readTextFile(const std::string &path);

} // namespace fa4
