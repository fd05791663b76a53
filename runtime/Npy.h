// NumPy's .npy files (versions 1 and 2, C order, little endian).
#pragma once

#include "runtime/ElementType.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace fa4 {

/// `type` is F16, F32, F64, I32, U32 or U8: what NumPy itself has.
struct NpyArray {
  ElementType type = ElementType::F32;
  std::vector<int64_t> shape;
  std::vector<std::byte> bytes; // C order

  int64_t elements() const;
  /// The elements as `wanted`, rounded where it is narrower. An array that
  /// already holds `wanted` is copied bit by bit.
  std::vector<std::byte> bytesAs(ElementType wanted) const;
  std::vector<float> floats() const;
};

/// Both throw fa4::Error that names the file and what is wrong with it.
NpyArray readNpy(const std::string &path);
void writeNpy(const std::string &path, const NpyArray &array);

/// Writes elements of any type; BF16 and F16 become F32 in the file.
void writeNpy(const std::string &path, ElementType type,
              std::span<const int64_t> shape, std::span<const std::byte> bytes);

/// Throws "'path' has shape (2, 3), expected (2, 4)" unless they are equal.
void expectShape(const std::string &path, const NpyArray &array,
                 std::span<const int64_t> shape);

/// "(2, 3)"; "(2,)" for one dim, as NumPy prints it.
std::string shapeText(std::span<const int64_t> shape);

} // namespace fa4
