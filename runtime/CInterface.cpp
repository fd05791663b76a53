#include "runtime/fa4.h"

#include "runtime/EmulatorDevice.h"
#include "runtime/Error.h"
#include "runtime/Launcher.h"
#include "runtime/cuda/CudaDevice.h"

#include <exception>
#include <memory>
#include <string>

struct fa4_context {
  std::unique_ptr<fa4::Device> device;
  fa4::Bundle bundle;
  std::unique_ptr<fa4::Launcher> launcher;
};

struct fa4_plan {
  std::unique_ptr<fa4::Plan> plan;
};

namespace fa4 {
namespace {

thread_local std::string lastError;

/// Runs the body; what it throws becomes `status` and the last error.
template <typename Body> fa4_status guarded(fa4_status status, Body &&body) {
  try {
    lastError.clear();
    body();
    return FA4_OK;
  } catch (const std::exception &error) {
    lastError = error.what();
    return status;
  }
}

fa4_status missing(const char *what) {
  lastError = fmt::format("'{}' is null", what);
  return FA4_ERROR_ARGUMENT;
}

template <typename MakeDevice>
fa4_status open(const char *directory, fa4_context **context,
                MakeDevice &&makeDevice) {
  if (!directory)
    return missing("bundle");
  if (!context)
    return missing("context");
  *context = nullptr;
  auto opened = std::make_unique<fa4_context>();
  fa4_status status = guarded(
      FA4_ERROR_BUNDLE, [&] { opened->bundle = Bundle::load(directory); });
  if (status != FA4_OK)
    return status;
  status = guarded(FA4_ERROR_DEVICE, [&] {
    opened->device = makeDevice();
    opened->launcher = std::make_unique<Launcher>(*opened->device);
  });
  if (status == FA4_OK)
    *context = opened.release();
  return status;
}

KernelEntry const *select(fa4_context &context, const fa4_request &request,
                          fa4_status &status) {
  const KernelEntry *kernel = nullptr;
  status = guarded(FA4_ERROR_NO_KERNEL, [&] {
    Selection selection{request.op, {}, context.device->archs(), {}};
    for (size_t i = 0; i < request.key_count; ++i)
      selection.key[keyName(request.keys[i].name)] =
          keyValue(request.keys[i].value);
    kernel = &context.bundle.select(selection);
  });
  return kernel;
}

Tensor tensorOf(const fa4_tensor &given) {
  if (given.rank < 0 || given.rank > FA4_MAX_RANK)
    fail("tensor '{}' has rank {}, expected 0 to {}", given.name, given.rank,
         int(FA4_MAX_RANK));
  if (given.dtype < FA4_BF16 || given.dtype > FA4_U8)
    fail("tensor '{}' has unknown dtype {}", given.name, int(given.dtype));
  return {given.address, static_cast<ElementType>(given.dtype),
          std::vector<int64_t>(given.dims, given.dims + given.rank),
          std::vector<int64_t>(given.strides, given.strides + given.rank)};
}

LaunchArguments argumentsOf(const fa4_request &request) {
  LaunchArguments arguments;
  for (size_t i = 0; i < request.tensor_count; ++i)
    arguments.tensors[request.tensors[i].name] = tensorOf(request.tensors[i]);
  for (size_t i = 0; i < request.scalar_count; ++i)
    arguments.scalars[request.scalars[i].name] = request.scalars[i].value;
  return arguments;
}

bool namesAreThere(const fa4_request &request) {
  bool there = request.op != nullptr;
  for (size_t i = 0; there && i < request.key_count; ++i)
    there = request.keys[i].name && request.keys[i].value;
  for (size_t i = 0; there && i < request.tensor_count; ++i)
    there = request.tensors[i].name != nullptr;
  for (size_t i = 0; there && i < request.scalar_count; ++i)
    there = request.scalars[i].name != nullptr;
  return there;
}

} // namespace
} // namespace fa4

using namespace fa4;

const char *fa4_last_error(void) { return lastError.c_str(); }

fa4_status fa4_open_emulator(const char *bundle, fa4_context **context) {
  return open(bundle, context,
              [] { return std::make_unique<EmulatorDevice>(); });
}

fa4_status fa4_open_cuda(const char *bundle, int device, void *stream,
                         fa4_context **context) {
  return open(bundle, context, [&] {
    return makeCudaDevice({.ordinal = device,
                           .allowPtx = false,
                           .stream = static_cast<cuda::Stream>(stream)});
  });
}

void fa4_close(fa4_context *context) { delete context; }

fa4_status fa4_allocate(fa4_context *context, size_t bytes, uint64_t *address) {
  if (!context || !address)
    return missing(context ? "address" : "context");
  return guarded(FA4_ERROR_DEVICE, [&] {
    *address = context->device->allocate(bytes, "caller's memory");
  });
}

fa4_status fa4_release(fa4_context *context, uint64_t address) {
  if (!context)
    return missing("context");
  return guarded(FA4_ERROR_DEVICE, [&] { context->device->release(address); });
}

fa4_status fa4_upload(fa4_context *context, uint64_t address, const void *data,
                      size_t bytes) {
  if (!context || !data)
    return missing(context ? "data" : "context");
  return guarded(FA4_ERROR_LAUNCH, [&] {
    context->device->upload(address,
                            {static_cast<const std::byte *>(data), bytes});
  });
}

fa4_status fa4_download(fa4_context *context, void *data, uint64_t address,
                        size_t bytes) {
  if (!context || !data)
    return missing(context ? "data" : "context");
  return guarded(FA4_ERROR_LAUNCH, [&] {
    context->device->download(address, {static_cast<std::byte *>(data), bytes});
  });
}

fa4_status fa4_synchronize(fa4_context *context) {
  if (!context)
    return missing("context");
  return guarded(FA4_ERROR_LAUNCH, [&] { context->device->synchronize(); });
}

fa4_status fa4_prepare(fa4_context *context, const fa4_request *request,
                       fa4_plan **plan) {
  if (!context || !request || !plan)
    return missing(!context ? "context" : !request ? "request" : "plan");
  *plan = nullptr;
  if (!namesAreThere(*request))
    return missing("name in the request");
  fa4_status status = FA4_OK;
  const KernelEntry *kernel = select(*context, *request, status);
  if (status != FA4_OK)
    return status;
  return guarded(FA4_ERROR_PREPARE, [&] {
    auto prepared = std::make_unique<fa4_plan>();
    prepared->plan = context->launcher->prepare(*kernel, argumentsOf(*request));
    *plan = prepared.release();
  });
}

fa4_status fa4_launch(fa4_plan *plan) {
  if (!plan)
    return missing("plan");
  return guarded(FA4_ERROR_LAUNCH, [&] { plan->plan->launch(); });
}

void fa4_destroy_plan(fa4_plan *plan) { delete plan; }
