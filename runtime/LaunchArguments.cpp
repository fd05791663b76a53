#include "runtime/LaunchArguments.h"

#include "runtime/Error.h"
#include "runtime/Npy.h"

#include <algorithm>

namespace fa4 {

ArgumentBindings::ArgumentBindings(const KernelEntry &kernel,
                                   const LaunchArguments &arguments,
                                   int smCount)
    : kernel(kernel), tensors(arguments.tensors) {
  values["sm_count"] = int64_t(smCount);
  for (const auto &[name, value] : arguments.scalars) {
    if (std::find(kernel.scalars.begin(), kernel.scalars.end(), name) ==
        kernel.scalars.end())
      fail("kernel '{}' has no scalar '{}'", kernel.name, name);
    values[name] = value;
  }
  for (const auto &[name, tensor] : tensors) {
    const TensorSpec *spec = kernel.findTensor(name);
    if (!spec || spec->role == Role::Scratch)
      fail("kernel '{}' has no tensor '{}'", kernel.name, name);
    bindTensor(*spec, tensor);
  }
  for (const auto &[name, tensor] : tensors)
    checkExpressions(*kernel.findTensor(name), tensor);
}

void ArgumentBindings::bindTensor(const TensorSpec &spec,
                                  const Tensor &tensor) {
  if (tensor.type != spec.type)
    fail("tensor '{}' of kernel '{}' is {}, expected {}", spec.name,
         kernel.name, elementName(tensor.type), elementName(spec.type));
  std::size_t rank = spec.dims.size();
  if (tensor.dims.size() != rank || tensor.strides.size() != rank)
    fail("tensor '{}' of kernel '{}' has {} dims, expected {}", spec.name,
         kernel.name, tensor.dims.size(), rank);
  if (rank > 0 && tensor.dims[rank - 1] > 1 && tensor.strides[rank - 1] != 1)
    fail("tensor '{}' of kernel '{}' has stride {} in its last dim, expected 1",
         spec.name, kernel.name, tensor.strides[rank - 1]);
  for (std::size_t i = 0; i < rank; ++i) {
    if (tensor.dims[i] < 0 || tensor.strides[i] < 0)
      fail("tensor '{}' of kernel '{}' has size {} and stride {} in dim {}",
           spec.name, kernel.name, tensor.dims[i], tensor.strides[i], i);
    std::optional<std::string> name = spec.dims[i].plainName();
    if (!name)
      continue;
    auto [bound, fresh] = boundBy.emplace(*name, spec.name);
    if (fresh)
      values[*name] = tensor.dims[i];
    else if (std::get<int64_t>(values[*name]) != tensor.dims[i])
      fail("{} is {} in tensor '{}' but {} in '{}' (kernel '{}')", *name,
           tensor.dims[i], spec.name, std::get<int64_t>(values[*name]),
           bound->second, kernel.name);
  }
}

void ArgumentBindings::checkExpressions(const TensorSpec &spec,
                                        const Tensor &tensor) const {
  for (std::size_t i = 0; i < spec.dims.size(); ++i) {
    if (spec.dims[i].plainName())
      continue;
    int64_t wanted = spec.dims[i].evaluateInteger(*this);
    if (wanted != tensor.dims[i])
      fail("tensor '{}' of kernel '{}' has size {} in dim {}, expected {}",
           spec.name, kernel.name, tensor.dims[i], i, wanted);
  }
}

void ArgumentBindings::requireAll() const {
  for (const TensorSpec &spec : kernel.tensors)
    if (spec.role != Role::Scratch && !tensors.contains(spec.name))
      fail("kernel '{}' needs tensor '{}'", kernel.name, spec.name);
  for (const std::string &name : kernel.scalars)
    if (!values.contains(name))
      fail("kernel '{}' needs scalar '{}'", kernel.name, name);
}

std::vector<int64_t> ArgumentBindings::shapeOf(const TensorSpec &spec) const {
  std::vector<int64_t> shape;
  for (const Expression &dim : spec.dims) {
    int64_t size = dim.evaluateInteger(*this);
    if (size < 0)
      fail("tensor '{}' of kernel '{}' would have size {}", spec.name,
           kernel.name, size);
    shape.push_back(size);
  }
  return shape;
}

void ArgumentBindings::addScratch(const std::string &name,
                                  const Tensor &tensor) {
  tensors[name] = tensor;
}

const Tensor &ArgumentBindings::tensor(const std::string &name) const {
  return tensors.at(name);
}

std::optional<Number> ArgumentBindings::valueOf(std::string_view name) const {
  auto found = values.find(name);
  return found == values.end() ? std::nullopt : std::optional(found->second);
}

std::optional<int64_t> ArgumentBindings::strideOf(std::string_view tensor,
                                                  int64_t dim) const {
  auto found = tensors.find(tensor);
  if (found == tensors.end() ||
      dim >= static_cast<int64_t>(found->second.strides.size()))
    return std::nullopt;
  return found->second.strides[static_cast<std::size_t>(dim)];
}

std::optional<int64_t>
ArgumentBindings::elementsOf(std::string_view tensor) const {
  auto found = tensors.find(tensor);
  return found == tensors.end() ? std::nullopt
                                : std::optional(found->second.elements());
}

} // namespace fa4
