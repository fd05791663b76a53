#include "runtime/tools/fa4-run/GuardedTensor.h"
#include "ExpectError.h"
#include "FakeDevice.h"

#include <cmath>

namespace fa4 {
namespace {

GuardedTensorSpec spec(Layout layout, bool output) {
  return {"t", ElementType::BF16, {2, 3, 2, 4}, layout, output, 64};
}

std::vector<float> counting() {
  std::vector<float> values(48);
  for (std::size_t i = 0; i < values.size(); ++i)
    values[i] = static_cast<float>(i);
  return values;
}

std::byte &byteAt(FakeDevice &device, uint64_t address) {
  auto found = --device.memory.upper_bound(address);
  return found->second.at(address - found->first);
}

// Every layout gives back what was stored, through its own strides.
TEST(GuardedTensor, StoresAndLoads) {
  for (Layout layout : {Layout::Bshd, Layout::Bhsd, Layout::Padded}) {
    FakeDevice device;
    GuardedTensor tensor(device, spec(layout, false));
    tensor.store(counting());
    EXPECT_EQ(tensor.load(), counting());
    EXPECT_FALSE(tensor.damage());
  }
}

TEST(GuardedTensor, Strides) {
  FakeDevice device;
  using Strides = std::vector<int64_t>;
  auto strides = [&](Layout layout) {
    return GuardedTensor(device, spec(layout, false)).tensor().strides;
  };
  EXPECT_EQ(strides(Layout::Bshd), (Strides{24, 8, 4, 1}));
  EXPECT_EQ(strides(Layout::Bhsd), (Strides{24, 4, 12, 1}));
  EXPECT_EQ(strides(Layout::Padded), (Strides{72, 24, 12, 1}));
}

// An output starts as NaN, an input lies among NaN.
TEST(GuardedTensor, PoisonsWhatIsNotWritten) {
  FakeDevice device;
  GuardedTensor output(device, spec(Layout::Padded, true));
  for (float value : output.load())
    EXPECT_TRUE(std::isnan(value));
  GuardedTensor input(device, spec(Layout::Padded, false));
  input.store(counting());
  uint64_t base = input.tensor().address;
  EXPECT_EQ(byteAt(device, base - 1), std::byte(0xff));
  EXPECT_EQ(byteAt(device, base + 8), std::byte(0xff));
}

TEST(GuardedTensor, FindsDamage) {
  FakeDevice device;
  GuardedTensor output(device, spec(Layout::Padded, true));
  uint64_t base = output.tensor().address;
  byteAt(device, base) = std::byte(1);
  EXPECT_FALSE(output.damage());
  byteAt(device, base + 10) = std::byte(1);
  EXPECT_EQ(output.damage(), "'t': byte 10, between its rows, was overwritten");
  GuardedTensor before(device, spec(Layout::Bshd, true));
  byteAt(device, before.tensor().address - 3) = std::byte(1);
  EXPECT_EQ(before.damage(),
            "'t': the byte 3 before its start was overwritten");
  GuardedTensor after(device, spec(Layout::Bshd, true));
  byteAt(device, after.tensor().address + 96) = std::byte(1);
  EXPECT_EQ(after.damage(), "'t': the byte 0 past its end was overwritten");
  GuardedTensor input(device, spec(Layout::Bshd, false));
  byteAt(device, input.tensor().address + 5) = std::byte(1);
  EXPECT_EQ(input.damage(), "'t': byte 5, of an input, was overwritten");
}

TEST(GuardedTensor, Empty) {
  FakeDevice device;
  GuardedTensor tensor(
      device, {"t", ElementType::F32, {2, 0, 4}, Layout::Padded, true, 64});
  EXPECT_TRUE(tensor.load().empty());
  EXPECT_FALSE(tensor.damage());
}

} // namespace
} // namespace fa4
