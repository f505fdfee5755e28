// libtorch's convolution, pooling and LSTM, with checks that it lacks.

#include <ATen/ops/conv2d.h>
#include <ATen/ops/lstm.h>
#include <ATen/ops/max_pool2d.h>

#include "layout.h"
#include "lstm_check.h"
#include "shim.h"
#include "window.h"

using namespace lt;

lt_made lt_conv2d(lt_tensor t, lt_tensor weight, lt_tensor bias, int64_t stride, int64_t padding, int64_t groups) {
  return made([&] {
    const at::Tensor& w = get(weight);
    Window window(w, {stride, stride}, {padding, padding}, {1, 1});
    const at::Tensor x = window.pad(regular(get(t)), w);
    return at::conv2d(x, regular(w), opt(bias), window.stride, window.padding, window.dilation, groups);
  });
}

lt_made lt_max_pool2d(lt_tensor t, int64_t kernel, int64_t stride, int64_t padding) {
  return made([&] { return at::max_pool2d(get(t), kernel, stride, padding); });
}

lt_error* lt_lstm(lt_tensor t, lt_tensor h0, lt_tensor c0, const lt_tensor* params, lt_tensor* out, lt_tensor* h, lt_tensor* c) {
  return guard([&] {
    std::vector<at::Tensor> states{get(h0), get(c0)}, weights = list(params, 4);
    check_lstm(get(t), states[0], states[1], weights);
    auto [y, hn, cn] = at::lstm(regular(get(t)), regular(states), regular(weights), true, 1, 0.0, c10::GradMode::is_enabled(), false, true);
    *out = put(y);
    *h = put(hn);
    *c = put(cn);
  });
}

