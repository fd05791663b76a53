#include "runtime/PlanBuilder.h"

#include "runtime/Error.h"

#include <algorithm>
#include <cstring>
#include <set>
#include <utility>

namespace fa4 {
namespace {

// CUDA's limits of a grid.
constexpr int64_t maximumGrid[3] = {0x7fffffff, 65535, 65535};

template <typename Value> std::vector<std::byte> bytesOf(Value value) {
  std::vector<std::byte> bytes(sizeof(value));
  std::memcpy(bytes.data(), &value, sizeof(value));
  return bytes;
}

template <typename Integer>
std::vector<std::byte> integerBytes(const Expression &expression,
                                    const Bindings &bindings) {
  int64_t value = expression.evaluateInteger(bindings);
  if (!std::in_range<Integer>(value))
    fail("expression '{}': {} doesn't fit {} bits", expression.text(), value,
         sizeof(Integer) * 8);
  return bytesOf(static_cast<Integer>(value));
}

std::vector<std::byte> scalarBytes(const ScalarParameter &scalar,
                                   const Bindings &bindings) {
  switch (scalar.type) {
  case ScalarType::I32:
    return integerBytes<int32_t>(scalar.value, bindings);
  case ScalarType::U32:
    return integerBytes<uint32_t>(scalar.value, bindings);
  case ScalarType::I64:
    return integerBytes<int64_t>(scalar.value, bindings);
  case ScalarType::U64:
    return integerBytes<uint64_t>(scalar.value, bindings);
  case ScalarType::F32:
    return bytesOf(
        static_cast<float>(realValue(scalar.value.evaluate(bindings))));
  case ScalarType::F64:
    return bytesOf(realValue(scalar.value.evaluate(bindings)));
  }
  return {};
}

/// Elements from the first to the last, when empty dims count as one.
int64_t spanOf(const Tensor &tensor) {
  int64_t span = 1;
  for (std::size_t i = 0; i < tensor.dims.size(); ++i)
    span += (std::max<int64_t>(tensor.dims[i], 1) - 1) * tensor.strides[i];
  return span;
}

/// The byte strides of a map's outer dims. A dim of one index has any stride;
/// it is given one that the driver accepts.
void setStrides(TensorMapRequest &request, const Tensor &tensor,
                const std::vector<int> &order) {
  uint64_t size = elementSize(tensor.type);
  uint64_t previous = (request.dims[0] * size + 15) / 16 * 16;
  for (std::size_t i = 1; i < order.size(); ++i) {
    uint64_t stride = static_cast<uint64_t>(
                          tensor.strides[static_cast<std::size_t>(order[i])]) *
                      size;
    if (request.dims[i] == 1 && stride % 16 != 0)
      stride = previous;
    request.strides.push_back(stride);
    previous = stride;
  }
}

} // namespace

std::unique_ptr<Plan>
PlanBuilder::build(std::shared_ptr<const LoadedKernel> loaded) {
  plan.reset(new Plan(device, kernel, std::move(loaded)));
  plan->request.block = kernel.block;
  plan->request.cluster = kernel.cluster;
  plan->request.dynamicShared = kernel.dynamicShared;
  plan->request.programmaticLaunch = kernel.programmaticLaunch;
  allocateScratch();
  checkContiguous();
  setGrid();
  for (std::size_t i = 0; i < kernel.params.size(); ++i) {
    try {
      plan->bytes.push_back(parameterBytes(kernel.params[i]));
    } catch (const Error &error) {
      fail("kernel '{}', parameter {}: {}", kernel.name, i, error.what());
    }
  }
  for (const std::vector<std::byte> &bytes : plan->bytes)
    plan->views.emplace_back(bytes);
  plan->request.parameters = plan->views;
  return std::move(plan);
}

void PlanBuilder::allocateScratch() {
  for (const TensorSpec &spec : kernel.tensors) {
    if (spec.role != Role::Scratch)
      continue;
    Tensor tensor = Tensor::contiguous(0, spec.type, bindings.shapeOf(spec));
    uint64_t bytes =
        static_cast<uint64_t>(tensor.elements()) * elementSize(spec.type);
    plan->buffers.emplace_back(device, bytes,
                               fmt::format("{}.{}", kernel.name, spec.name));
    tensor.address = plan->buffers.back().address();
    if (spec.zeroed && bytes > 0)
      plan->zeroed.push_back(plan->buffers.size() - 1);
    bindings.addScratch(spec.name, tensor);
  }
}

/// A kernel that gets a pointer and not the stride of a dim reads that dim as
/// contiguous.
void PlanBuilder::checkContiguous() {
  std::set<std::pair<std::string, int64_t>> known;
  for (const Parameter &parameter : kernel.params)
    if (auto *scalar = std::get_if<ScalarParameter>(&parameter))
      known.insert(scalar->value.tensors().begin(),
                   scalar->value.tensors().end());
  for (const Parameter &parameter : kernel.params) {
    auto *pointer = std::get_if<PointerParameter>(&parameter);
    if (!pointer)
      continue;
    const Tensor &tensor = bindings.tensor(pointer->tensor);
    Tensor packed = Tensor::contiguous(0, tensor.type, tensor.dims);
    for (std::size_t i = 0; i < tensor.dims.size(); ++i) {
      if (tensor.dims[i] > 1 && tensor.strides[i] != packed.strides[i] &&
          !known.contains({pointer->tensor, static_cast<int64_t>(i)})) {
        fail("kernel '{}': tensor '{}' has stride {} in dim {}, the kernel "
             "reads it as {}",
             kernel.name, pointer->tensor, tensor.strides[i], i,
             packed.strides[i]);
      }
    }
  }
}

void PlanBuilder::setGrid() {
  for (std::size_t i = 0; i < 3; ++i) {
    int64_t extent = 0;
    try {
      extent = kernel.grid[i].evaluateInteger(bindings);
    } catch (const Error &error) {
      fail("kernel '{}', grid: {}", kernel.name, error.what());
    }
    if (extent < 0 || extent > maximumGrid[i])
      fail("kernel '{}': grid {} of dim {} is not in 0..{}", kernel.name,
           extent, i, maximumGrid[i]);
    if (extent % kernel.cluster[i] != 0)
      fail("kernel '{}': grid {} of dim {} is no multiple of the cluster's {}",
           kernel.name, extent, i, kernel.cluster[i]);
    plan->request.grid[i] = static_cast<uint32_t>(extent);
  }
}

std::vector<std::byte> PlanBuilder::parameterBytes(const Parameter &parameter) {
  if (auto *scalar = std::get_if<ScalarParameter>(&parameter))
    return scalarBytes(*scalar, bindings);
  if (auto *pointer = std::get_if<PointerParameter>(&parameter))
    return bytesOf(addressOf(pointer->tensor));
  return mapBytes(std::get<TensorMapParameter>(parameter));
}

std::vector<std::byte> PlanBuilder::mapBytes(const TensorMapParameter &map) {
  const Tensor &tensor = bindings.tensor(map.tensor);
  TensorMapRequest request;
  request.type = tensor.type;
  request.address = addressOf(map.tensor);
  for (int dim : map.order)
    request.dims.push_back(static_cast<uint64_t>(
        std::max<int64_t>(tensor.dims[static_cast<std::size_t>(dim)], 1)));
  std::size_t inner = static_cast<std::size_t>(map.order[0]);
  if (tensor.dims[inner] > 1 && tensor.strides[inner] != 1)
    fail("tensor map of '{}': dim {} is innermost but its stride is {}",
         map.tensor, inner, tensor.strides[inner]);
  setStrides(request, tensor, map.order);
  request.box = map.box;
  request.swizzle = map.swizzle;
  request.l2Promotion = map.l2Promotion;
  try {
    checkTensorMap(request);
    return bytesOf(device.encode(request));
  } catch (const Error &error) {
    fail("tensor map of '{}': {}", map.tensor, error.what());
  }
}

uint64_t PlanBuilder::addressOf(const std::string &name) {
  const Tensor &tensor = bindings.tensor(name);
  return tensor.elements() > 0 ? tensor.address : standInFor(name, tensor);
}

/// An empty tensor's dims are encoded as 1, so that its map needs readable
/// memory; zeros, because a kernel may multiply what it then masks.
uint64_t PlanBuilder::standInFor(const std::string &name,
                                 const Tensor &tensor) {
  auto [found, fresh] = standIns.emplace(name, 0);
  if (fresh) {
    uint64_t bytes =
        static_cast<uint64_t>(spanOf(tensor)) * elementSize(tensor.type);
    plan->buffers.emplace_back(device, bytes, name);
    found->second = plan->buffers.back().address();
    device.fill(found->second, bytes, std::byte(0));
  }
  return found->second;
}

} // namespace fa4
