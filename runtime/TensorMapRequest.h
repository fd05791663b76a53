// The arguments of cuTensorMapEncodeTiled, as far as manifests use them.
#pragma once

#include "runtime/ElementType.h"
#include "runtime/Manifest.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace fa4 {

/// Dim 0 is the innermost. strides[i] is the byte stride of dim i + 1. Element
/// strides are 1, no interleave, what is out of bounds reads as zero.
struct TensorMapRequest {
  ElementType type = ElementType::BF16;
  uint64_t address = 0;
  std::vector<uint64_t> dims;
  std::vector<uint64_t> strides; // one fewer than dims
  std::vector<uint32_t> box;     // elements
  MapSwizzle swizzle = MapSwizzle::None;
  uint32_t l2Promotion = 0; // bytes: 0, 64, 128, 256
};

struct alignas(64) EncodedTensorMap {
  std::array<std::byte, 128> bytes;
};

/// The driver's rules: address a multiple of 16, strides of 16 and below 2^40,
/// dims in 1..2^32, box in 1..256, its inner size a multiple of 16 bytes and
/// within the swizzle's span. Throws fa4::Error naming the rule that is broken.
void checkTensorMap(const TensorMapRequest &request);

} // namespace fa4
