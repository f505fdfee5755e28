// The lt_ functions that Go calls are trampolines through the shim's table: the
// program itself links neither the shim nor libtorch.
#include <dlfcn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "loader.h"

static const lt_api *api;
static const lt_cuda_api *cuda_api;

static lt_error closed = {LT_INTERNAL, "libtorch is not open: call torch.Open first"};
static lt_error cuda_closed = {LT_DEVICE, "CUDA is not open: call torch.OpenCUDA first"};

#define LT_CLOSED_lt_done &closed
#define LT_CLOSED_lt_made ((lt_made){.error = &closed})
#define LT_CLOSED_lt_pair ((lt_pair){.error = &closed})
#define LT_CLOSED_lt_facts ((lt_facts){.error = &closed})
#define LT_TRAMPOLINE(result, name, params, args) \
  result lt_##name params { return api == NULL ? LT_CLOSED_##result : api->name args; }
LT_FUNCTIONS(LT_TRAMPOLINE)

#define LT_CUDA_TRAMPOLINE(name, params, args) \
  lt_error *lt_cuda_##name params { return cuda_api == NULL ? &cuda_closed : cuda_api->name args; }
LT_CUDA_FUNCTIONS(LT_CUDA_TRAMPOLINE)

void lt_error_free(lt_error *e) {
  if (api != NULL && e != &closed && e != &cuda_closed) api->error_free(e);
}

static char *message(const char *format, ...) {
  char text[4096];
  va_list args;
  va_start(args, format);
  vsnprintf(text, sizeof text, format, args);
  va_end(args);
  return strdup(text);
}

static char *open_symbol(const char *path, const char *name, void **symbol) {
  void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (library == NULL) return message("%s", dlerror());
  *symbol = dlsym(library, name);
  if (*symbol == NULL) return message("%s: no symbol %s: not a losscorr shim", path, name);
  return NULL;
}

char *losscorr_open(const char *path) {
  void *symbol;
  char *failed = open_symbol(path, "lt_open", &symbol);
  if (failed != NULL) return failed;
  const char *fingerprint;
  const lt_api *opened = ((lt_open_fn)symbol)(&fingerprint);
  if (strcmp(fingerprint, LT_FINGERPRINT_TEXT) != 0) return message("%s was built from other sources than this program", path);
  api = opened;
  return NULL;
}

char *losscorr_open_cuda(const char *path) {
  void *symbol;
  char *failed = open_symbol(path, "lt_open_cuda", &symbol);
  if (failed != NULL) return failed;
  const char *fingerprint;
  const lt_cuda_api *opened = ((lt_open_cuda_fn)symbol)(&fingerprint);
  if (strcmp(fingerprint, LT_CUDA_FINGERPRINT_TEXT) != 0) return message("%s was built from other sources than this program", path);
  cuda_api = opened;
  return NULL;
}

char *losscorr_open_driver(const char *path) {
  // Kept open: libtorch and CUDA's runtime find it by name.
  return dlopen(path, RTLD_LAZY | RTLD_LOCAL) == NULL ? message("%s", dlerror()) : NULL;
}
