// A tensor on the device whose surroundings are watched.
#pragma once
#include "runtime/DeviceBuffer.h"
#include "runtime/Tensor.h"
#include "runtime/tools/fa4-run/RunOptions.h"

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace fa4 {

struct GuardedTensorSpec {
  std::string name;
  ElementType type;
  std::vector<int64_t> dims;
  Layout layout = Layout::Bshd;
  bool output = false;
  uint64_t guard = 0; // bytes before and after
};

/// Around an input and in its gaps lie NaN bytes (0xFF), so that what a kernel
/// reads there shows; around an output lie canary bytes (0xC5), so that what
/// it writes there shows. An output's elements start as NaN bytes.
class GuardedTensor {
public:
  GuardedTensor(Device &device, GuardedTensorSpec spec);

  /// Contiguous values, rounded to the tensor's type.
  void store(std::span<const float> values);
  std::vector<float> load();

  /// What is wrong with the bytes that the kernel had no business to write:
  /// guards, gaps, and the elements of an input.
  std::optional<std::string> damage();

  const Tensor &tensor() const { return view; }
  const GuardedTensorSpec &description() const { return spec; }

private:
  template <typename Action> void forEachRow(Action &&action) const;

  Device &device;
  GuardedTensorSpec spec;
  Tensor view;
  std::vector<std::byte> image; // what the device's bytes were
  DeviceBuffer buffer;
};

} // namespace fa4
