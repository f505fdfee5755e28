// Activations beyond those of pointwise.cpp.

#include <ATen/ops/erf.h>
#include <ATen/ops/gelu.h>
#include <ATen/ops/leaky_relu.h>
#include <ATen/ops/silu.h>

#include "shim.h"

using namespace lt;

lt_error* lt_erf(lt_tensor t, lt_tensor* out) {
  return guard([&] { *out = put(at::erf(get(t))); });
}

lt_error* lt_gelu(lt_tensor t, int32_t tanh, lt_tensor* out) {
  return guard([&] { *out = put(at::gelu(get(t), tanh != 0 ? "tanh" : "none")); });
}

lt_error* lt_silu(lt_tensor t, lt_tensor* out) {
  return guard([&] { *out = put(at::silu(get(t))); });
}

lt_error* lt_leaky_relu(lt_tensor t, double slope, lt_tensor* out) {
  return guard([&] { *out = put(at::leaky_relu(get(t), slope)); });
}
