// Code generated from cgo/ops.go. DO NOT EDIT.

#define LT_OPERATIONS(X) \
  X(lt_made, empty, (lt_options o_, const int64_t* shape_, int32_t n_shape), (o_, shape_, n_shape)) \
  X(lt_made, full, (double v, lt_options o_, const int64_t* shape_, int32_t n_shape), (v, o_, shape_, n_shape)) \
  X(lt_made, linspace, (double start, double end, int64_t steps, lt_options o_), (start, end, steps, o_)) \
  X(lt_made, eye, (int64_t n, lt_options o_), (n, o_)) \
  X(lt_made, clone, (lt_tensor t_), (t_)) \
  X(lt_made, contiguous, (lt_tensor t_), (t_)) \
  X(lt_made, channels_last, (lt_tensor t_), (t_)) \
  X(lt_done, copy_from, (lt_tensor t_, lt_tensor src_), (t_, src_)) \
  X(lt_done, fill, (lt_tensor t_, double v), (t_, v)) \
  X(lt_made, pin, (lt_tensor t_), (t_)) \
  X(lt_made, detach, (lt_tensor t_), (t_)) \
  X(lt_made, reshape, (lt_tensor t_, const int64_t* shape_, int32_t n_shape), (t_, shape_, n_shape)) \
  X(lt_made, view, (lt_tensor t_, const int64_t* shape_, int32_t n_shape), (t_, shape_, n_shape)) \
  X(lt_made, expand, (lt_tensor t_, const int64_t* shape_, int32_t n_shape), (t_, shape_, n_shape)) \
  X(lt_made, transpose, (lt_tensor t_, int64_t a, int64_t b), (t_, a, b)) \
  X(lt_made, squeeze, (lt_tensor t_, int64_t dim), (t_, dim)) \
  X(lt_made, unsqueeze, (lt_tensor t_, int64_t dim), (t_, dim)) \
  X(lt_made, flatten, (lt_tensor t_, int64_t start, int64_t end), (t_, start, end)) \
  X(lt_made, narrow, (lt_tensor t_, int64_t dim, int64_t start, int64_t length), (t_, dim, start, length)) \
  X(lt_made, select, (lt_tensor t_, int64_t dim, int64_t index), (t_, dim, index)) \
  X(lt_made, slice_dim, (lt_tensor t_, int64_t dim, int64_t start, int64_t end, int64_t step), (t_, dim, start, end, step)) \
  X(lt_made, pad, (lt_tensor t_, double value, const int64_t* pads_, int32_t n_pads), (t_, value, pads_, n_pads)) \
  X(lt_made, diagonal, (lt_tensor t_), (t_)) \
  X(lt_made, cat, (int64_t dim, const lt_tensor* ts_, int32_t n_ts), (dim, ts_, n_ts)) \
  X(lt_made, stack, (int64_t dim, const lt_tensor* ts_, int32_t n_ts), (dim, ts_, n_ts)) \
  X(lt_made, to_sparse_csr, (lt_tensor t_), (t_)) \
  X(lt_made, to_dense, (lt_tensor t_), (t_)) \
  X(lt_made, index_select, (lt_tensor t_, int64_t dim, lt_tensor index_), (t_, dim, index_)) \
  X(lt_made, gather, (lt_tensor t_, int64_t dim, lt_tensor index_), (t_, dim, index_)) \
  X(lt_done, scatter_in_place, (lt_tensor t_, int64_t dim, lt_tensor index_, lt_tensor src_), (t_, dim, index_, src_)) \
  X(lt_made, scatter_value, (lt_tensor t_, int64_t dim, lt_tensor index_, double value), (t_, dim, index_, value)) \
  X(lt_made, neg, (lt_tensor t_), (t_)) \
  X(lt_made, abs, (lt_tensor t_), (t_)) \
  X(lt_made, exp, (lt_tensor t_), (t_)) \
  X(lt_made, log, (lt_tensor t_), (t_)) \
  X(lt_made, log1p, (lt_tensor t_), (t_)) \
  X(lt_made, sqrt, (lt_tensor t_), (t_)) \
  X(lt_made, square, (lt_tensor t_), (t_)) \
  X(lt_made, sigmoid, (lt_tensor t_), (t_)) \
  X(lt_made, re_lu, (lt_tensor t_), (t_)) \
  X(lt_made, gelu, (lt_tensor t_), (t_)) \
  X(lt_made, clamp, (lt_tensor t_, double low_, double high_), (t_, low_, high_)) \
  X(lt_made, add, (lt_tensor t_, lt_tensor u_), (t_, u_)) \
  X(lt_made, sub, (lt_tensor t_, lt_tensor u_), (t_, u_)) \
  X(lt_made, mul, (lt_tensor t_, lt_tensor u_), (t_, u_)) \
  X(lt_made, div, (lt_tensor t_, lt_tensor u_), (t_, u_)) \
  X(lt_made, maximum, (lt_tensor t_, lt_tensor u_), (t_, u_)) \
  X(lt_made, eq, (lt_tensor t_, lt_tensor u_), (t_, u_)) \
  X(lt_made, ne, (lt_tensor t_, lt_tensor u_), (t_, u_)) \
  X(lt_made, add_scalar, (lt_tensor t_, double v_), (t_, v_)) \
  X(lt_made, mul_scalar, (lt_tensor t_, double v_), (t_, v_)) \
  X(lt_made, div_scalar, (lt_tensor t_, double v_), (t_, v_)) \
  X(lt_made, eq_scalar, (lt_tensor t_, double v_), (t_, v_)) \
  X(lt_made, ne_scalar, (lt_tensor t_, double v_), (t_, v_)) \
  X(lt_done, add_in_place, (lt_tensor t_, lt_tensor u_, double alpha_), (t_, u_, alpha_)) \
  X(lt_done, mul_scalar_in_place, (lt_tensor t_, double v_), (t_, v_)) \
  X(lt_made, sum, (lt_tensor t_, const int64_t* dims_, int32_t n_dims), (t_, dims_, n_dims)) \
  X(lt_made, sum_keep, (lt_tensor t_, const int64_t* dims_, int32_t n_dims), (t_, dims_, n_dims)) \
  X(lt_made, mean, (lt_tensor t_, const int64_t* dims_, int32_t n_dims), (t_, dims_, n_dims)) \
  X(lt_made, mean_keep, (lt_tensor t_, const int64_t* dims_, int32_t n_dims), (t_, dims_, n_dims)) \
  X(lt_made, amax, (lt_tensor t_, const int64_t* dims_, int32_t n_dims), (t_, dims_, n_dims)) \
  X(lt_made, amin, (lt_tensor t_, const int64_t* dims_, int32_t n_dims), (t_, dims_, n_dims)) \
  X(lt_made, log_sum_exp, (lt_tensor t_, const int64_t* dims_, int32_t n_dims), (t_, dims_, n_dims)) \
  X(lt_made, log_sum_exp_keep, (lt_tensor t_, const int64_t* dims_, int32_t n_dims), (t_, dims_, n_dims)) \
  X(lt_made, norm, (lt_tensor t_, double order, const int64_t* dims_, int32_t n_dims), (t_, order, dims_, n_dims)) \
  X(lt_made, all, (lt_tensor t_), (t_)) \
  X(lt_made, argmax, (lt_tensor t_, int64_t dim), (t_, dim)) \
  X(lt_made, softmax, (lt_tensor t_, int64_t dim), (t_, dim)) \
  X(lt_made, log_softmax, (lt_tensor t_, int64_t dim), (t_, dim)) \
  X(lt_pair, sort, (lt_tensor t_, int64_t dim, int32_t descending_), (t_, dim, descending_)) \
  X(lt_pair, top_k, (lt_tensor t_, int64_t k, int64_t dim), (t_, k, dim)) \
  X(lt_made, mm, (lt_tensor t_, lt_tensor u_), (t_, u_)) \
  X(lt_made, bmm, (lt_tensor t_, lt_tensor u_), (t_, u_)) \
  X(lt_made, linear, (lt_tensor t_, lt_tensor weight_, lt_tensor bias_), (t_, weight_, bias_)) \
  X(lt_made, inverse, (lt_tensor t_), (t_)) \
  X(lt_pair, slog_det, (lt_tensor t_), (t_)) \
  X(lt_made, solve, (lt_tensor t_, lt_tensor u_), (t_, u_)) \
  X(lt_made, adaptive_avg_pool2d, (lt_tensor t_, int64_t height, int64_t width), (t_, height, width)) \
  X(lt_made, upsample_bilinear, (lt_tensor t_, int64_t height, int64_t width), (t_, height, width)) \
  X(lt_made, batch_norm, (lt_tensor t_, lt_tensor weight_, lt_tensor bias_, lt_tensor mean_, lt_tensor variance_, int32_t training_, double momentum, double eps), (t_, weight_, bias_, mean_, variance_, training_, momentum, eps)) \
  X(lt_made, batch_norm_re_lu, (lt_tensor t_, lt_tensor weight_, lt_tensor bias_, lt_tensor mean_, lt_tensor variance_, int32_t training_, double momentum, double eps), (t_, weight_, bias_, mean_, variance_, training_, momentum, eps)) \
  X(lt_made, embedding, (lt_tensor weight_, lt_tensor index_), (weight_, index_)) \
  X(lt_made, cross_entropy, (lt_tensor t_, lt_tensor target_), (t_, target_)) \
  X(lt_made, nllloss, (lt_tensor t_, lt_tensor target_), (t_, target_)) \
  X(lt_made, layer_norm, (lt_tensor t_, const int64_t* shape_, int32_t n_shape, lt_tensor weight_, lt_tensor bias_, double eps), (t_, shape_, n_shape, weight_, bias_, eps)) \
  X(lt_made, attention, (lt_tensor query_, lt_tensor key_, lt_tensor value_, lt_tensor mask_), (query_, key_, value_, mask_))
