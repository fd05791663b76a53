/* Scales a vector on the emulator through the C interface: the whole life of a
 * context, and one failure of each kind. Exits with 0 if all is as expected. */
#include "runtime/fa4.h"

#include <stdio.h>
#include <string.h>

enum { elements = 300 };

static int expectError(fa4_status status, fa4_status expected,
                       const char *text) {
  if (status == expected && strstr(fa4_last_error(), text))
    return 0;
  fprintf(stderr, "expected status %d with '%s', got %d with '%s'\n", expected,
          text, status, fa4_last_error());
  return 1;
}

#define CHECK(call)                                                            \
  do {                                                                         \
    if ((call) != FA4_OK) {                                                    \
      fprintf(stderr, "%s: %s\n", #call, fa4_last_error());                    \
      return 1;                                                                \
    }                                                                          \
  } while (0)

static int scale(fa4_context *context) {
  float x[elements], y[elements];
  for (int i = 0; i < elements; ++i)
    x[i] = (float)i;
  uint64_t xAddress, yAddress;
  CHECK(fa4_allocate(context, sizeof(x), &xAddress));
  CHECK(fa4_allocate(context, sizeof(y), &yAddress));
  CHECK(fa4_upload(context, xAddress, x, sizeof(x)));

  fa4_tensor tensors[] = {{"x", xAddress, FA4_F32, 1, {elements}, {1}},
                          {"y", yAddress, FA4_F32, 1, {elements}, {1}}};
  fa4_scalar scalars[] = {{"factor", 2.5}};
  fa4_key keys[] = {{"dtype", "f32"}};
  fa4_request request = {"scale", keys, 1, tensors, 2, scalars, 1};
  fa4_plan *plan;
  CHECK(fa4_prepare(context, &request, &plan));
  CHECK(fa4_launch(plan));
  CHECK(fa4_synchronize(context));
  fa4_destroy_plan(plan);

  CHECK(fa4_download(context, y, yAddress, sizeof(y)));
  CHECK(fa4_release(context, xAddress));
  CHECK(fa4_release(context, yAddress));
  for (int i = 0; i < elements; ++i)
    if (y[i] != 2.5f * x[i]) {
      fprintf(stderr, "y[%d] is %g\n", i, y[i]);
      return 1;
    }
  return 0;
}

static int fail(const char *bundle, fa4_context *context) {
  int wrong = 0;
  fa4_context *none;
  fa4_plan *plan;
  wrong += expectError(fa4_open_emulator("/nonexistent", &none),
                       FA4_ERROR_BUNDLE, "can't read '/nonexistent/manifest");
  wrong += expectError(fa4_open_emulator(NULL, &none), FA4_ERROR_ARGUMENT,
                       "'bundle' is null");
  wrong += expectError(fa4_open_cuda(bundle, 1 << 20, NULL, &none),
                       FA4_ERROR_DEVICE, "no CUDA ");
  fa4_request request = {"shift", NULL, 0, NULL, 0, NULL, 0};
  wrong += expectError(fa4_prepare(context, &request, &plan),
                       FA4_ERROR_NO_KERNEL, "no kernel for shift");
  request.op = "scale";
  wrong += expectError(fa4_prepare(context, &request, &plan), FA4_ERROR_PREPARE,
                       "needs tensor 'x'");
  char byte = 0;
  wrong += expectError(fa4_upload(context, 16, &byte, 1), FA4_ERROR_LAUNCH, "");
  wrong += expectError(fa4_launch(NULL), FA4_ERROR_ARGUMENT, "'plan' is null");
  return wrong;
}

int main(int argc, char **argv) {
  if (argc != 2) {
    fprintf(stderr, "usage: %s BUNDLE\n", argv[0]);
    return 2;
  }
  fa4_context *context;
  CHECK(fa4_open_emulator(argv[1], &context));
  int wrong = scale(context) + fail(argv[1], context);
  fa4_close(context);
  return wrong != 0;
}
