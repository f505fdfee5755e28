// Code generated from cgo/ops.go. DO NOT EDIT.

#include <ATen/ops/adaptive_avg_pool2d.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/constant_pad_nd.h>
#include <ATen/ops/cross_entropy_loss.h>
#include <ATen/ops/embedding.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/eye.h>
#include <ATen/ops/full.h>
#include <ATen/ops/gelu.h>
#include <ATen/ops/layer_norm.h>
#include <ATen/ops/linalg_inv.h>
#include <ATen/ops/linalg_slogdet.h>
#include <ATen/ops/linalg_solve.h>
#include <ATen/ops/linalg_vector_norm.h>
#include <ATen/ops/linspace.h>
#include <ATen/ops/logsumexp.h>
#include <ATen/ops/maximum.h>
#include <ATen/ops/nll_loss_nd.h>
#include <ATen/ops/stack.h>
#include <ATen/ops/upsample_bilinear2d.h>

#include "operands.h"

using namespace lt;

lt_made lt_empty(lt_options o_, const int64_t* shape_, int32_t n_shape) {
  return made([&] {
    const at::TensorOptions o = options_of(o_);
    const at::IntArrayRef shape = ints(shape_, n_shape);
    return at::empty(shape, o);
  });
}

lt_made lt_full(double v, lt_options o_, const int64_t* shape_, int32_t n_shape) {
  return made([&] {
    const at::TensorOptions o = options_of(o_);
    const at::IntArrayRef shape = ints(shape_, n_shape);
    return at::full(shape, v, o);
  });
}

lt_made lt_linspace(double start, double end, int64_t steps, lt_options o_) {
  return made([&] {
    const at::TensorOptions o = options_of(o_);
    return at::linspace(start, end, steps, o);
  });
}

lt_made lt_eye(int64_t n, lt_options o_) {
  return made([&] {
    const at::TensorOptions o = options_of(o_);
    return at::eye(n, o);
  });
}

lt_made lt_clone(lt_tensor t_) {
  return made([&] {
    const at::Tensor& t = get(t_);
    return t.clone();
  });
}

lt_made lt_contiguous(lt_tensor t_) {
  return made([&] {
    const at::Tensor& t = get(t_);
    return t.contiguous();
  });
}

lt_made lt_channels_last(lt_tensor t_) {
  return made([&] {
    const at::Tensor& t = get(t_);
    return t.contiguous(at::MemoryFormat::ChannelsLast);
  });
}

lt_done lt_copy_from(lt_tensor t_, lt_tensor src_) {
  return guard([&] {
    const at::Tensor& t = get(t_);
    const at::Tensor& src = get(src_);
    t.copy_(src);
  });
}

lt_done lt_fill(lt_tensor t_, double v) {
  return guard([&] {
    const at::Tensor& t = get(t_);
    t.fill_(v);
  });
}

lt_made lt_pin(lt_tensor t_) {
  return made([&] {
    const at::Tensor& t = get(t_);
    return t.pin_memory();
  });
}

lt_made lt_detach(lt_tensor t_) {
  return made([&] {
    const at::Tensor& t = get(t_);
    return t.detach();
  });
}

lt_made lt_reshape(lt_tensor t_, const int64_t* shape_, int32_t n_shape) {
  return made([&] {
    const at::Tensor& t = get(t_);
    const at::IntArrayRef shape = ints(shape_, n_shape);
    return t.reshape(shape);
  });
}

lt_made lt_view(lt_tensor t_, const int64_t* shape_, int32_t n_shape) {
  return made([&] {
    const at::Tensor& t = get(t_);
    const at::IntArrayRef shape = ints(shape_, n_shape);
    return t.view(shape);
  });
}

lt_made lt_expand(lt_tensor t_, const int64_t* shape_, int32_t n_shape) {
  return made([&] {
    const at::Tensor& t = get(t_);
    const at::IntArrayRef shape = ints(shape_, n_shape);
    return t.expand(shape);
  });
}

lt_made lt_transpose(lt_tensor t_, int64_t a, int64_t b) {
  return made([&] {
    const at::Tensor& t = get(t_);
    return t.transpose(a, b);
  });
}

lt_made lt_squeeze(lt_tensor t_, int64_t dim) {
  return made([&] {
    const at::Tensor& t = get(t_);
    return t.squeeze(dim);
  });
}

