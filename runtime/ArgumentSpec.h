// Kernel arguments as text, for tools that launch any PTX.
//
//   in:FILE.npy:TYPE          pointer to the file's elements
//   out:TYPE[DIMS]:FILE.npy   pointer to a new tensor, written to the file
//   inout:FILE.npy:TYPE:OUT   both
//   zeros:BYTES               pointer to zeroed bytes
//   f32:V  i32:V  u64:V  null scalars and the null pointer
//   tmap:{JSON}               a tensor map by value: the arguments of
//                             cuTensorMapEncodeTiled and "tensor", which is one
//                             of the pointer forms or "arg:N", the tensor of
//                             argument N
// TYPE is bf16, f16, f32, i32, u32 or u8.
#pragma once

#include "runtime/ElementType.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace fa4 {

struct TensorArgument {
  enum class Kind { In, Out, InOut, Zeros, SameAs } kind = Kind::In;
  std::string inFile, outFile;
  ElementType type = ElementType::F32;
  std::vector<int64_t> dims; // Out
  uint64_t bytes = 0;        // Zeros
  uint32_t argument = 0;     // SameAs
};

struct ScalarArgument {
  std::vector<std::byte> bytes;
};

/// The codes are those of the encode call (reference: cuda.h). JSON keys:
/// dtype, dim, stride (bytes), box, elemStride, interleave, swizzle, l2promo,
/// oobFill; enumerations by number or by name ("bf16", "128B", "nan").
struct TensorMapArgument {
  TensorArgument tensor;
  uint32_t type = 9;
  std::vector<uint64_t> dims, strides;
  std::vector<uint32_t> box, elementStrides;
  uint32_t interleave = 0, swizzle = 0, l2Promotion = 0, fill = 0;
};

using ArgumentSpec =
    std::variant<TensorArgument, ScalarArgument, TensorMapArgument>;

/// Throws fa4::Error that quotes the text and says what is expected.
ArgumentSpec parseArgumentSpec(std::string_view text);

} // namespace fa4
