#include "runtime/TensorMapRequest.h"

#include "runtime/Error.h"

namespace fa4 {
namespace {

constexpr uint64_t granule = 16; // bytes, of addresses, strides and box rows
constexpr uint64_t maximumDim = uint64_t(1) << 32;
constexpr uint64_t maximumStride = uint64_t(1) << 40; // bytes
constexpr uint32_t maximumBox = 256;

uint64_t swizzleSpan(MapSwizzle swizzle) { // bytes
  switch (swizzle) {
  case MapSwizzle::Bytes32:
    return 32;
  case MapSwizzle::Bytes64:
    return 64;
  case MapSwizzle::Bytes128:
    return 128;
  case MapSwizzle::None:
    break;
  }
  return maximumBox * granule;
}

void checkBox(const TensorMapRequest &request) {
  for (std::size_t i = 0; i < request.box.size(); ++i)
    if (request.box[i] < 1 || request.box[i] > maximumBox)
      fail("box size {} of dim {} is not in 1..256", request.box[i], i);
  uint64_t row = request.box[0] * elementSize(request.type);
  if (row % granule != 0)
    fail("box row of {} bytes is not a multiple of 16", row);
  if (row > swizzleSpan(request.swizzle))
    fail("box row of {} bytes is wider than the {}-byte swizzle", row,
         swizzleSpan(request.swizzle));
}

} // namespace

void checkTensorMap(const TensorMapRequest &request) {
  std::size_t rank = request.dims.size();
  if (rank < 1 || rank > 5 || request.box.size() != rank ||
      request.strides.size() + 1 != rank)
    fail("{} dims, {} strides and {} box sizes don't make a tensor map", rank,
         request.strides.size(), request.box.size());
  if (request.address % granule != 0)
    fail("address {:#x} is not a multiple of 16", request.address);
  for (std::size_t i = 0; i < rank; ++i)
    if (request.dims[i] < 1 || request.dims[i] > maximumDim)
      fail("size {} of dim {} is not in 1..2^32", request.dims[i], i);
  for (std::size_t i = 0; i + 1 < rank; ++i) {
    if (request.strides[i] % granule != 0)
      fail("stride of {} bytes of dim {} is not a multiple of 16",
           request.strides[i], i + 1);
    if (request.strides[i] >= maximumStride)
      fail("stride of {} bytes of dim {} is not below 2^40", request.strides[i],
           i + 1);
  }
  checkBox(request);
}

} // namespace fa4