lt_made lt_unsqueeze(lt_tensor t_, int64_t dim) {
  return made([&] {
    const at::Tensor& t = get(t_);
    return t.unsqueeze(dim);
  });
}

lt_made lt_flatten(lt_tensor t_, int64_t start, int64_t end) {
  return made([&] {
    const at::Tensor& t = get(t_);
    return t.flatten(start, end);
  });
}

lt_made lt_narrow(lt_tensor t_, int64_t dim, int64_t start, int64_t length) {
  return made([&] {
    const at::Tensor& t = get(t_);
    return t.narrow(dim, start, length);
  });
}

lt_made lt_select(lt_tensor t_, int64_t dim, int64_t index) {
  return made([&] {
    const at::Tensor& t = get(t_);
    return t.select(dim, index);
  });
}

lt_made lt_slice_dim(lt_tensor t_, int64_t dim, int64_t start, int64_t end, int64_t step) {
  return made([&] {
    const at::Tensor& t = get(t_);
    return t.slice(dim, start, end, step);
  });
}

lt_made lt_pad(lt_tensor t_, double value, const int64_t* pads_, int32_t n_pads) {
  return made([&] {
    const at::Tensor& t = get(t_);
    const at::IntArrayRef pads = ints(pads_, n_pads);
    return at::constant_pad_nd(t, pads, value);
  });
}

lt_made lt_diagonal(lt_tensor t_) {
  return made([&] {
    const at::Tensor& t = get(t_);
    return t.diagonal();
  });
}

lt_made lt_cat(int64_t dim, const lt_tensor* ts_, int32_t n_ts) {
  return made([&] {
    const std::vector<at::Tensor> ts = list(ts_, n_ts);
    return at::cat(ts, dim);
  });
}

lt_made lt_stack(int64_t dim, const lt_tensor* ts_, int32_t n_ts) {
  return made([&] {
    const std::vector<at::Tensor> ts = list(ts_, n_ts);
    return at::stack(ts, dim);
  });
}

lt_made lt_to_sparse_csr(lt_tensor t_) {
  return made([&] {
    const at::Tensor& t = get(t_);
    return compress(t);
  });
}

lt_made lt_to_dense(lt_tensor t_) {
  return made([&] {
    const at::Tensor& t = get(t_);
    return dense(t);
  });
}

lt_made lt_index_select(lt_tensor t_, int64_t dim, lt_tensor index_) {
  return made([&] {
    const at::Tensor& t = get(t_);
    const at::Tensor& index = get(index_);
    return is_csr(t) && dim == 0 ? rows_of(t, index) : t.index_select(dim, index);
  });
}

lt_made lt_gather(lt_tensor t_, int64_t dim, lt_tensor index_) {
  return made([&] {
    const at::Tensor& t = get(t_);
    const at::Tensor& index = get(index_);
    return t.gather(dim, written_out(index));
  });
}

lt_done lt_scatter_in_place(lt_tensor t_, int64_t dim, lt_tensor index_, lt_tensor src_) {
  return guard([&] {
    const at::Tensor& t = get(t_);
    const at::Tensor& index = get(index_);
    const at::Tensor& src = get(src_);
    t.scatter_(dim, index, src);
  });
}

lt_made lt_scatter_value(lt_tensor t_, int64_t dim, lt_tensor index_, double value) {
  return made([&] {
    const at::Tensor& t = get(t_);
    const at::Tensor& index = get(index_);
    return t.scatter(dim, index, at::Scalar(value));
  });
}

lt_made lt_neg(lt_tensor t_) {
  return made([&] {
    const at::Tensor& t = get(t_);
    return t.neg();
  });
}

lt_made lt_abs(lt_tensor t_) {
  return made([&] {
    const at::Tensor& t = get(t_);
    return t.abs();
  });
}

lt_made lt_exp(lt_tensor t_) {
  return made([&] {
    const at::Tensor& t = get(t_);
    return t.exp();
  });
}

lt_made lt_log(lt_tensor t_) {
  return made([&] {
    const at::Tensor& t = get(t_);
    return t.log();
  });
}

lt_made lt_log1p(lt_tensor t_) {
  return made([&] {
    const at::Tensor& t = get(t_);
    return t.log1p();
  });
}

lt_made lt_sqrt(lt_tensor t_) {
  return made([&] {
    const at::Tensor& t = get(t_);
    return t.sqrt();
  });
}

