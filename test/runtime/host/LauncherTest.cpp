#include "runtime/Launcher.h"
#include "ExpectError.h"
#include "FakeDevice.h"

namespace fa4 {
namespace {

using testing::EndsWith;
using testing::HasSubstr;

Expression parse(std::string_view text) { return Expression::parse(text); }

/// y = x * factor over [batch, rows, 64], with a scratch of two counters.
KernelEntry scaleKernel() {
  KernelEntry kernel;
  kernel.name = "scale";
  kernel.block = {128, 1, 1};
  kernel.cluster = {1, 1, 1};
  kernel.dynamicShared = 4096;
  kernel.grid = {parse("ceildiv(rows, 2) * batch"), parse("1"), parse("1")};
  std::vector<Expression> dims = {parse("batch"), parse("rows"), parse("64")};
  kernel.tensors = {
      {"x", Role::Input, ElementType::BF16, dims, false},
      {"y", Role::Output, ElementType::F32, dims, false},
      {"t", Role::Scratch, ElementType::I32, {parse("batch * 2")}, true}};
  kernel.scalars = {"factor"};
  kernel.params = {
      TensorMapParameter{"x", {2, 1, 0}, {64, 2, 1}, MapSwizzle::Bytes128, 0},
      PointerParameter{"y"},
      PointerParameter{"t"},
      ScalarParameter{ScalarType::I32, parse("rows")},
      ScalarParameter{ScalarType::I64, parse("stride(x, 0)")},
      ScalarParameter{ScalarType::F32, parse("factor * 2")}};
  return kernel;
}

LaunchArguments scaleArguments(int64_t batch, int64_t rows) {
  return {
      {{"x", Tensor::contiguous(0x1000, ElementType::BF16, {batch, rows, 64})},
       {"y", Tensor::contiguous(0x8000, ElementType::F32, {batch, rows, 64})}},
      {{"factor", 1.5}}};
}

std::string prepareError(const KernelEntry &kernel,
                         const LaunchArguments &arguments) {
  FakeDevice device;
  return errorOf([&] { Launcher(device).prepare(kernel, arguments); });
}

// Grid, block, scalars, pointers and the tensor map come from the entry.
TEST(Launcher, BindsAndEvaluates) {
  FakeDevice device;
  KernelEntry kernel = scaleKernel();
  auto plan = Launcher(device).prepare(kernel, scaleArguments(3, 5));
  plan->launch();
  ASSERT_EQ(device.launches.size(), 1u);
  const RecordedLaunch &launch = device.launches[0];
  EXPECT_EQ(launch.request.grid, (std::array<uint32_t, 3>{9, 1, 1}));
  EXPECT_EQ(launch.request.block, (std::array<uint32_t, 3>{128, 1, 1}));
  EXPECT_EQ(launch.request.dynamicShared, 4096u);
  EXPECT_EQ(launch.parameters[0].size(), 128u);
  EXPECT_EQ(launch.parameter<uint64_t>(1), 0x8000u);
  EXPECT_EQ(launch.parameter<int32_t>(3), 5);
  EXPECT_EQ(launch.parameter<int64_t>(4), 320);
  EXPECT_EQ(launch.parameter<float>(5), 3.0f);
  ASSERT_EQ(device.maps.size(), 1u);
  EXPECT_EQ(device.maps[0].dims, (std::vector<uint64_t>{64, 5, 3}));
  EXPECT_EQ(device.maps[0].strides, (std::vector<uint64_t>{128, 640}));
}

// Scratch is allocated by the plan, zeroed by each launch and released.
TEST(Launcher, OwnsScratch) {
  FakeDevice device;
  KernelEntry kernel = scaleKernel();
  auto plan = Launcher(device).prepare(kernel, scaleArguments(3, 5));
  ASSERT_EQ(device.memory.size(), 1u);
  auto &[address, bytes] = *device.memory.begin();
  EXPECT_EQ(bytes, std::vector<std::byte>(24, std::byte(0xff)));
  plan->launch();
  EXPECT_EQ(bytes, std::vector<std::byte>(24, std::byte(0)));
  EXPECT_EQ(device.launches[0].parameter<uint64_t>(2), address);
  plan.reset();
  EXPECT_TRUE(device.memory.empty());
}

// A kernel is loaded once for all of its plans.
TEST(Launcher, LoadsOnce) {
  FakeDevice device;
  KernelEntry kernel = scaleKernel();
  Launcher launcher(device);
  for (int64_t rows = 1; rows <= 100; ++rows)
    launcher.prepare(kernel, scaleArguments(1, rows))->launch();
  EXPECT_EQ(device.loads, 1);
  EXPECT_EQ(device.launches.size(), 100u);
}

// A grid with a zero is not launched.
TEST(Launcher, SkipsEmptyGrids) {
  FakeDevice device;
  KernelEntry kernel = scaleKernel();
  Launcher launcher(device);
  launcher.prepare(kernel, scaleArguments(0, 5))->launch();
  launcher.prepare(kernel, scaleArguments(3, 0))->launch();
  EXPECT_TRUE(device.launches.empty());
}

// A size of 0 is encoded as 1 over zeros that the plan owns.
TEST(Launcher, EncodesEmptyDimsAsOne) {
  FakeDevice device;
  KernelEntry kernel = scaleKernel();
  kernel.grid[0] = parse("1");
  auto plan = Launcher(device).prepare(kernel, scaleArguments(3, 0));
  plan->launch();
  ASSERT_EQ(device.launches.size(), 1u);
  EXPECT_EQ(device.maps[0].dims, (std::vector<uint64_t>{64, 1, 3}));
  auto &standIn = device.memory.at(device.maps[0].address);
  EXPECT_EQ(standIn, std::vector<std::byte>(3 * 64 * 2, std::byte(0)));
}

// Strides are the caller's; those of a dim of size 1 may be anything.
TEST(Launcher, TakesStridesFromTheTensor) {
  FakeDevice device;
  KernelEntry kernel = scaleKernel();
  LaunchArguments arguments = scaleArguments(1, 5);
  arguments.tensors["x"].strides = {7, 72, 1};
  Launcher(device).prepare(kernel, arguments);
  EXPECT_EQ(device.maps[0].strides, (std::vector<uint64_t>{144, 144}));
}

TEST(Launcher, ImpliesShapes) {
  FakeDevice device;
  KernelEntry kernel = scaleKernel();
  LaunchArguments arguments = scaleArguments(3, 5);
  arguments.tensors.erase("y");
  Launcher launcher(device);
  EXPECT_EQ(launcher.shapeOf(kernel, "y", arguments),
            (std::vector<int64_t>{3, 5, 64}));
  EXPECT_EQ(errorOf([&] { launcher.shapeOf(kernel, "z", arguments); }),
            "kernel 'scale' has no tensor 'z'");
}

TEST(Launcher, RejectsMissingAndUnknownArguments) {
  LaunchArguments arguments = scaleArguments(3, 5);
  arguments.tensors.erase("y");
  EXPECT_EQ(prepareError(scaleKernel(), arguments),
            "kernel 'scale' needs tensor 'y'");
  arguments = scaleArguments(3, 5);
  arguments.scalars.clear();
  EXPECT_EQ(prepareError(scaleKernel(), arguments),
            "kernel 'scale' needs scalar 'factor'");
  arguments.scalars["bias"] = 1;
  EXPECT_EQ(prepareError(scaleKernel(), arguments),
            "kernel 'scale' has no scalar 'bias'");
  arguments = scaleArguments(3, 5);
  arguments.tensors["t"] = arguments.tensors["x"];
  EXPECT_EQ(prepareError(scaleKernel(), arguments),
            "kernel 'scale' has no tensor 't'");
}

TEST(Launcher, RejectsWrongTensors) {
  LaunchArguments arguments = scaleArguments(3, 5);
  arguments.tensors["x"].type = ElementType::F16;
  EXPECT_EQ(prepareError(scaleKernel(), arguments),
            "tensor 'x' of kernel 'scale' is f16, expected bf16");
  arguments = scaleArguments(3, 5);
  arguments.tensors["y"].dims[1] = 6;
  EXPECT_EQ(prepareError(scaleKernel(), arguments),
            "rows is 6 in tensor 'y' but 5 in 'x' (kernel 'scale')");
  arguments = scaleArguments(3, 5);
  arguments.tensors["x"].dims[2] = 72;
  EXPECT_EQ(prepareError(scaleKernel(), arguments),
            "tensor 'x' of kernel 'scale' has size 72 in dim 2, expected 64");
  arguments = scaleArguments(3, 5);
  arguments.tensors["x"].strides[2] = 2;
  EXPECT_EQ(prepareError(scaleKernel(), arguments),
            "tensor 'x' of kernel 'scale' has stride 2 in its last dim, "
            "expected 1");
  arguments = scaleArguments(3, 5);
  arguments.tensors["x"].dims.pop_back();
  EXPECT_EQ(prepareError(scaleKernel(), arguments),
            "tensor 'x' of kernel 'scale' has 2 dims, expected 3");
}

// Strides are free where the kernel is told them.
TEST(Launcher, ChecksStridesThatTheKernelDoesNotGet) {
  LaunchArguments arguments = scaleArguments(3, 5);
  arguments.tensors["y"].strides = {400, 80, 1};
  EXPECT_EQ(prepareError(scaleKernel(), arguments),
            "kernel 'scale': tensor 'y' has stride 400 in dim 0, the kernel "
            "reads it as 320");
  KernelEntry kernel = scaleKernel();
  for (const char *text : {"stride(y, 0)", "stride(y, 1)"})
    kernel.params.push_back(ScalarParameter{ScalarType::I64, parse(text)});
  EXPECT_EQ(prepareError(kernel, arguments), "no error");
}

TEST(Launcher, ChecksTensorMaps) {
  LaunchArguments arguments = scaleArguments(3, 5);
  arguments.tensors["x"].address = 0x1008;
  EXPECT_EQ(prepareError(scaleKernel(), arguments),
            "kernel 'scale', parameter 0: tensor map of 'x': address 0x1008 is "
            "not a multiple of 16");
  arguments = scaleArguments(3, 5);
  arguments.tensors["x"].strides = {400, 68, 1};
  EXPECT_THAT(prepareError(scaleKernel(), arguments),
              EndsWith("stride of 136 bytes of dim 1 is not a multiple of 16"));
  KernelEntry kernel = scaleKernel();
  std::get<TensorMapParameter>(kernel.params[0]).swizzle = MapSwizzle::Bytes64;
  EXPECT_THAT(prepareError(kernel, scaleArguments(3, 5)),
              EndsWith("box row of 128 bytes is wider than the 64-byte "
                       "swizzle"));
  kernel = scaleKernel();
  std::get<TensorMapParameter>(kernel.params[0]).order = {1, 2, 0};
  EXPECT_THAT(prepareError(kernel, scaleArguments(3, 5)),
              EndsWith("tensor map of 'x': dim 1 is innermost but its stride "
                       "is 64"));
}

TEST(Launcher, ChecksGridsAndScalars) {
  KernelEntry kernel = scaleKernel();
  kernel.grid[1] = parse("rows * 20000");
  EXPECT_EQ(prepareError(kernel, scaleArguments(3, 5)),
            "kernel 'scale': grid 100000 of dim 1 is not in 0..65535");
  kernel = scaleKernel();
  kernel.cluster = {2, 1, 1};
  EXPECT_EQ(prepareError(kernel, scaleArguments(3, 5)),
            "kernel 'scale': grid 9 of dim 0 is no multiple of the cluster's "
            "2");
  kernel = scaleKernel();
  kernel.params[3] =
      ScalarParameter{ScalarType::I32, parse("rows * 1000000000")};
  EXPECT_THAT(prepareError(kernel, scaleArguments(3, 5)),
              HasSubstr("parameter 3: expression 'rows * 1000000000': "
                        "5000000000 doesn't fit 32 bits"));
}

} // namespace
} // namespace fa4
