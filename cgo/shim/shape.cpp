// Views, shapes and indexing.

#include <ATen/ops/cat.h>
#include <ATen/ops/constant_pad_nd.h>
#include <ATen/ops/stack.h>

#include "shim.h"
#include "sparse.h"

using namespace lt;

lt_error* lt_reshape(lt_tensor t, const int64_t* shape, int32_t dim, lt_tensor* out) {
  return guard([&] { *out = put(get(t).reshape(ints(shape, dim))); });
}

lt_error* lt_view(lt_tensor t, const int64_t* shape, int32_t dim, lt_tensor* out) {
  return guard([&] { *out = put(get(t).view(ints(shape, dim))); });
}

lt_error* lt_expand(lt_tensor t, const int64_t* shape, int32_t dim, lt_tensor* out) {
  return guard([&] { *out = put(get(t).expand(ints(shape, dim))); });
}

lt_error* lt_transpose(lt_tensor t, int64_t a, int64_t b, lt_tensor* out) {
  return guard([&] { *out = put(get(t).transpose(a, b)); });
}

lt_error* lt_squeeze(lt_tensor t, int64_t dim, lt_tensor* out) {
  return guard([&] { *out = put(get(t).squeeze(dim)); });
}

lt_error* lt_unsqueeze(lt_tensor t, int64_t dim, lt_tensor* out) {
  return guard([&] { *out = put(get(t).unsqueeze(dim)); });
}

lt_error* lt_flatten(lt_tensor t, int64_t start, int64_t end, lt_tensor* out) {
  return guard([&] { *out = put(get(t).flatten(start, end)); });
}

lt_error* lt_narrow(lt_tensor t, int64_t dim, int64_t start, int64_t length, lt_tensor* out) {
  return guard([&] { *out = put(get(t).narrow(dim, start, length)); });
}

lt_error* lt_select(lt_tensor t, int64_t dim, int64_t index, lt_tensor* out) {
  return guard([&] { *out = put(get(t).select(dim, index)); });
}

lt_error* lt_slice(lt_tensor t, int64_t dim, int64_t start, int64_t end, int64_t step, lt_tensor* out) {
  return guard([&] { *out = put(get(t).slice(dim, start, end, step)); });
}

lt_error* lt_cat(const lt_tensor* ts, int32_t n, int64_t dim, lt_tensor* out) {
  return guard([&] { *out = put(at::cat(list(ts, n), dim)); });
}

lt_error* lt_stack(const lt_tensor* ts, int32_t n, int64_t dim, lt_tensor* out) {
  return guard([&] { *out = put(at::stack(list(ts, n), dim)); });
}

lt_error* lt_pad(lt_tensor t, const int64_t* pads, int32_t n, double value, lt_tensor* out) {
  return guard([&] { *out = put(at::constant_pad_nd(get(t), ints(pads, n), value)); });
}

lt_error* lt_diagonal(lt_tensor t, lt_tensor* out) {
  return guard([&] { *out = put(get(t).diagonal()); });
}

lt_error* lt_index_select(lt_tensor t, int64_t dim, lt_tensor index, lt_tensor* out) {
  return guard([&] {
    const at::Tensor& x = get(t);
    *out = put(is_csr(x) && dim == 0 ? rows_of(x, get(index)) : x.index_select(dim, get(index)));
  });
}

// written_out copies an index that is the same along all dimensions but the first: with
// such a one, scatter_add on the CPU, which is also gather's gradient, takes a short cut
// that is wrong where the index is narrower than what it adds to (libtorch 2.11).
static at::Tensor written_out(const at::Tensor& index) {
  bool expanded = false;
  for (int64_t d = 1; d < index.dim(); d++) {
    if (index.size(d) == 1) continue;
    if (index.stride(d) != 0) return index;
    expanded = true;
  }
  return expanded ? index.contiguous() : index;
}

lt_error* lt_gather(lt_tensor t, int64_t dim, lt_tensor index, lt_tensor* out) {
  return guard([&] { *out = put(get(t).gather(dim, written_out(get(index)))); });
}

lt_error* lt_scatter_(lt_tensor t, int64_t dim, lt_tensor index, lt_tensor src) {
  return guard([&] { get(t).scatter_(dim, get(index), get(src)); });
}

lt_error* lt_scatter_value(lt_tensor t, int64_t dim, lt_tensor index, double value, lt_tensor* out) {
  return guard([&] { *out = put(get(t).scatter(dim, get(index), at::Scalar(value))); });
}

