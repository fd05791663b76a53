#include "runtime/Launcher.h"

#include "runtime/Error.h"
#include "runtime/PlanBuilder.h"

namespace fa4 {

void Plan::launch() {
  if (request.grid[0] == 0 || request.grid[1] == 0 || request.grid[2] == 0)
    return;
  for (std::size_t index : zeroed)
    device.fill(buffers[index].address(), buffers[index].bytes(), std::byte(0));
  device.launch(*loaded, request);
}

std::unique_ptr<Plan> Launcher::prepare(const KernelEntry &kernel,
                                        const LaunchArguments &arguments) {
  ArgumentBindings bindings(kernel, arguments, device.smCount());
  bindings.requireAll();
  std::shared_ptr<const LoadedKernel> &entry = loaded[&kernel];
  if (!entry)
    entry = device.load(kernel);
  return PlanBuilder(device, kernel, bindings).build(entry);
}

std::vector<int64_t> Launcher::shapeOf(const KernelEntry &kernel,
                                       const std::string &tensor,
                                       const LaunchArguments &arguments) const {
  const TensorSpec *spec = kernel.findTensor(tensor);
  if (!spec)
    fail("kernel '{}' has no tensor '{}'", kernel.name, tensor);
  return ArgumentBindings(kernel, arguments, device.smCount()).shapeOf(*spec);
}

} // namespace fa4
