// Convolutions beyond conv2d: over sequences, and transposed.

#include <ATen/ops/conv1d.h>
#include <ATen/ops/conv_transpose2d.h>

#include "shim.h"

using namespace lt;

lt_error* lt_conv1d(lt_tensor t, lt_tensor weight, lt_tensor bias, int64_t stride, int64_t padding, int64_t dilation, int64_t groups,
                    lt_tensor* out) {
  return guard([&] { *out = put(at::conv1d(get(t), get(weight), opt(bias), stride, padding, dilation, groups)); });
}

lt_error* lt_conv_transpose2d(lt_tensor t, lt_tensor weight, lt_tensor bias, const int64_t* stride, const int64_t* padding,
                              const int64_t* output_padding, const int64_t* dilation, int64_t groups, lt_tensor* out) {
  return guard([&] {
    *out = put(at::conv_transpose2d(get(t), get(weight), opt(bias), ints(stride, 2), ints(padding, 2), ints(output_padding, 2), groups, ints(dilation, 2)));
  });
}
