// Convolutions beyond conv2d: over sequences, and transposed.

#include <ATen/ops/constant_pad_nd.h>
#include <ATen/ops/conv1d.h>
#include <ATen/ops/conv_transpose2d.h>

#include "layout.h"
#include "shim.h"
#include "window.h"

using namespace lt;

namespace {

// widened gives a kernel of one element a row and a column of zeros, in place of as many
// that are added to the output: the gradient of the kernel alone is the one that
// Window::pad is about, with the output in the images' place.
std::pair<at::Tensor, std::vector<int64_t>> widened(const at::Tensor& w, at::IntArrayRef output_padding) {
  std::vector<int64_t> added = output_padding.vec(), around(4);
  if (!w.is_cpu() || w.dim() != 4 || w.size(2) != 1 || w.size(3) != 1) return {w, added};
  for (int d = 0; d < 2; d++) {
    if (added[d] <= 0) continue;
    added[d]--;
    around[3 - 2 * d] = 1;  // the last dimension first, after its elements
  }
  if (added == output_padding.vec()) return {w, added};
  return {at::constant_pad_nd(w, around), added};
}

}  // namespace

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
    TORCH_CHECK(w.dim() != 4 || w.size(1) > 0, "no outputs: weight of shape ", w.sizes());
    const Window window(w, ints(stride, 2), ints(padding, 2), ints(dilation, 2));
    const auto [kernel, added] = widened(w, ints(output_padding, 2));
    *out = put(at::conv_transpose2d(regular(get(t)), regular(kernel), opt(bias), window.stride, window.padding, added, groups, window.dilation));
  });
}
