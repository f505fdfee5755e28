#include "window.h"

#include <ATen/ops/constant_pad_nd.h>

#include "layout.h"
#include "shim.h"

namespace lt {
namespace {

// meets reports whether each place of the kernel along a dimension meets the image at some step;
// the first step that is not before the image decides.
bool meets(int64_t size, int64_t kernel, int64_t stride, int64_t padding, int64_t dilation) {
  const int64_t steps = (size + 2 * padding - dilation * (kernel - 1) - 1) / stride + 1;
  for (int64_t place = 0; place < kernel; place++) {
    const int64_t before = std::max<int64_t>(padding - place * dilation, 0), step = (before + stride - 1) / stride;
    if (step >= steps || step * stride - padding + place * dilation >= size) return false;
  }
  return true;
}

}  // namespace

Window::Window(const at::Tensor& weight, at::IntArrayRef stride, at::IntArrayRef padding, at::IntArrayRef dilation)
    : stride(stride.vec()), padding(padding.vec()), dilation(dilation.vec()) {
  const int64_t n = static_cast<int64_t>(stride.size());
  const bool fits = weight.dim() == n + 2;
  for (int64_t d = 0; d < n; d++) {
    // oneDNN's own message for an empty kernel is not helpful.
    TORCH_CHECK(!fits || weight.size(2 + d) > 0, "an empty kernel: weight of shape ", weight.sizes());
    for (int64_t v : {stride[d], padding[d], dilation[d]}) TORCH_CHECK_VALUE(v <= INT32_MAX, "a stride, padding or dilation of ", v);
    // oneDNN leaves the images' memory if such a dilation is passed on, with channels innermost.
    if (fits && weight.size(2 + d) == 1 && dilation[d] > 1) this->dilation[d] = 1;
  }
}

at::Tensor Window::pad(const at::Tensor& x, const at::Tensor& weight) {
  const int64_t n = static_cast<int64_t>(stride.size());
  // Needed up to libtorch 2.14: without it the fuzzer crashes 2.11, but not 2.15. A kernel of one
  // element with a stride reads only every stride-th element. For the gradient of its weights,
  // without padding and with sizes divisible by the stride, oneDNN (jit_1x1, AVX-512) first gathers
  // these elements. With channels innermost it does so in a buffer that is too short for fewer than
  // 16 channels. Images thinned here need no gathering. A last block of 16 that is not full is
  // thinned too.
  if (x.is_cpu() && weight.dim() == n + 2 && x.dim() == n + 2 && weight.size(0) > 0 && at::IntArrayRef(weight.sizes()).slice(2) == at::IntArrayRef(std::vector<int64_t>(n, 1)) && (x.size(1) % 16 != 0 || weight.size(0) % 16 != 0)) {
    at::Tensor thinned = x;
    for (int64_t d = 0; d < n; d++) {
      if (stride[d] <= 1 || padding[d] != 0) continue;
      thinned = thinned.slice(2 + d, 0, x.size(2 + d), stride[d]);
      stride[d] = 1;
    }
    if (!thinned.is_same(x)) return regular(thinned);
  }
  // Still needed in libtorch 2.15: pad in window.h describes the wrong gradient in bfloat16.
  if (!x.is_cpu() || (x.scalar_type() != at::kBFloat16 && !autocast_on(at::kCPU))) return x;
  if (weight.dim() != n + 2 || x.dim() < n || x.dim() > n + 2) return x;
  bool all = true;
  std::vector<int64_t> around;  // last dimension first
  for (int64_t d = n - 1; d >= 0; d--) {
    const int64_t size = x.size(x.dim() - n + d), kernel = weight.size(2 + d);
    if (stride[d] <= 0 || padding[d] < 0 || dilation[d] <= 0 || size + 2 * padding[d] <= dilation[d] * (kernel - 1)) return x;
    all = all && meets(size, kernel, stride[d], padding[d], dilation[d]);
    around.insert(around.end(), 2, padding[d]);
  }
  if (all) return x;
  std::fill(padding.begin(), padding.end(), 0);
  return at::constant_pad_nd(x, around);
}

}  // namespace lt