lt_made lt_square(lt_tensor t_) {
  return made([&] {
    const at::Tensor& t = get(t_);
    return t.square();
  });
}

lt_made lt_sigmoid(lt_tensor t_) {
  return made([&] {
    const at::Tensor& t = get(t_);
    return t.sigmoid();
  });
}

lt_made lt_re_lu(lt_tensor t_) {
  return made([&] {
    const at::Tensor& t = get(t_);
    return t.relu();
  });
}

lt_made lt_gelu(lt_tensor t_) {
  return made([&] {
    const at::Tensor& t = get(t_);
    return at::gelu(t);
  });
}

lt_made lt_clamp(lt_tensor t_, double low_, double high_) {
  return made([&] {
    const at::Tensor& t = get(t_);
    const std::optional<at::Scalar> low = bound_for(t, low_);
    const std::optional<at::Scalar> high = bound_for(t, high_);
    return t.clamp(low, high);
  });
}

lt_made lt_add(lt_tensor t_, lt_tensor u_) {
  return made([&] {
    const at::Tensor& t = get(t_);
    const at::Tensor& u = get(u_);
    return t.add(u);
  });
}

lt_made lt_sub(lt_tensor t_, lt_tensor u_) {
  return made([&] {
    const at::Tensor& t = get(t_);
    const at::Tensor& u = get(u_);
    return t.sub(u);
  });
}

lt_made lt_mul(lt_tensor t_, lt_tensor u_) {
  return made([&] {
    const at::Tensor& t = get(t_);
    const at::Tensor& u = get(u_);
    return t.mul(u);
  });
}

lt_made lt_div(lt_tensor t_, lt_tensor u_) {
  return made([&] {
    const at::Tensor& t = get(t_);
    const at::Tensor& u = get(u_);
    return t.div(u);
  });
}

lt_made lt_maximum(lt_tensor t_, lt_tensor u_) {
  return made([&] {
    const at::Tensor& t = get(t_);
    const at::Tensor& u = get(u_);
    return at::maximum(t, u);
  });
}

lt_made lt_eq(lt_tensor t_, lt_tensor u_) {
  return made([&] {
    const at::Tensor& t = get(t_);
    const at::Tensor& u = get(u_);
    return t.eq(u);
  });
}

lt_made lt_ne(lt_tensor t_, lt_tensor u_) {
  return made([&] {
    const at::Tensor& t = get(t_);
    const at::Tensor& u = get(u_);
    return t.ne(u);
  });
}

lt_made lt_add_scalar(lt_tensor t_, double v_) {
  return made([&] {
    const at::Tensor& t = get(t_);
    const at::Scalar v = scalar_for(t, v_);
    return t.add(v);
  });
}

lt_made lt_mul_scalar(lt_tensor t_, double v_) {
  return made([&] {
    const at::Tensor& t = get(t_);
    const at::Scalar v = scalar_for(t, v_);
    return t.mul(v);
  });
}

lt_made lt_div_scalar(lt_tensor t_, double v_) {
  return made([&] {
    const at::Tensor& t = get(t_);
    const at::Scalar v = scalar_for(t, v_);
    return t.div(v);
  });
}

lt_made lt_eq_scalar(lt_tensor t_, double v_) {
  return made([&] {
    const at::Tensor& t = get(t_);
    const at::Scalar v = scalar_for(t, v_);
    return t.eq(v);
  });
}

lt_made lt_ne_scalar(lt_tensor t_, double v_) {
  return made([&] {
    const at::Tensor& t = get(t_);
    const at::Scalar v = scalar_for(t, v_);
    return t.ne(v);
  });
}

lt_done lt_add_in_place(lt_tensor t_, lt_tensor u_, double alpha_) {
  return guard([&] {
    const at::Tensor& t = get(t_);
    const at::Tensor& u = get(u_);
    const at::Scalar alpha = scalar_for(t, alpha_);
    t.add_(u, alpha);
  });
}

lt_done lt_mul_scalar_in_place(lt_tensor t_, double v_) {
  return guard([&] {
    const at::Tensor& t = get(t_);
    const at::Scalar v = scalar_for(t, v_);
    t.mul_(v);
  });
}

