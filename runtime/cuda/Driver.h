// The part of the CUDA driver API that the runtime uses, declared here so that
// building needs no CUDA. Names, values and layouts are those of cuda.h 12.
#pragma once
#include <cstddef>
#include <cstdint>

namespace fa4::cuda {

using Result = int; // CUresult; 0 is success
using DeviceId = int;
using DevicePointer = unsigned long long;
using Context = struct ContextObject *;
using Module = struct ModuleObject *;
using Function = struct FunctionObject *;
using Stream = struct StreamObject *;
using Event = struct EventObject *;

constexpr int multiprocessorCount = 16; // CU_DEVICE_ATTRIBUTE_...
constexpr int computeCapabilityMajor = 75;
constexpr int computeCapabilityMinor = 76;
constexpr int maxDynamicSharedBytes = 8; // CU_FUNC_ATTRIBUTE_...
constexpr int nonPortableClusterSize = 14;
constexpr unsigned jitErrorLog = 5; // CU_JIT_ERROR_LOG_BUFFER
constexpr unsigned jitErrorLogBytes = 6;
constexpr unsigned clusterDimension = 4; // CU_LAUNCH_ATTRIBUTE_...
constexpr unsigned programmaticSerialization = 6;
constexpr unsigned nonBlockingStream = 1;

struct LaunchAttribute {
  unsigned id;
  union alignas(8) {
    unsigned clusterDim[3];
    int programmaticAllowed;
    char bytes[64];
  };
};
static_assert(sizeof(LaunchAttribute) == 72);

struct LaunchConfig {
  unsigned grid[3], block[3];
  unsigned sharedBytes;
  Stream stream;
  LaunchAttribute *attributes;
  unsigned attributeCount;
};
static_assert(sizeof(LaunchConfig) == 56);

/// Entry points; each has the signature of the function in its comment.
struct Driver {
  Result (*init)(unsigned);                    // cuInit
  Result (*errorName)(Result, const char **);  // cuGetErrorName
  Result (*errorText)(Result, const char **);  // ...String
  Result (*deviceCount)(int *);                // cuDeviceGetCount
  Result (*deviceGet)(DeviceId *, int);        // cuDeviceGet
  Result (*deviceName)(char *, int, DeviceId); // cuDeviceGetName
  Result (*deviceAttribute)(int *, int, DeviceId);
  Result (*retainContext)(Context *, DeviceId); // primary
  Result (*releaseContext)(DeviceId);
  Result (*setContext)(Context);                    // cuCtxSetCurrent
  Result (*allocate)(DevicePointer *, std::size_t); // cuMemAlloc
  Result (*release)(DevicePointer);                 // cuMemFree
  Result (*upload)(DevicePointer, const void *, std::size_t, Stream);
  Result (*download)(void *, DevicePointer, std::size_t, Stream);
  Result (*fill)(DevicePointer, unsigned char, std::size_t, Stream);
  Result (*loadModule)(Module *, const void *, unsigned, unsigned *, void **);
  Result (*unloadModule)(Module);
  Result (*getFunction)(Function *, Module, const char *);
  Result (*setFunctionAttribute)(Function, int, int);
  Result (*launch)(const LaunchConfig *, Function, void **, void **);
  Result (*createStream)(Stream *, unsigned);
  Result (*destroyStream)(Stream);
  Result (*synchronizeStream)(Stream);
  Result (*createEvent)(Event *, unsigned);
  Result (*destroyEvent)(Event);
  Result (*recordEvent)(Event, Stream);
  Result (*synchronizeEvent)(Event);
  Result (*elapsed)(float *, Event, Event); // milliseconds
  Result (*encodeTiled)(void *map, int type, uint32_t rank, void *address,
                        const uint64_t *dims, const uint64_t *strides,
                        const uint32_t *box, const uint32_t *elementStrides,
                        int interleave, int swizzle, int promotion, int fill);
};

/// Opens libcuda.so.1, which stays open. Throws fa4::Error "no CUDA driver:
/// why", or which entry point the driver is too old for.
const Driver &loadDriver();

} // namespace fa4::cuda
