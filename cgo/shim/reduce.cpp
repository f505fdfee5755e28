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

lt_error* lt_norm(lt_tensor t, double p, const int64_t* dims, int32_t n, lt_tensor* out) {
  return guard([&] { *out = put(at::linalg_vector_norm(get(t), p, over(get(t), dims, n))); });
}

lt_error* lt_all(lt_tensor t, lt_tensor* out) {
  return guard([&] { *out = put(get(t).all()); });
}

lt_error* lt_argmax(lt_tensor t, int64_t dim, lt_tensor* out) {
  return guard([&] { *out = put(get(t).argmax(dim)); });
}

// both hands out a (values, indices) pair.
static void both(std::tuple<at::Tensor, at::Tensor> pair, lt_tensor* values, lt_tensor* indices) {
  *values = put(std::move(std::get<0>(pair)));
  *indices = put(std::move(std::get<1>(pair)));
}

lt_error* lt_sort(lt_tensor t, int64_t dim, int32_t descending, lt_tensor* values, lt_tensor* indices) {
  return guard([&] { both(get(t).sort(std::optional<bool>(true), dim, descending != 0), values, indices); });
}

lt_error* lt_topk(lt_tensor t, int64_t k, int64_t dim, lt_tensor* values, lt_tensor* indices) {
  return guard([&] { both(get(t).topk(k, dim, true, true), values, indices); });
}

lt_error* lt_softmax(lt_tensor t, int64_t dim, lt_tensor* out) {
  return guard([&] { *out = put(get(t).softmax(dim)); });
}

lt_error* lt_log_softmax(lt_tensor t, int64_t dim, lt_tensor* out) {
  return guard([&] { *out = put(get(t).log_softmax(dim)); });
}