lt_made lt_sum(lt_tensor t_, const int64_t* dims_, int32_t n_dims) {
  return made([&] {
    const at::Tensor& t = get(t_);
    const at::IntArrayRef dims = ints(dims_, n_dims);
    return t.sum(at::OptionalIntArrayRef(dims), false);
  });
}

lt_made lt_sum_keep(lt_tensor t_, const int64_t* dims_, int32_t n_dims) {
  return made([&] {
    const at::Tensor& t = get(t_);
    const at::IntArrayRef dims = ints(dims_, n_dims);
    return t.sum(at::OptionalIntArrayRef(dims), true);
  });
}

lt_made lt_mean(lt_tensor t_, const int64_t* dims_, int32_t n_dims) {
  return made([&] {
    const at::Tensor& t = get(t_);
    const at::IntArrayRef dims = ints(dims_, n_dims);
    return t.mean(at::OptionalIntArrayRef(dims), false);
  });
}

lt_made lt_mean_keep(lt_tensor t_, const int64_t* dims_, int32_t n_dims) {
  return made([&] {
    const at::Tensor& t = get(t_);
    const at::IntArrayRef dims = ints(dims_, n_dims);
    return t.mean(at::OptionalIntArrayRef(dims), true);
  });
}

lt_made lt_amax(lt_tensor t_, const int64_t* dims_, int32_t n_dims) {
  return made([&] {
    const at::Tensor& t = get(t_);
    const at::IntArrayRef dims = ints(dims_, n_dims);
    return t.amax(over(t, dims), false);
  });
}

lt_made lt_amin(lt_tensor t_, const int64_t* dims_, int32_t n_dims) {
  return made([&] {
    const at::Tensor& t = get(t_);
    const at::IntArrayRef dims = ints(dims_, n_dims);
    return t.amin(over(t, dims), false);
  });
}

lt_made lt_log_sum_exp(lt_tensor t_, const int64_t* dims_, int32_t n_dims) {
  return made([&] {
    const at::Tensor& t = get(t_);
    const at::IntArrayRef dims = ints(dims_, n_dims);
    return at::logsumexp(t, over(t, dims), false);
  });
}

lt_made lt_log_sum_exp_keep(lt_tensor t_, const int64_t* dims_, int32_t n_dims) {
  return made([&] {
    const at::Tensor& t = get(t_);
    const at::IntArrayRef dims = ints(dims_, n_dims);
    return at::logsumexp(t, over(t, dims), true);
  });
}

lt_made lt_norm(lt_tensor t_, double order, const int64_t* dims_, int32_t n_dims) {
  return made([&] {
    const at::Tensor& t = get(t_);
    const at::IntArrayRef dims = ints(dims_, n_dims);
    return at::linalg_vector_norm(t, order, over(t, dims));
  });
}

lt_made lt_all(lt_tensor t_) {
  return made([&] {
    const at::Tensor& t = get(t_);
    return t.all();
  });
}

lt_made lt_argmax(lt_tensor t_, int64_t dim) {
  return made([&] {
    const at::Tensor& t = get(t_);
    return t.argmax(dim);
  });
}

lt_made lt_softmax(lt_tensor t_, int64_t dim) {
  return made([&] {
    const at::Tensor& t = get(t_);
    return t.softmax(dim);
  });
}

lt_made lt_log_softmax(lt_tensor t_, int64_t dim) {
  return made([&] {
    const at::Tensor& t = get(t_);
    return t.log_softmax(dim);
  });
}

lt_pair lt_sort(lt_tensor t_, int64_t dim, int32_t descending_) {
  return pair([&] {
    const at::Tensor& t = get(t_);
    const bool descending = descending_ != 0;
    return t.sort(std::optional<bool>(true), dim, descending);
  });
}

lt_pair lt_top_k(lt_tensor t_, int64_t k, int64_t dim) {
  return pair([&] {
    const at::Tensor& t = get(t_);
    return t.topk(k, dim, true, true);
  });
}

lt_made lt_mm(lt_tensor t_, lt_tensor u_) {
  return made([&] {
    const at::Tensor& t = get(t_);
    const at::Tensor& u = get(u_);
    return t.mm(u);
  });
}

lt_made lt_bmm(lt_tensor t_, lt_tensor u_) {
  return made([&] {
    const at::Tensor& t = get(t_);
    const at::Tensor& u = get(u_);
    return t.bmm(u);
  });
}

