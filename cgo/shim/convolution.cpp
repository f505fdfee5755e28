// Convolutions beyond conv2d: over sequences, and transposed.

#include <ATen/ops/conv1d.h>
#include <ATen/ops/conv_transpose2d.h>

#include "layout.h"
#include "shim.h"
#include "window.h"

using namespace lt;

lt_error* lt_conv1d(lt_tensor t, lt_tensor weight, lt_tensor bias, int64_t stride, int64_t padding, int64_t dilation, int64_t groups,
                    lt_tensor* out) {
  return guard([&] {
    const at::Tensor& w = get(weight);
    Window window(w, stride, padding, dilation);
    const at::Tensor x = window.pad(regular(get(t)), w);
    *out = put(at::conv1d(x, regular(w), opt(bias), window.stride, window.padding, window.dilation, groups));
  });
}

lt_error* lt_conv_transpose2d(lt_tensor t, lt_tensor weight, lt_tensor bias, const int64_t* stride, const int64_t* padding,
                              const int64_t* output_padding, const int64_t* dilation, int64_t groups, lt_tensor* out) {
  return guard([&] {
    const at::Tensor& w = get(weight);
    const Window window(w, ints(stride, 2), ints(padding, 2), ints(dilation, 2));
    *out = put(at::conv_transpose2d(regular(get(t)), regular(w), opt(bias), window.stride, window.padding, ints(output_padding, 2), groups, window.dilation));
  });
}
