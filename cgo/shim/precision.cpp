// Half precision: whether the processor supports it, and the scaling of gradients that float16
// needs.

#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/ops/_amp_foreach_non_finite_check_and_unscale.h>
#include <ATen/ops/full.h>
#include <ATen/ops/zeros.h>

#include "shim.h"

using namespace lt;

// oneDNN has bfloat16 kernels for processors with AVX-512 and for some Arm processors. Elsewhere
// libtorch computes element by element, many times slower than float32.
lt_error* lt_has_bfloat16(int32_t* out) {
  return guard([&] {
    auto known = c10::Dispatcher::singleton().findSchema({"mkldnn::_is_mkldnn_bf16_supported", ""});
    *out = known && known->typed<bool()>().call() ? 1 : 0;
  });
}

lt_error* lt_unscale(const lt_tensor* params, int32_t n, double scale, int32_t* finite) {
  return guard([&] {
    c10::NoGradGuard no_grad;
    *finite = 1;
    std::vector<at::Tensor> grads;
    for (int32_t i = 0; i < n; i++)
      if (const at::Tensor& grad = get(params[i]).grad(); grad.defined()) grads.push_back(grad);
    if (grads.empty()) return;
    auto one = grads[0].options().dtype(at::kFloat).requires_grad(false);
    at::Tensor found = at::zeros({}, one);
    at::_amp_foreach_non_finite_check_and_unscale_(grads, found, at::full({}, 1 / scale, one));
    *finite = found.item<float>() == 0;
  });
}
