#include "runtime/TensorMapRequest.h"
#include "ExpectError.h"

namespace fa4 {
namespace {

TensorMapRequest right() {
  return {ElementType::BF16,    0x1000, {64, 8}, {128}, {64, 8},
          MapSwizzle::Bytes128, 256};
}

/// The error of a request that `change` made wrong.
template <typename Change> std::string errorAfter(Change &&change) {
  TensorMapRequest request = right();
  change(request);
  return errorOf([&] { checkTensorMap(request); });
}

TEST(TensorMapRequest, NamesTheBrokenRule) {
  EXPECT_EQ(errorAfter([](TensorMapRequest &) {}), "no error");
  EXPECT_EQ(errorAfter([](auto &r) { r.strides.clear(); }),
            "2 dims, 0 strides and 2 box sizes don't make a tensor map");
  EXPECT_EQ(errorAfter([](auto &r) { r.address = 0x1008; }),
            "address 0x1008 is not a multiple of 16");
  EXPECT_EQ(errorAfter([](auto &r) { r.dims[1] = 0; }),
            "size 0 of dim 1 is not in 1..2^32");
  EXPECT_EQ(errorAfter([](auto &r) { r.strides[0] = uint64_t(1) << 40; }),
            "stride of 1099511627776 bytes of dim 1 is not below 2^40");
  EXPECT_EQ(errorAfter([](auto &r) { r.box[1] = 257; }),
            "box size 257 of dim 1 is not in 1..256");
  EXPECT_EQ(errorAfter([](auto &r) { r.box[0] = 4; }),
            "box row of 8 bytes is not a multiple of 16");
  EXPECT_EQ(errorAfter([](auto &r) { r.box[0] = 128; }),
            "box row of 256 bytes is wider than the 128-byte swizzle");
}

} // namespace
} // namespace fa4
