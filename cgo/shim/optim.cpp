// Optimizer steps, one call for all parameters: libtorch's fused kernels, or the foreach ones if
// the device has none. Parameters without a gradient, and their state, stay unchanged.

#include <ATen/MemoryOverlap.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/ops/_foreach_add.h>
#include <ATen/ops/_foreach_addcdiv.h>
#include <ATen/ops/_foreach_addcmul.h>
#include <ATen/ops/_foreach_div.h>
#include <ATen/ops/_foreach_mul.h>
#include <ATen/ops/_foreach_sqrt.h>
#include <ATen/ops/_foreach_sub.h>
#include <ATen/ops/_fused_adagrad.h>
#include <ATen/ops/_fused_adam.h>
#include <ATen/ops/_fused_sgd.h>
#include <ATen/ops/empty_like.h>
#include <ATen/ops/empty_strided.h>
#include <ATen/ops/full.h>

#include "compat.h"
#include "layout.h"
#include "shim.h"

using namespace lt;

namespace {

// Step holds the parameters that have a gradient, with their gradients and state.
class Step {
 public:
  std::vector<at::Tensor> params, grads, first, second;

  Step(const lt_tensor* p, const lt_tensor* a, const lt_tensor* b, int32_t n) {
    params.reserve(n);
    grads.reserve(n);
    for (int32_t i = 0; i < n; i++) {
      const at::Tensor& param = get(p[i]);
      const at::Tensor* state[] = {a == nullptr ? nullptr : &get(a[i]), b == nullptr ? nullptr : &get(b[i])};
      const at::Tensor& grad = param.grad();
      if (!grad.defined()) continue;
      params.push_back(param);
      grads.push_back(grad);
      if (a != nullptr) first.push_back(*state[0]);
      if (b != nullptr) second.push_back(*state[1]);
    }
  }

  // begin prepares them for the fused kernels, which walk through the memory of a parameter, its
  // gradient and its state and check only the number of elements. It checks shapes, dtypes and
  // devices before anything changes, and copies other layouts to the parameter's strides. 16-bit
  // tensors are copied to float32: on the CPU the fused SGD of libtorch 2.11 computes them wrongly,
  // and the other optimizers round more.
  void begin() {
    for (size_t i = 0; i < params.size(); i++) {
      check_apart(params[i], "a parameter");
      check_like(params[i], grads[i], "gradient");
      for (const auto* list : {&first, &second}) {
        if (list->empty()) continue;
        check_like(params[i], (*list)[i], "state");
        check_apart((*list)[i], "state");
      }
    }
    for (size_t i = 0; i < params.size(); i++) {
      const at::Tensor& p = params[i];
      const auto strides = (p.is_non_overlapping_and_dense() ? p : at::empty_like(p)).strides().vec();
      adopt(params[i], strides, true);
      adopt(grads[i], strides, false);
      if (!first.empty()) adopt(first[i], strides, true);
      if (!second.empty()) adopt(second[i], strides, true);
    }
  }

  // finish writes the copies back.
  void finish() {
    for (auto& [from, to] : copies_) to.copy_(from);
  }

  // counts returns the step number in the form that the fused kernels read.
  std::vector<at::Tensor> counts(double step) const {
    return std::vector<at::Tensor>(params.size(), at::full({}, step, params[0].options().dtype(at::kFloat).requires_grad(false)));
  }

 private:
  std::vector<std::pair<at::Tensor, at::Tensor>> copies_;

  // check_apart refuses a tensor to be written whose elements share memory, as in an expanded one.
  static void check_apart(const at::Tensor& t, const char* what) {
    TORCH_CHECK_VALUE(t.is_non_overlapping_and_dense() || at::has_internal_overlap(t) != at::MemOverlap::Yes, "several elements of ", what,
                      " share memory: clone it");
  }

