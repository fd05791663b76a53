// Tensors whose heads and batches lie more than 2^31 elements apart.
#include "runtime/DeviceBuffer.h"
#include "runtime/tools/fa4-run/AttentionTensors.h"
#include "runtime/tools/fa4-run/GuardedTensor.h"
#include "test/kernels/ForwardRunner.h"

#include <gtest/gtest.h>

namespace fa4::test {
namespace {

constexpr int64_t headStride = (int64_t(1) << 31) + 64;
constexpr int64_t batchStride = int64_t(1) << 33;

/// A [batch, seqlen, heads, dim] tensor of few rows in a large buffer.
class FarTensor {
public:
  FarTensor(Device &device, const std::string &name, ElementType type,
            std::vector<int64_t> dims)
      : device(device), buffer(device, spanBytes(type, dims), name),
        view{buffer.address(),
             type,
             dims,
             {batchStride, dims.back(), headStride, 1}} {}

  void store(std::span<const float> values) {
    std::vector<std::byte> bytes = encodeElements(view.type, values);
    forEachRow([&](uint64_t address, std::size_t at, std::size_t count) {
      device.upload(address, std::span(bytes).subspan(at, count));
    });
  }

  std::vector<float> load() {
    std::vector<std::byte> bytes(static_cast<std::size_t>(view.elements()) *
                                 elementSize(view.type));
    forEachRow([&](uint64_t address, std::size_t at, std::size_t count) {
      device.download(address, std::span(bytes).subspan(at, count));
    });
    return decodeElements(view.type, bytes);
  }

  const Tensor &tensor() const { return view; }

private:
  static uint64_t spanBytes(ElementType type,
                            const std::vector<int64_t> &dims) {
    return static_cast<uint64_t>(dims[0] * batchStride + dims[2] * headStride) *
           elementSize(type);
  }

  template <typename Action> void forEachRow(Action &&action) {
    const std::size_t size = elementSize(view.type);
    const auto count = static_cast<std::size_t>(view.dims.back()) * size;
    std::size_t at = 0;
    for (int64_t batch = 0; batch < view.dims[0]; ++batch) {
      for (int64_t row = 0; row < view.dims[1]; ++row) {
        for (int64_t head = 0; head < view.dims[2]; ++head, at += count) {
          const int64_t offset = batch * view.strides[0] +
                                 row * view.strides[1] + head * view.strides[2];
          action(view.address + static_cast<uint64_t>(offset) * size, at,
                 count);
        }
      }
    }
  }

  Device &device;
  DeviceBuffer buffer;
  Tensor view;
};

class FarStrides : public testing::TestWithParam<bool> {};

TEST_P(FarStrides, AreWithinTheBound) {
  AttentionShape shape;
  shape.batch = 2;
  shape.headsQ = shape.headsKv = 2;
  shape.seqlenQ = 130;
  shape.seqlenK = 140;
  shape.causal = GetParam();
  RunOptions options = optionsFor(shape);
  HostInputs inputs = makeInputs(options, false);

  EmulatorDevice device({everyCheck()});
  auto shapes = shapesOf(options.shape);
  std::map<std::string, std::unique_ptr<FarTensor>> tensors;
  for (const char *name : {"q", "k", "v", "o"})
    tensors[name] =
        std::make_unique<FarTensor>(device, name, options.type, shapes[name]);
  tensors["q"]->store(inputs.q);
  tensors["k"]->store(inputs.k);
  tensors["v"]->store(inputs.v);
  // LSE is contiguous by contract.
  GuardedTensor lse(device, {"lse", ElementType::F32, shapes["lse"]});

  LaunchArguments arguments;
  arguments.scalars["scale"] = options.shape.scale;
  arguments.tensors["lse"] = lse.tensor();
  for (const auto &[name, tensor] : tensors)
    arguments.tensors[name] = tensor->tensor();
  Launcher launcher(device);
  launcher.prepare(forwardKernel(options), arguments)->launch();
  EXPECT_EQ(complaint(options, inputs, {tensors["o"]->load(), lse.load(), {}}),
            "");
}

INSTANTIATE_TEST_SUITE_P(Masks, FarStrides, testing::Bool(),
                         [](const auto &info) {
                           return info.param ? "causal" : "full";
                         });

} // namespace
} // namespace fa4::test
