// Optimizer steps, one call for all parameters. On the CPU the fused kernels,
// elsewhere the fused or the foreach ones. A parameter without a gradient is
// left alone, with its state.

#include <ATen/ops/_foreach_add.h>
#include <ATen/ops/_foreach_addcdiv.h>
#include <ATen/ops/_foreach_addcmul.h>
#include <ATen/ops/_foreach_sqrt.h>
#include <ATen/ops/_fused_adagrad.h>
#include <ATen/ops/_fused_adam.h>
#include <ATen/ops/_fused_adamw.h>
#include <ATen/ops/_fused_sgd.h>
#include <ATen/ops/full.h>

#include "compat.h"
#include "shim.h"

using namespace lt;

namespace {

struct Step {
  std::vector<at::Tensor> params, grads, first, second;

  Step(const lt_tensor* p, const lt_tensor* a, const lt_tensor* b, int32_t n) {
    params.reserve(n);
    grads.reserve(n);
    for (int32_t i = 0; i < n; i++) {
      const at::Tensor& param = get(p[i]);
      const at::Tensor& grad = param.grad();
      if (!grad.defined()) continue;
      params.push_back(param);
      grads.push_back(grad);
      if (a != nullptr) first.push_back(get(a[i]));
      if (b != nullptr) second.push_back(get(b[i]));
    }
  }

  // counts is the step number in the form that the fused kernels read.
  std::vector<at::Tensor> counts(double step) const {
    return std::vector<at::Tensor>(params.size(), at::full({}, step, params[0].options().dtype(at::kFloat).requires_grad(false)));
  }
};

}  // namespace

lt_error* lt_zero_grad(const lt_tensor* params, int32_t n) {
  return guard([&] {
    for (int32_t i = 0; i < n; i++) get(params[i]).mutable_grad().reset();
  });
}

lt_error* lt_sgd_step(const lt_tensor* params, const lt_tensor* momenta, int32_t n, double lr, double momentum, double weight_decay,
                      int32_t nesterov, int32_t first) {
  return guard([&] {
    c10::NoGradGuard no_grad;
    Step step(params, momentum != 0 ? momenta : nullptr, nullptr, n);
    if (step.params.empty()) return;
    at::_fused_sgd_(step.params, step.grads, step.first, weight_decay, momentum, lr, 0.0, nesterov != 0, false, first != 0);
  });
}

lt_error* lt_adagrad_step(const lt_tensor* params, const lt_tensor* sums, int32_t n, double lr, double eps, double weight_decay) {
  return guard([&] {
    c10::NoGradGuard no_grad;
    Step step(params, sums, nullptr, n);
    if (step.params.empty()) return;
    if (step.params[0].is_cpu()) {
      at::_fused_adagrad_(step.params, step.grads, step.first, step.counts(1), lr, 0.0, weight_decay, eps, false);
      return;
    }
    if (weight_decay != 0) step.grads = at::_foreach_add(step.grads, step.params, weight_decay);
    at::_foreach_addcmul_(step.first, step.grads, step.grads, 1);
    auto root = at::_foreach_sqrt(step.first);
    at::_foreach_add_(root, eps);
    at::_foreach_addcdiv_(step.params, step.grads, root, -lr);
  });
}

lt_error* lt_adam_step(const lt_tensor* params, const lt_tensor* means, const lt_tensor* squares, int32_t n, int64_t number, lt_adam o) {
  return guard([&] {
    c10::NoGradGuard no_grad;
    Step step(params, means, squares, n);
    if (step.params.empty()) return;
    auto counts = step.counts(static_cast<double>(number));
    if (o.decoupled) {
      at::_fused_adamw_(step.params, step.grads, step.first, step.second, {}, counts, o.lr, o.beta1, o.beta2, o.weight_decay, o.eps, false, false);
    } else {
      at::_fused_adam_(step.params, step.grads, step.first, step.second, {}, counts, o.lr, o.beta1, o.beta2, o.weight_decay, o.eps, false, false);
    }
  });
}
