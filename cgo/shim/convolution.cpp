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

// uncovered is the padding, to be cut off afterwards, where some element of the kernel
// gives to nothing but it: its gradient in bfloat16 would be what was in memory before,
// as in Window::pad.
std::vector<int64_t> uncovered(const at::Tensor& x, const at::Tensor& w, const std::vector<int64_t>& added, const Window& window) {
  if (!x.is_cpu() || w.dim() != 4 || x.dim() < 3 || (x.scalar_type() != at::kBFloat16 && !autocast_on(at::kCPU))) return {};
  std::vector<int64_t> sizes;
  for (int64_t d = 0; d < 2; d++)
    sizes.push_back((x.size(x.dim() - 2 + d) - 1) * window.stride[d] - 2 * window.padding[d] + window.dilation[d] * (w.size(2 + d) - 1) + added[d] + 1);
  return window.meets_all(w, sizes) ? std::vector<int64_t>{} : window.padding;
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
    Window window(w, ints(stride, 2), ints(padding, 2), ints(dilation, 2));
    const auto [kernel, added] = widened(w, ints(output_padding, 2));
    const std::vector<int64_t> cut = uncovered(get(t), kernel, added, window);
    if (!cut.empty()) std::fill(window.padding.begin(), window.padding.end(), 0);
    at::Tensor y = at::conv_transpose2d(regular(get(t)), regular(kernel), opt(bias), window.stride, window.padding, added, groups, window.dilation);
    for (size_t d = 0; d < cut.size(); d++) {
      const int64_t dim = y.dim() - 2 + static_cast<int64_t>(d);
      y = y.narrow(dim, cut[d], y.size(dim) - 2 * cut[d]);
    }
    *out = put(cut.empty() ? y : y.clone());
  });
}