  // adopt replaces t by a suitable copy, unless it is suitable itself.
  void adopt(at::Tensor& t, const std::vector<int64_t>& strides, bool written) {
    bool same = true;
    for (int64_t d = 0; d < t.dim(); d++) same = same && (t.size(d) == 1 || t.stride(d) == strides[d]);
    const bool widen = t.is_cpu() && (t.scalar_type() == at::kBFloat16 || t.scalar_type() == at::kHalf);
    if (t.numel() == 0 || (same && !widen)) return;
    at::Tensor copy = at::empty_strided(t.sizes(), strides, t.options().dtype(widen ? at::kFloat : t.scalar_type()).requires_grad(false));
    copy.copy_(t);
    if (written) copies_.emplace_back(copy, t);
    t = copy;
  }
};

// fuses_adagrad reports whether libtorch has a fused AdaGrad step on the parameter's device: always
// on the CPU, on a GPU depending on the release.
bool fuses_adagrad(const at::Tensor& param) {
  static const auto op = c10::Dispatcher::singleton().findSchemaOrThrow("aten::_fused_adagrad_", "");
  return param.is_cpu() || (param.is_cuda() && op.hasKernelForDispatchKey(c10::DispatchKey::CUDA));
}

// fused_adagrad does that step if this release has one for the type of the learning rate: a number,
// or a tensor on the device.
template <class Rate>
bool fused_adagrad(const Step& step, const Rate& lr, double weight_decay, double eps) {
  if constexpr (requires { at::_fused_adagrad_(step.params, step.grads, step.first, step.counts(1), lr, 0.0, weight_decay, eps, false); }) {
    at::_fused_adagrad_(step.params, step.grads, step.first, step.counts(1), lr, 0.0, weight_decay, eps, false);
    return true;
  } else {
    return false;
  }
}

// move_by computes params -= lr by / over, with the learning rate on the device if given.
void move_by(at::TensorList params, at::TensorList by, at::TensorList over, double lr, const std::optional<at::Tensor>& rate) {
  if (rate.has_value()) {
    auto moves = at::_foreach_div(by, over);
    at::_foreach_mul_(moves, *rate);
    at::_foreach_sub_(params, moves);
  } else {
    at::_foreach_addcdiv_(params, by, over, -lr);
  }
}

}  // namespace

lt_error* lt_zero_grad(const lt_tensor* params, int32_t n) {
  return guard([&] {
    for (int32_t i = 0; i < n; i++) get(params[i]).mutable_grad().reset();
  });
}

lt_error* lt_sgd_step(const lt_tensor* params, const lt_tensor* momenta, int32_t n, double lr, lt_tensor rate, double momentum, double weight_decay) {
  return guard([&] {
    c10::NoGradGuard no_grad;
    Step step(params, momentum != 0 ? momenta : nullptr, nullptr, n);
    if (step.params.empty()) return;
    step.begin();
    if (rate != 0) {
      at::_fused_sgd_(step.params, step.grads, step.first, weight_decay, momentum, get(rate), 0.0, false, false, false);
    } else {
      at::_fused_sgd_(step.params, step.grads, step.first, weight_decay, momentum, lr, 0.0, false, false, false);
    }
    step.finish();
  });
}

lt_error* lt_adagrad_step(const lt_tensor* params, const lt_tensor* sums, int32_t n, double lr, lt_tensor rate, double eps, double weight_decay) {
  return guard([&] {
    c10::NoGradGuard no_grad;
    Step step(params, sums, nullptr, n);
    if (step.params.empty()) return;
    step.begin();
    const bool fused = fuses_adagrad(step.params[0]) &&
                       (rate == 0 ? fused_adagrad(step, lr, weight_decay, eps) : fused_adagrad(step, get(rate), weight_decay, eps));
    if (!fused) {
      if (weight_decay != 0) step.grads = at::_foreach_add(step.grads, step.params, weight_decay);
      at::_foreach_addcmul_(step.first, step.grads, step.grads, 1);
      auto root = at::_foreach_sqrt(step.first);
      at::_foreach_add_(root, eps);
      move_by(step.params, step.grads, root, lr, opt(rate));
    }
    step.finish();
  });
}

lt_error* lt_adam_step(const lt_tensor* params, const lt_tensor* means, const lt_tensor* squares, int32_t n, int64_t number, lt_tensor count,
                       lt_tensor rate, lt_adam o) {
  return guard([&] {
    c10::NoGradGuard no_grad;
    Step step(params, means, squares, n);
    if (step.params.empty()) return;
    step.begin();
    auto counts = count == 0 ? step.counts(static_cast<double>(number)) : std::vector<at::Tensor>(step.params.size(), get(count).to(at::kFloat));
    auto move = [&](const auto& lr) {
      at::_fused_adam_(step.params, step.grads, step.first, step.second, {}, counts, lr, o.beta1, o.beta2, o.weight_decay, o.eps, false, false);
    };
    if (rate != 0) {
      move(get(rate));
    } else {
      move(o.lr);
    }
    step.finish();
  });
}
