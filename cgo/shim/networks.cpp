// The layers' operations and libtorch's own losses.

#include <ATen/ops/adaptive_avg_pool2d.h>
#include <ATen/ops/avg_pool2d.h>
#include <ATen/ops/binary_cross_entropy_with_logits.h>
#include <ATen/ops/conv2d.h>
#include <ATen/ops/cross_entropy_loss.h>
#include <ATen/ops/embedding.h>
#include <ATen/ops/lstm.h>
#include <ATen/ops/max_pool2d.h>
#include <ATen/ops/mse_loss.h>
#include <ATen/ops/nll_loss_nd.h>

#include "layout.h"
#include "lstm_check.h"
#include "shim.h"
#include "window.h"

using namespace lt;

lt_error* lt_conv2d(lt_tensor t, lt_tensor weight, lt_tensor bias, const int64_t* stride, const int64_t* padding, const int64_t* dilation,
                    int64_t groups, lt_tensor* out) {
  return guard([&] {
    const at::Tensor& w = get(weight);
    Window window(w, ints(stride, 2), ints(padding, 2), ints(dilation, 2));
    const at::Tensor x = window.pad(regular(get(t)), w);
    *out = put(at::conv2d(x, regular(w), opt(bias), window.stride, window.padding, window.dilation, groups));
  });
}

lt_error* lt_max_pool2d(lt_tensor t, const int64_t* kernel, const int64_t* stride, const int64_t* padding, lt_tensor* out) {
  return guard([&] { *out = put(at::max_pool2d(get(t), ints(kernel, 2), ints(stride, 2), ints(padding, 2))); });
}

lt_error* lt_avg_pool2d(lt_tensor t, const int64_t* kernel, const int64_t* stride, const int64_t* padding, lt_tensor* out) {
  return guard([&] { *out = put(at::avg_pool2d(get(t), ints(kernel, 2), ints(stride, 2), ints(padding, 2))); });
}

lt_error* lt_adaptive_avg_pool2d(lt_tensor t, int64_t height, int64_t width, lt_tensor* out) {
  return guard([&] { *out = put(at::adaptive_avg_pool2d(get(t), {height, width})); });
}

lt_error* lt_embedding(lt_tensor weight, lt_tensor index, int64_t padding_index, lt_tensor* out) {
  return guard([&] { *out = put(at::embedding(get(weight), get(index), padding_index)); });
}

lt_error* lt_lstm(lt_tensor t, lt_tensor h0, lt_tensor c0, const lt_tensor* params, int32_t n, int32_t layers, int32_t bidirectional,
                  int32_t batch_first, lt_tensor* out, lt_tensor* h, lt_tensor* c) {
  return guard([&] {
    bool biases = n == layers * (bidirectional ? 2 : 1) * 4;
    bool training = c10::GradMode::is_enabled();
    std::vector<at::Tensor> states{get(h0), get(c0)}, weights = list(params, n);
    check_lstm(get(t), states[0], states[1], weights, layers, bidirectional != 0, batch_first != 0);
    auto [y, hn, cn] = at::lstm(regular(get(t)), regular(states), regular(weights), biases, layers, 0.0, training, bidirectional != 0, batch_first != 0);
    *out = put(y);
    *h = put(hn);
    *c = put(cn);
  });
}

// reduction: 0 none, 1 mean, 2 sum, as at::Reduction.
lt_error* lt_cross_entropy(lt_tensor t, lt_tensor target, lt_tensor weight, int32_t reduction, int64_t ignore_index,
                           double smoothing, lt_tensor* out) {
  return guard([&] { *out = put(at::cross_entropy_loss(get(t), get(target), opt(weight), reduction, ignore_index, smoothing)); });
}

lt_error* lt_nll_loss(lt_tensor t, lt_tensor target, int32_t reduction, lt_tensor* out) {
  return guard([&] { *out = put(at::nll_loss_nd(get(t), get(target), std::nullopt, reduction, -100)); });
}

lt_error* lt_mse_loss(lt_tensor t, lt_tensor target, int32_t reduction, lt_tensor* out) {
  return guard([&] { *out = put(at::mse_loss(get(t), get(target), reduction)); });
}

lt_error* lt_bce_with_logits(lt_tensor t, lt_tensor target, int32_t reduction, lt_tensor* out) {
  return guard([&] { *out = put(at::binary_cross_entropy_with_logits(get(t), get(target), std::nullopt, std::nullopt, reduction)); });
}
