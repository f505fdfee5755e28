// The layers' operations and libtorch's own losses.

#include <ATen/ops/adaptive_avg_pool2d.h>
#include <ATen/ops/conv2d.h>
#include <ATen/ops/cross_entropy_loss.h>
#include <ATen/ops/embedding.h>
#include <ATen/ops/lstm.h>
#include <ATen/ops/max_pool2d.h>
#include <ATen/ops/nll_loss_nd.h>

#include "layout.h"
#include "lstm_check.h"
#include "shim.h"
#include "window.h"

using namespace lt;

lt_error* lt_conv2d(lt_tensor t, lt_tensor weight, lt_tensor bias, int64_t stride, int64_t padding, int64_t groups, lt_tensor* out) {
  return guard([&] {
    const at::Tensor& w = get(weight);
    Window window(w, {stride, stride}, {padding, padding}, {1, 1});
    const at::Tensor x = window.pad(regular(get(t)), w);
    *out = put(at::conv2d(x, regular(w), opt(bias), window.stride, window.padding, window.dilation, groups));
  });
}

lt_error* lt_max_pool2d(lt_tensor t, int64_t kernel, int64_t stride, int64_t padding, lt_tensor* out) {
  return guard([&] { *out = put(at::max_pool2d(get(t), kernel, stride, padding)); });
}

lt_error* lt_adaptive_avg_pool2d(lt_tensor t, int64_t height, int64_t width, lt_tensor* out) {
  return guard([&] { *out = put(at::adaptive_avg_pool2d(get(t), {height, width})); });
}

lt_error* lt_embedding(lt_tensor weight, lt_tensor index, lt_tensor* out) {
  return guard([&] { *out = put(at::embedding(get(weight), get(index))); });
}

lt_error* lt_lstm(lt_tensor t, lt_tensor h0, lt_tensor c0, const lt_tensor* params, lt_tensor* out, lt_tensor* h, lt_tensor* c) {
  return guard([&] {
    std::vector<at::Tensor> states{get(h0), get(c0)}, weights = list(params, 4);
    check_lstm(get(t), states[0], states[1], weights, 1, false, true);
    auto [y, hn, cn] = at::lstm(regular(get(t)), regular(states), regular(weights), true, 1, 0.0, c10::GradMode::is_enabled(), false, true);
    *out = put(y);
    *h = put(hn);
    *c = put(cn);
  });
}

lt_error* lt_cross_entropy(lt_tensor t, lt_tensor target, lt_tensor* out) {
  return guard([&] { *out = put(at::cross_entropy_loss(get(t), get(target))); });
}

lt_error* lt_nll_loss(lt_tensor t, lt_tensor target, lt_tensor* out) {
  return guard([&] { *out = put(at::nll_loss_nd(get(t), get(target))); });
}

