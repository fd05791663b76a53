/* The C interface of the runtime: open a device with a bundle of kernels, bind
 * a kernel to tensors once, launch it many times. Nothing here compiles. */
#ifndef FA4_H
#define FA4_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What failed; fa4_last_error() says why, with names and numbers. */
typedef enum {
  FA4_OK = 0,
  FA4_ERROR_ARGUMENT = 1,  /* a null pointer or an unknown enumerator */
  FA4_ERROR_DEVICE = 2,    /* no such device, or no memory on it */
  FA4_ERROR_BUNDLE = 3,    /* the bundle is missing or malformed */
  FA4_ERROR_NO_KERNEL = 4, /* it has no kernel for the request */
  FA4_ERROR_PREPARE = 5,   /* tensors or scalars do not fit the kernel */
  FA4_ERROR_LAUNCH = 6     /* a launch or a copy failed */
} fa4_status;

/* The text of this thread's last error; valid until its next fa4_ call. */
const char *fa4_last_error(void);

typedef struct fa4_context fa4_context; /* a device and a bundle */
typedef struct fa4_plan fa4_plan;       /* a kernel bound to its arguments */

/* The emulator runs PTX on the CPU. `stream` is a CUstream of the device's
 * primary context to which all work goes, or null. The bundle is a directory
 * with a manifest.json. One thread at a time uses a context and its plans. */
fa4_status fa4_open_emulator(const char *bundle, fa4_context **context);
fa4_status fa4_open_cuda(const char *bundle, int device, void *stream,
                         fa4_context **context);
/* After its plans; null is allowed, also below. */
void fa4_close(fa4_context *context);

/* Device memory, for callers that have none of their own. */
fa4_status fa4_allocate(fa4_context *context, size_t bytes, uint64_t *address);
fa4_status fa4_release(fa4_context *context, uint64_t address);
fa4_status fa4_upload(fa4_context *context, uint64_t address, const void *data,
                      size_t bytes);
fa4_status fa4_download(fa4_context *context, void *data, uint64_t address,
                        size_t bytes);
fa4_status fa4_synchronize(fa4_context *context);

typedef enum {
  FA4_BF16 = 0,
  FA4_F16 = 1,
  FA4_F32 = 2,
  FA4_F64 = 3,
  FA4_I32 = 4,
  FA4_U32 = 5,
  FA4_U8 = 6
} fa4_dtype;

enum { FA4_MAX_RANK = 5 };

/* dims and strides (in elements) are outermost first; the last stride is 1. */
typedef struct {
  const char *name;
  uint64_t address;
  fa4_dtype dtype;
  int rank;
  int64_t dims[FA4_MAX_RANK];
  int64_t strides[FA4_MAX_RANK];
} fa4_tensor;

typedef struct {
  const char *name;
  double value;
} fa4_scalar;

/* One pair of a kernel's key; the value is a string, an integer, "true" or
 * "false". */
typedef struct {
  const char *name;
  const char *value;
} fa4_key;

typedef struct {
  const char *op; /* as in the manifest, e.g. "attention_forward" */
  const fa4_key *keys;
  size_t key_count;
  const fa4_tensor *tensors;
  size_t tensor_count;
  const fa4_scalar *scalars;
  size_t scalar_count;
} fa4_request;

/* Nothing of the request is kept. The plan owns the kernel's scratch. */
fa4_status fa4_prepare(fa4_context *context, const fa4_request *request,
                       fa4_plan **plan);
/* Returns when the work is queued (CUDA) or done (emulator). */
fa4_status fa4_launch(fa4_plan *plan);
void fa4_destroy_plan(fa4_plan *plan);

#ifdef __cplusplus
}
#endif

#endif /* FA4_H */
