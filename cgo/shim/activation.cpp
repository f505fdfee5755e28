// Activations beyond those of pointwise.cpp.

#include <ATen/ops/gelu.h>

#include "shim.h"

using namespace lt;

lt_error* lt_gelu(lt_tensor t, lt_tensor* out) {
  return guard([&] { *out = put(at::gelu(get(t))); });
}

