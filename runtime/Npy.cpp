#include "runtime/Npy.h"

#include "runtime/AtomicFile.h"
#include "runtime/Error.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>
#include <string_view>

namespace fa4 {
namespace {

struct Descriptor {
  ElementType type;
  std::string_view text;
};

constexpr std::array<Descriptor, 6> descriptors = {{
    {ElementType::F16, "<f2"},
    {ElementType::F32, "<f4"},
    {ElementType::F64, "<f8"},
    {ElementType::I32, "<i4"},
    {ElementType::U32, "<u4"},
    {ElementType::U8, "|u1"},
}};

constexpr std::string_view magic("\x93NUMPY", 6);
constexpr std::size_t dataAlignment = 64;
constexpr int64_t maximumElements = int64_t(1) << 40;

/// Walks the header, a Python dictionary literal of three known keys.
class Header {
public:
  Header(std::string_view text, const std::string &path)
      : text(text), path(path) {}

  std::string_view stringValue(std::string_view key) {
    std::size_t at = valueOf(key);
    char quote = at < text.size() ? text[at] : '\0';
    std::size_t end = text.find(quote, at + 1);
    if ((quote != '\'' && quote != '"') || end == std::string_view::npos)
      fail("'{}' has no plain '{}' in its header (structured "
           "arrays are not supported)",
           path, key);
    return text.substr(at + 1, end - at - 1);
  }

  bool boolValue(std::string_view key) {
    return text.substr(valueOf(key)).starts_with("True");
  }

  std::vector<int64_t> shapeValue() {
    std::size_t at = valueOf("shape");
    std::size_t end = text.find(')', at);
    if (at >= text.size() || text[at] != '(' || end == std::string_view::npos)
      fail("'{}' has a malformed shape in its header", path);
    std::vector<int64_t> shape;
    const char *begin = text.data() + at + 1, *last = text.data() + end;
    while (true) {
      begin = std::find_if(begin, last,
                           [](char c) { return c != ' ' && c != ','; });
      if (begin == last)
        return shape;
      int64_t dim = 0;
      auto [next, code] = std::from_chars(begin, last, dim);
      if (code != std::errc() || dim < 0)
        fail("'{}' has a malformed shape in its header", path);
      shape.push_back(dim);
      begin = next;
    }
  }

private:
  std::size_t valueOf(std::string_view key) {
    std::size_t at = text.find(fmt::format("'{}'", key));
    std::size_t colon = at == std::string_view::npos ? at : text.find(':', at);
    std::size_t value = colon == std::string_view::npos
                            ? colon
                            : text.find_first_not_of(' ', colon + 1);
    if (value == std::string_view::npos)
      fail("'{}' has no '{}' in its header", path, key);
    return value;
  }

  std::string_view text;
  const std::string &path;
};

ElementType parseDescriptor(std::string_view text, const std::string &path) {
  for (const Descriptor &descriptor : descriptors)
    if (descriptor.text == text)
      return descriptor.type;
  fail("'{}' has dtype '{}', expected one of <f2 <f4 <f8 <i4 "
       "<u4 |u1",
       path, text);
}

/// Where the header's text begins and its length, from the fixed part.
std::pair<std::size_t, std::size_t> headerRange(std::span<const std::byte> file,
                                                const std::string &path) {
  if (file.size() < 10 ||
      std::memcmp(file.data(), magic.data(), magic.size()) != 0)
    fail("'{}' is not a .npy file", path);
  unsigned version = std::to_integer<unsigned>(file[6]);
  if (version < 1 || version > 2)
    fail("'{}' is a .npy file of version {}, expected 1 or 2", path, version);
  std::size_t lengthBytes = version == 1 ? 2 : 4;
  std::size_t begin = 8 + lengthBytes, length = 0;
  if (file.size() >= begin)
    std::memcpy(&length, file.data() + 8, lengthBytes);
  if (file.size() < begin || file.size() - begin < length)
    fail("'{}' is truncated in its header", path);
  return {begin, length};
}

int64_t product(std::span<const int64_t> shape, const std::string &path) {
  int64_t count = 1;
  for (int64_t dim : shape) {
    if (dim != 0 && count > maximumElements / dim)
      fail("'{}' has shape {}: more than 2^40 elements", path,
           shapeText(shape));
    count *= dim;
  }
  return count;
}

} // namespace

int64_t NpyArray::elements() const {
  return static_cast<int64_t>(bytes.size() / elementSize(type));
}

std::vector<float> NpyArray::floats() const {
  return decodeElements(type, bytes);
}

std::vector<std::byte> NpyArray::bytesAs(ElementType wanted) const {
  return wanted == type ? bytes : encodeElements(wanted, floats());
}

NpyArray readNpy(const std::string &path) {
  std::vector<std::byte> file = readFile(path);
  auto [begin, length] = headerRange(file, path);
  Header header({reinterpret_cast<const char *>(file.data()) + begin, length},
                path);
  NpyArray array;
  array.type = parseDescriptor(header.stringValue("descr"), path);
  if (header.boolValue("fortran_order"))
    fail("'{}' is in Fortran order, expected C order", path);
  array.shape = header.shapeValue();
  std::size_t wanted = static_cast<std::size_t>(product(array.shape, path)) *
                       elementSize(array.type);
  std::size_t got = file.size() - begin - length;
  if (got != wanted)
    fail("'{}' has {} bytes of data, expected {} for shape {}", path, got,
         wanted, shapeText(array.shape));
  array.bytes.assign(file.end() - static_cast<std::ptrdiff_t>(got), file.end());
  return array;
}

void writeNpy(const std::string &path, const NpyArray &array) {
  writeNpy(path, array.type, array.shape, array.bytes);
}

void writeNpy(const std::string &path, ElementType type,
              std::span<const int64_t> shape,
              std::span<const std::byte> bytes) {
  if (type == ElementType::BF16 || type == ElementType::F16) {
    std::vector<float> wide = decodeElements(type, bytes);
    return writeNpy(path, ElementType::F32, shape,
                    std::as_bytes(std::span<const float>(wide)));
  }
  auto descriptor =
      std::find_if(descriptors.begin(), descriptors.end(),
                   [&](const Descriptor &d) { return d.type == type; });
  std::string header =
      fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': {}, }}",
                  descriptor->text, shapeText(shape));
  std::size_t used = magic.size() + 4 + header.size() + 1;
  header.append((dataAlignment - used % dataAlignment) % dataAlignment, ' ');
  header += '\n';
  std::string start(magic);
  start += {'\x01', '\x00', static_cast<char>(header.size() & 0xff),
            static_cast<char>(header.size() >> 8)};
  start += header;
  writeFile(path, {std::as_bytes(std::span(start)), bytes});
}

void expectShape(const std::string &path, const NpyArray &array,
                 std::span<const int64_t> shape) {
  if (!std::equal(shape.begin(), shape.end(), array.shape.begin(),
                  array.shape.end()))
    fail("'{}' has shape {}, expected {}", path, shapeText(array.shape),
         shapeText(shape));
}

std::string shapeText(std::span<const int64_t> shape) {
  if (shape.size() == 1)
    return fmt::format("({},)", shape[0]);
  return fmt::format("({})", fmt::join(shape, ", "));
}

} // namespace fa4
