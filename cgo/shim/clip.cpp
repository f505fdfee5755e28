// Clipping of gradients by their joint norm.

#include <ATen/ops/_foreach_mul.h>
#include <ATen/ops/_foreach_norm.h>
#include <ATen/ops/linalg_vector_norm.h>
#include <ATen/ops/stack.h>
#include <ATen/ops/zeros.h>

#include "shim.h"

using namespace lt;

// The factor stays on the device, as in PyTorch's clip_grad_norm_: min(1, max /
// (norm + 1e-6)). Reading the norm to decide whether to scale would have the host wait
// for the whole step.
lt_error* lt_clip_grad_norm(const lt_tensor* params, int32_t n, double max, lt_tensor* total) {
  return guard([&] {
    c10::NoGradGuard no_grad;
    std::vector<at::Tensor> grads;
    for (int32_t i = 0; i < n; i++)
      if (const at::Tensor& grad = get(params[i]).grad(); grad.defined()) grads.push_back(grad);
    if (grads.empty()) {
      *total = put(at::zeros({}));
      return;
    }
    at::Tensor norm = at::linalg_vector_norm(at::stack(at::_foreach_norm(grads)));
    at::_foreach_mul_(grads, norm.add(1e-6).reciprocal_().mul_(max).clamp_max_(1));
    *total = put(norm);
  });
}
