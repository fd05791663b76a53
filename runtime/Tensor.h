// A strided tensor in device memory.
#pragma once

#include "runtime/ElementType.h"

#include <cstdint>
#include <vector>

namespace fa4 {

/// A view: whoever allocated the memory owns it. dims and strides (in
/// elements, not negative) are outermost first. A tensor without elements may
/// have any address.
struct Tensor {
  uint64_t address = 0;
  ElementType type = ElementType::F32;
  std::vector<int64_t> dims;
  std::vector<int64_t> strides;

  int64_t elements() const {
    int64_t count = 1;
    for (int64_t dim : dims)
      count *= dim;
    return count;
  }

  static Tensor contiguous(uint64_t address, ElementType type,
                           std::vector<int64_t> dims) {
    Tensor tensor{address, type, std::move(dims), {}};
    tensor.strides.resize(tensor.dims.size());
    int64_t stride = 1;
    for (std::size_t left = tensor.dims.size(); left > 0; --left) {
      tensor.strides[left - 1] = stride;
      stride *= tensor.dims[left - 1] > 0 ? tensor.dims[left - 1] : 1;
    }
    return tensor;
  }
};

} // namespace fa4
