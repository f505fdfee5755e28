// Reductions, sorting and the softmax family.

#include <ATen/ops/linalg_vector_norm.h>
#include <ATen/ops/logsumexp.h>

#include <numeric>

#include "shim.h"

using namespace lt;

// over makes an empty list of dims mean all of them, for the ops that want each named.
static std::vector<int64_t> over(const at::Tensor& t, const int64_t* dims, int32_t n) {
  if (n > 0) return {dims, dims + n};
  std::vector<int64_t> all(t.dim());
  std::iota(all.begin(), all.end(), 0);
  return all;
}

#define REDUCE(name)                                                                                     \
  lt_error* lt_##name(lt_tensor t, const int64_t* dims, int32_t n, int32_t keepdim, lt_tensor* out) {    \
    return guard([&] { *out = put(get(t).name(at::OptionalIntArrayRef(ints(dims, n)), keepdim != 0)); }); \
  }
REDUCE(sum)
REDUCE(mean)
#undef REDUCE

#define EXTREME(name)                                                                                 \
  lt_error* lt_##name(lt_tensor t, const int64_t* dims, int32_t n, int32_t keepdim, lt_tensor* out) { \
    return guard([&] { *out = put(get(t).name(over(get(t), dims, n), keepdim != 0)); });              \
  }
EXTREME(amax)
EXTREME(amin)
EXTREME(logsumexp)
#undef EXTREME

lt_error* lt_var(lt_tensor t, const int64_t* dims, int32_t n, double correction, int32_t keepdim, lt_tensor* out) {
  return guard([&] {
    const at::Tensor& x = get(t);
    *out = put(x.var(over(x, dims, n), std::optional<at::Scalar>(correction), keepdim != 0));
  });
}

lt_error* lt_norm(lt_tensor t, double p, const int64_t* dims, int32_t n, int32_t keepdim, lt_tensor* out) {
  return guard([&] { *out = put(at::linalg_vector_norm(get(t), p, over(get(t), dims, n), keepdim != 0)); });
}

lt_error* lt_prod(lt_tensor t, int64_t dim, int32_t keepdim, lt_tensor* out) {
  return guard([&] { *out = put(get(t).prod(dim, keepdim != 0)); });
}

lt_error* lt_cumsum(lt_tensor t, int64_t dim, lt_tensor* out) {
  return guard([&] { *out = put(get(t).cumsum(dim)); });
}

lt_error* lt_any(lt_tensor t, lt_tensor* out) {
  return guard([&] { *out = put(get(t).any()); });
}

lt_error* lt_all(lt_tensor t, lt_tensor* out) {
  return guard([&] { *out = put(get(t).all()); });
}

lt_error* lt_argmax(lt_tensor t, int64_t dim, int32_t keepdim, lt_tensor* out) {
  return guard([&] { *out = put(get(t).argmax(dim, keepdim != 0)); });
}

lt_error* lt_argmin(lt_tensor t, int64_t dim, int32_t keepdim, lt_tensor* out) {
  return guard([&] { *out = put(get(t).argmin(dim, keepdim != 0)); });
}

// both hands out a (values, indices) pair.
static void both(std::tuple<at::Tensor, at::Tensor> pair, lt_tensor* values, lt_tensor* indices) {
  *values = put(std::move(std::get<0>(pair)));
  *indices = put(std::move(std::get<1>(pair)));
}

lt_error* lt_max(lt_tensor t, int64_t dim, int32_t keepdim, lt_tensor* values, lt_tensor* indices) {
  return guard([&] { both(get(t).max(dim, keepdim != 0), values, indices); });
}

lt_error* lt_min(lt_tensor t, int64_t dim, int32_t keepdim, lt_tensor* values, lt_tensor* indices) {
  return guard([&] { both(get(t).min(dim, keepdim != 0), values, indices); });
}

lt_error* lt_median(lt_tensor t, int64_t dim, int32_t keepdim, lt_tensor* values, lt_tensor* indices) {
  // libtorch's copy of an expanded tensor is read as if it were expanded no more.
  return guard([&] { both(get(t).contiguous().median(dim, keepdim != 0), values, indices); });
}

lt_error* lt_sort(lt_tensor t, int64_t dim, int32_t descending, lt_tensor* values, lt_tensor* indices) {
  return guard([&] { both(get(t).sort(std::optional<bool>(true), dim, descending != 0), values, indices); });
}

lt_error* lt_topk(lt_tensor t, int64_t k, int64_t dim, int32_t largest, lt_tensor* values, lt_tensor* indices) {
  return guard([&] { both(get(t).topk(k, dim, largest != 0, true), values, indices); });
}

lt_error* lt_quantile(lt_tensor t, double q, int64_t dim, int32_t keepdim, lt_tensor* out) {
  return guard([&] { *out = put(get(t).quantile(q, dim, keepdim != 0)); });
}

lt_error* lt_softmax(lt_tensor t, int64_t dim, lt_tensor* out) {
  return guard([&] { *out = put(get(t).softmax(dim)); });
}

lt_error* lt_log_softmax(lt_tensor t, int64_t dim, lt_tensor* out) {
  return guard([&] { *out = put(get(t).log_softmax(dim)); });
}
