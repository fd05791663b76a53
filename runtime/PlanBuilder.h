// Turns a manifest entry and bound arguments into a plan.
#pragma once

#include "runtime/Launcher.h"

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace fa4 {

class PlanBuilder {
public:
  PlanBuilder(Device &device, const KernelEntry &kernel,
              ArgumentBindings &bindings)
      : device(device), kernel(kernel), bindings(bindings) {}

  std::unique_ptr<Plan> build(std::shared_ptr<const LoadedKernel> loaded);

private:
  void allocateScratch();
  void checkContiguous();
  void setGrid();
  std::vector<std::byte> parameterBytes(const Parameter &parameter);
  std::vector<std::byte> mapBytes(const TensorMapParameter &map);
  uint64_t addressOf(const std::string &tensor);
  uint64_t standInFor(const std::string &name, const Tensor &tensor);

  Device &device;
  const KernelEntry &kernel;
  ArgumentBindings &bindings;
  std::unique_ptr<Plan> plan;
  std::map<std::string, uint64_t> standIns;
};

} // namespace fa4
