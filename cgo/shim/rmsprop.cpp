// The step of RMSprop, and moving averages: libtorch has no fused kernels for
// them, so each part is one call for all parameters.

#include <ATen/ops/_foreach_add.h>
#include <ATen/ops/_foreach_addcdiv.h>
#include <ATen/ops/_foreach_addcmul.h>
#include <ATen/ops/_foreach_lerp.h>
#include <ATen/ops/_foreach_mul.h>
#include <ATen/ops/_foreach_sqrt.h>
#include <ATen/ops/_foreach_sub.h>

#include "layout.h"
#include "move.h"
#include "shim.h"

using namespace lt;

namespace {

const at::Tensor& like(const at::Tensor& t, const at::Tensor& param, const char* what) {
  check_like(param, t, what);
  return t;
}

}  // namespace

lt_error* lt_rmsprop_step(const lt_tensor* params, const lt_tensor* squares, const lt_tensor* means, const lt_tensor* momenta, int32_t n,
                          lt_tensor rate, lt_rmsprop o) {
  return guard([&] {
    c10::NoGradGuard no_grad;
    std::vector<at::Tensor> param, grad, square, mean, momentum;
    for (int32_t i = 0; i < n; i++) {
      const at::Tensor& p = get(params[i]);
      if (!p.grad().defined()) continue;
      param.push_back(p);
      grad.push_back(like(p.grad(), p, "a gradient"));
      square.push_back(like(get(squares[i]), p, "square_avg"));
      if (means != nullptr) mean.push_back(like(get(means[i]), p, "grad_avg"));
      if (momenta != nullptr) momentum.push_back(like(get(momenta[i]), p, "momentum_buffer"));
    }
    if (param.empty()) return;
    if (o.weight_decay != 0) grad = at::_foreach_add(grad, param, o.weight_decay);
    at::_foreach_mul_(square, o.alpha);
    at::_foreach_addcmul_(square, grad, grad, 1 - o.alpha);
    std::vector<at::Tensor> root;
    if (means != nullptr) {
      at::_foreach_lerp_(mean, grad, 1 - o.alpha);
      root = at::_foreach_addcmul(square, mean, mean, -1);
      at::_foreach_sqrt_(root);
    } else {
      root = at::_foreach_sqrt(square);
    }
    at::_foreach_add_(root, o.eps);
    if (momenta == nullptr) {
      move_by(param, grad, root, o.lr, opt(rate));
      return;
    }
    at::_foreach_mul_(momentum, o.momentum);
    at::_foreach_addcdiv_(momentum, grad, root);
    if (rate != 0) {
      at::_foreach_sub_(param, at::_foreach_mul(momentum, get(rate)));
    } else {
      at::_foreach_add_(param, momentum, -o.lr);
    }
  });
}

lt_error* lt_lerp_(const lt_tensor* ts, const lt_tensor* towards, int32_t n, double weight) {
  return guard([&] {
    if (n == 0) return;
    c10::NoGradGuard no_grad;
    std::vector<at::Tensor> from = list(ts, n), to = list(towards, n);
    for (int32_t i = 0; i < n; i++) check_like(from[i], to[i], "an average");
    at::_foreach_lerp_(from, to, weight);
  });
}
