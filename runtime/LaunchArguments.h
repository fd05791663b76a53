// What a caller gives to a kernel, and the names that it binds.
#pragma once

#include "runtime/Expression.h"
#include "runtime/Manifest.h"
#include "runtime/Tensor.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace fa4 {

using TensorArguments = std::map<std::string, Tensor, std::less<>>;

struct LaunchArguments {
  TensorArguments tensors; // the manifest's, without scratch
  std::map<std::string, double, std::less<>> scalars;
};

/// Dims, scalars, tensors and sm_count of one launch.
class ArgumentBindings : public Bindings {
public:
  /// Binds the dims of those tensors that are given. Throws fa4::Error for a
  /// tensor or scalar that the kernel doesn't have, a wrong dtype or rank, a
  /// last dim that isn't contiguous, and dims that disagree.
  ArgumentBindings(const KernelEntry &kernel, const LaunchArguments &arguments,
                   int smCount);

  /// Throws fa4::Error unless every tensor but scratch, and every scalar, is
  /// given.
  void requireAll() const;

  /// The shape that the kernel expects of one of its tensors.
  std::vector<int64_t> shapeOf(const TensorSpec &spec) const;

  void addScratch(const std::string &name, const Tensor &tensor);
  const Tensor &tensor(const std::string &name) const;

  std::optional<Number> valueOf(std::string_view name) const override;
  std::optional<int64_t> strideOf(std::string_view tensor,
                                  int64_t dim) const override;
  std::optional<int64_t> elementsOf(std::string_view tensor) const override;

private:
  void bindTensor(const TensorSpec &spec, const Tensor &tensor);
  void checkExpressions(const TensorSpec &spec, const Tensor &tensor) const;

  const KernelEntry &kernel;
  TensorArguments tensors;
  std::map<std::string, Number, std::less<>> values;
  std::map<std::string, std::string, std::less<>> boundBy; // dim -> tensor
};

} // namespace fa4
