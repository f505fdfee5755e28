// Normalisation within an example: over its last dimensions, or over groups of
// its channels.

#include <ATen/ops/group_norm.h>
#include <ATen/ops/layer_norm.h>

#include "shim.h"

using namespace lt;

lt_error* lt_layer_norm(lt_tensor t, const int64_t* shape, int32_t n, lt_tensor weight, lt_tensor bias, double eps, lt_tensor* out) {
  return guard([&] { *out = put(at::layer_norm(get(t), ints(shape, n), opt(weight), opt(bias), eps)); });
}

lt_error* lt_group_norm(lt_tensor t, int64_t groups, lt_tensor weight, lt_tensor bias, double eps, lt_tensor* out) {
  return guard([&] { *out = put(at::group_norm(get(t), groups, opt(weight), opt(bias), eps)); });
}
