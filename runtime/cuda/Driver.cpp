#include "runtime/cuda/Driver.h"

#include "runtime/Error.h"

#include <dlfcn.h>

namespace fa4::cuda {
namespace {

constexpr const char *libraryName = "libcuda.so.1";

void *openLibrary() {
  void *library = dlopen(libraryName, RTLD_NOW | RTLD_LOCAL);
  if (!library)
    fail("no CUDA driver: {}", dlerror());
  return library;
}

template <typename Function>
void resolve(void *library, const char *name, Function *&to) {
  to = reinterpret_cast<Function *>(dlsym(library, name));
  if (!to)
    fail("the CUDA driver has no {}: it is too old", name);
}

/// Functions without a versioned symbol of their own come through
/// cuGetProcAddress, for the given CUDA version.
template <typename Function>
void resolveVersion(void *library, const char *name, int version,
                    Function *&to) {
  using GetProcAddress = Result(const char *, void **, int, uint64_t, int *);
  GetProcAddress *getProcAddress = nullptr;
  resolve(library, "cuGetProcAddress_v2", getProcAddress);
  void *address = nullptr;
  int status = 0;
  if (getProcAddress(name, &address, version, 0, &status) != 0 || !address)
    fail("the CUDA driver has no {} of CUDA {}.{}: it is too old", name,
         version / 1000, version % 1000 / 10);
  to = reinterpret_cast<Function *>(address);
}

Driver resolveAll() {
  void *library = openLibrary();
  Driver d{};
  resolve(library, "cuInit", d.init);
  resolve(library, "cuGetErrorName", d.errorName);
  resolve(library, "cuGetErrorString", d.errorText);
  resolve(library, "cuDeviceGetCount", d.deviceCount);
  resolve(library, "cuDeviceGet", d.deviceGet);
  resolve(library, "cuDeviceGetName", d.deviceName);
  resolve(library, "cuDeviceGetAttribute", d.deviceAttribute);
  resolve(library, "cuDevicePrimaryCtxRetain", d.retainContext);
  resolve(library, "cuDevicePrimaryCtxRelease_v2", d.releaseContext);
  resolve(library, "cuCtxSetCurrent", d.setContext);
  resolve(library, "cuMemAlloc_v2", d.allocate);
  resolve(library, "cuMemFree_v2", d.release);
  resolve(library, "cuMemcpyHtoDAsync_v2", d.upload);
  resolve(library, "cuMemcpyDtoHAsync_v2", d.download);
  resolve(library, "cuMemsetD8Async", d.fill);
  resolve(library, "cuModuleLoadDataEx", d.loadModule);
  resolve(library, "cuModuleUnload", d.unloadModule);
  resolve(library, "cuModuleGetFunction", d.getFunction);
  resolve(library, "cuFuncSetAttribute", d.setFunctionAttribute);
  resolve(library, "cuStreamCreate", d.createStream);
  resolve(library, "cuStreamDestroy_v2", d.destroyStream);
  resolve(library, "cuStreamSynchronize", d.synchronizeStream);
  resolve(library, "cuEventCreate", d.createEvent);
  resolve(library, "cuEventDestroy_v2", d.destroyEvent);
  resolve(library, "cuEventRecord", d.recordEvent);
  resolve(library, "cuEventSynchronize", d.synchronizeEvent);
  resolve(library, "cuEventElapsedTime", d.elapsed);
  resolveVersion(library, "cuLaunchKernelEx", 12000, d.launch);
  resolveVersion(library, "cuTensorMapEncodeTiled", 12000, d.encodeTiled);
  return d;
}

} // namespace

const Driver &loadDriver() {
  static const Driver driver = resolveAll();
  return driver;
}

} // namespace fa4::cuda
