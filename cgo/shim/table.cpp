// The only exported function of the shim.

#include "blas.h"
#include "shim.h"

#define LT_ENTRY(result, name, params, args) &lt_##name,
static const lt_api table = {LT_FUNCTIONS(LT_ENTRY) &lt_error_free};

extern "C" __attribute__((visibility("default"))) const lt_api* lt_open(const char** fingerprint_text) {
  lt::settle_vector_functions();
  *fingerprint_text = LT_FINGERPRINT_TEXT;
  return &table;
}