lt_made lt_linear(lt_tensor t_, lt_tensor weight_, lt_tensor bias_) {
  return made([&] {
    const at::Tensor& t = get(t_);
    const at::Tensor& weight = get(weight_);
    const std::optional<at::Tensor> bias = opt(bias_);
    return linear(t, weight, bias);
  });
}

lt_made lt_inverse(lt_tensor t_) {
  return made([&] {
    const at::Tensor& t = get(t_);
    return at::linalg_inv(t);
  });
}

lt_pair lt_slog_det(lt_tensor t_) {
  return pair([&] {
    const at::Tensor& t = get(t_);
    return at::linalg_slogdet(t);
  });
}

lt_made lt_solve(lt_tensor t_, lt_tensor u_) {
  return made([&] {
    const at::Tensor& t = get(t_);
    const at::Tensor& u = get(u_);
    return at::linalg_solve(t, u);
  });
}

lt_made lt_adaptive_avg_pool2d(lt_tensor t_, int64_t height, int64_t width) {
  return made([&] {
    const at::Tensor& t = get(t_);
    return at::adaptive_avg_pool2d(t, {height, width});
  });
}

lt_made lt_upsample_bilinear(lt_tensor t_, int64_t height, int64_t width) {
  return made([&] {
    const at::Tensor& t = get(t_);
    return at::upsample_bilinear2d(t, {height, width}, false);
  });
}

lt_made lt_batch_norm(lt_tensor t_, lt_tensor weight_, lt_tensor bias_, lt_tensor mean_, lt_tensor variance_, int32_t training_, double momentum, double eps) {
  return made([&] {
    const at::Tensor& t = get(t_);
    const std::optional<at::Tensor> weight = opt(weight_);
    const std::optional<at::Tensor> bias = opt(bias_);
    const std::optional<at::Tensor> mean = opt(mean_);
    const std::optional<at::Tensor> variance = opt(variance_);
    const bool training = training_ != 0;
    return batch_norm(t, weight, bias, mean, variance, training, momentum, eps);
  });
}

lt_made lt_batch_norm_re_lu(lt_tensor t_, lt_tensor weight_, lt_tensor bias_, lt_tensor mean_, lt_tensor variance_, int32_t training_, double momentum, double eps) {
  return made([&] {
    const at::Tensor& t = get(t_);
    const std::optional<at::Tensor> weight = opt(weight_);
    const std::optional<at::Tensor> bias = opt(bias_);
    const std::optional<at::Tensor> mean = opt(mean_);
    const std::optional<at::Tensor> variance = opt(variance_);
    const bool training = training_ != 0;
    return batch_norm_relu(t, weight, bias, mean, variance, training, momentum, eps);
  });
}

lt_made lt_embedding(lt_tensor weight_, lt_tensor index_) {
  return made([&] {
    const at::Tensor& weight = get(weight_);
    const at::Tensor& index = get(index_);
    return at::embedding(weight, index);
  });
}

lt_made lt_cross_entropy(lt_tensor t_, lt_tensor target_) {
  return made([&] {
    const at::Tensor& t = get(t_);
    const at::Tensor& target = get(target_);
    return at::cross_entropy_loss(t, target);
  });
}

lt_made lt_nllloss(lt_tensor t_, lt_tensor target_) {
  return made([&] {
    const at::Tensor& t = get(t_);
    const at::Tensor& target = get(target_);
    return at::nll_loss_nd(t, target);
  });
}

lt_made lt_layer_norm(lt_tensor t_, const int64_t* shape_, int32_t n_shape, lt_tensor weight_, lt_tensor bias_, double eps) {
  return made([&] {
    const at::Tensor& t = get(t_);
    const at::IntArrayRef shape = ints(shape_, n_shape);
    const std::optional<at::Tensor> weight = opt(weight_);
    const std::optional<at::Tensor> bias = opt(bias_);
    return at::layer_norm(t, shape, weight, bias, eps);
  });
}

lt_made lt_attention(lt_tensor query_, lt_tensor key_, lt_tensor value_, lt_tensor mask_) {
  return made([&] {
    const at::Tensor& query = get(query_);
    const at::Tensor& key = get(key_);
    const at::Tensor& value = get(value_);
    const std::optional<at::Tensor> mask = opt(mask_);
    return attention(query, key, value, mask, false, std::nullopt, false, 0, nullptr);
  });
}
