// One tensor to several, and several to one.

#include <ATen/ops/einsum.h>
#include <ATen/ops/split_with_sizes.h>
#include <ATen/ops/unbind.h>

#include "shim.h"

using namespace lt;

namespace {

void put_all(const std::vector<at::Tensor>& parts, int32_t n, lt_tensor* outs) {
  TORCH_CHECK_VALUE(parts.size() == static_cast<size_t>(n), parts.size(), " parts, expected ", n);
  for (int32_t i = 0; i < n; i++) outs[i] = put(parts[i]);
}

}  // namespace

lt_error* lt_split(lt_tensor t, int64_t dim, const int64_t* sizes, int32_t n, lt_tensor* outs) {
  return guard([&] { put_all(at::split_with_sizes(get(t), ints(sizes, n), dim), n, outs); });
}

lt_error* lt_unbind(lt_tensor t, int64_t dim, int32_t n, lt_tensor* outs) {
  return guard([&] { put_all(at::unbind(get(t), dim), n, outs); });
}

lt_error* lt_repeat(lt_tensor t, const int64_t* counts, int32_t n, lt_tensor* out) {
  return guard([&] { *out = put(get(t).repeat(ints(counts, n))); });
}

lt_error* lt_einsum(const char* equation, const lt_tensor* ts, int32_t n, lt_tensor* out) {
  return guard([&] { *out = put(at::einsum(equation, list(ts, n))); });
}
