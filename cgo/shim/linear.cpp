// The fully connected layer. For float32 matrices on the CPU, forward and
// backward are one node that calls BLAS itself: libtorch's own takes a dozen
// dispatches, most of them transposes, which is what small networks wait for.
//
// An input of mostly zeros, as images of digits are, goes through a sparse
// product: MNIST's pixels are 81 % zero, and its first layer is most of the
// network's arithmetic. Only inputs that need no gradient qualify.

#include <ATen/ops/empty.h>
#include <ATen/ops/linear.h>

#include <cstring>
#include <optional>
#include <vector>

#include "blas.h"
#include "differentiable.h"
#include "kernels.h"
#include "shim.h"

using namespace lt;

namespace {

// gemm is C = op(A) op(B) + beta C for row-major matrices: BLAS, which counts by
// columns, is asked for the transpose.
void gemm(bool ta, bool tb, int m, int n, int k, const float* a, int lda, const float* b, int ldb, float beta, float* c) {
  const float one = 1;
  blas().gemm(tb ? "T" : "N", ta ? "T" : "N", &n, &m, &k, &one, b, &ldb, a, &lda, &beta, c, &n);
}

// Entries are the nonzero elements of a matrix, line by line: a line's begin at
// start[i] and end before start[i + 1]. They are kept in tensors, so that forward
// can hand them to backward.
struct Entries {
  at::Tensor start, index, value;
  int64_t lines;

  Entries(int64_t lines, int64_t capacity)
      : start(at::empty({lines + 1}, at::kInt)), index(at::empty({capacity}, at::kInt)), value(at::empty({capacity}, at::kFloat)), lines(lines) {}

  Entries(at::Tensor s, at::Tensor i, at::Tensor v) : start(std::move(s)), index(std::move(i)), value(std::move(v)), lines(start.numel() - 1) {}

  int32_t* starts() const { return start.mutable_data_ptr<int32_t>(); }
  int32_t* indices() const { return index.mutable_data_ptr<int32_t>(); }
  float* values() const { return value.mutable_data_ptr<float>(); }
};

// rows_of lists the nonzero elements of x [n k] by row.
Entries rows_of(const float* x, int64_t n, int64_t k) {
  Entries e(n, n * k + 8);
  int32_t *start = e.starts(), *index = e.indices();
  float* value = e.values();
  start[0] = 0;
  for (int64_t i = 0; i < n; i++) start[i + 1] = start[i] + nonzero(x + i * k, k, index + start[i], value + start[i]);
  return e;
}

// columns_of is the same entries by column.
Entries columns_of(const Entries& rows, int64_t k) {
  const int32_t *start = rows.starts(), *index = rows.indices(), count = start[rows.lines];
  const float* value = rows.values();
  Entries e(k, count);
  int32_t *end = e.starts(), *line = e.indices();
  float* sorted = e.values();
  std::fill_n(end, k + 1, 0);
  for (int32_t r = 0; r < count; r++) end[index[r] + 1]++;
  for (int64_t j = 0; j < k; j++) end[j + 1] += end[j];
  std::vector<int32_t> next(end, end + k);
  for (int64_t i = 0; i < rows.lines; i++) {
    for (int32_t r = start[i]; r < start[i + 1]; r++) {
      int32_t at = next[index[r]]++;
      line[at] = static_cast<int32_t>(i);
      sorted[at] = value[r];
    }
  }
  return e;
}

// product is entries times m, of which only a strip of `tile` columns is given:
// [rows tile]. It is added to such a strip of out, whose rows are width long, or
// written there. The rows of m are taken in parts that stay in the first cache.
void product(const Entries& e, const float* m, int64_t rows, bool add, float* out, int64_t width) {
  constexpr int32_t part = 96;
  const int32_t *start = e.starts(), *index = e.indices();
  const float* value = e.values();
  blocks(e.lines, 128, [&](int64_t, int64_t first, int64_t n) {
    int32_t next[128];
    std::copy_n(start + first, n, next);
    for (int32_t limit = part;; limit += part) {
      for (int64_t i = 0; i < n; i++)
        next[i] = combine(index, value, next[i], start[first + i + 1], limit, m, add || limit > part, out + (first + i) * width);
      if (limit >= rows) break;
    }
  });
}

// scratch is room for n floats that the next call on this thread takes again.
float* scratch(int64_t n) {
  thread_local std::vector<float> room;
  if (static_cast<int64_t>(room.size()) < n) room.resize(n);
  return room.data();
}

// worth_skipping looks at one element in 61 of a large input.
bool worth_skipping(const at::Tensor& x, int64_t out) {
  if (x.requires_grad() || out % tile != 0 || x.size(1) < 256) return false;
  const float* p = x.const_data_ptr<float>();
  int64_t n = x.numel(), looked = 0, nonzero = 0;
  for (int64_t i = 0; i < n; i += 61, looked++) nonzero += p[i] != 0;
  return nonzero * 4 < looked;
}

bool plain(const at::Tensor& t, int64_t dim) {
  return t.is_cpu() && t.scalar_type() == at::kFloat && t.dim() == dim && t.is_contiguous() && t.numel() > 0 && t.numel() < (1 << 30);
}

// gradients are those of x, W and b of an affine map.
Tensors gradients(const at::Tensor& x, const at::Tensor& weight, const std::optional<Entries>& rows, const at::Tensor& g, const std::vector<bool>& wanted) {
  if (c10::GradMode::is_enabled() || !plain(g, 2)) return {g.mm(weight), g.t().mm(x), g.sum(0)};
  int n = static_cast<int>(x.size(0)), k = static_cast<int>(x.size(1)), m = static_cast<int>(weight.size(0));
  const float* dy = g.const_data_ptr<float>();
  at::Tensor dx, dw, db;
  if (wanted[0]) {
    dx = at::empty({n, k}, at::TensorOptions(at::kFloat));
    gemm(false, false, n, k, m, dy, m, weight.const_data_ptr<float>(), k, 0, dx.mutable_data_ptr<float>());
  }
  if (wanted[1]) {
    dw = at::empty({m, k}, at::TensorOptions(at::kFloat));
    if (rows) {
      Entries columns = columns_of(*rows, k);
      float *result = scratch((n + k) * tile), *strip = result + k * tile;
      for (int64_t t = 0; t < m; t += tile) {
        for (int64_t i = 0; i < n; i++) std::memcpy(strip + i * tile, dy + i * m + t, tile * sizeof(float));
        product(columns, strip, n, false, result, tile);
        transpose(result, k, tile, dw.mutable_data_ptr<float>() + t * k);
      }
    } else {
      gemm(true, false, m, k, n, dy, m, x.const_data_ptr<float>(), k, 0, dw.mutable_data_ptr<float>());
    }
  }
  if (wanted[2]) {
    db = at::empty({m}, at::TensorOptions(at::kFloat));
    float* sum = db.mutable_data_ptr<float>();
    std::memset(sum, 0, m * sizeof(float));
    add_rows(sum, dy, n, m);
  }
  return {dx, dw, db};
}

// affine is x W' + b.
at::Tensor affine(const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias) {
  int n = static_cast<int>(x.size(0)), k = static_cast<int>(x.size(1)), m = static_cast<int>(weight.size(0));
  at::Tensor y = at::empty({n, m}, at::TensorOptions(at::kFloat));
  float* out = y.mutable_data_ptr<float>();
  for (int i = 0; i < n; i++) std::memcpy(out + int64_t(i) * m, bias.const_data_ptr<float>(), m * sizeof(float));
  std::optional<Entries> entries;
  if (worth_skipping(x, m)) {
    entries = rows_of(x.const_data_ptr<float>(), n, k);
    float* strip = scratch(k * tile);
    for (int64_t t = 0; t < m; t += tile) {
      transpose(weight.const_data_ptr<float>() + t * k, tile, k, strip);
      product(*entries, strip, k, true, out + t, m);
    }
  } else {
    gemm(false, true, n, m, k, x.const_data_ptr<float>(), k, weight.const_data_ptr<float>(), k, 1, out);
  }
  return with_gradient(y, {x, weight, bias}, {x, weight}, [entries](const Tensors& saved, const at::Tensor& grad, const std::vector<bool>& wanted) {
    return gradients(saved[0], saved[1], entries, grad.contiguous(), wanted);
  });
}

}  // namespace

lt_error* lt_linear(lt_tensor t, lt_tensor weight, lt_tensor bias, lt_tensor* out) {
  return guard([&] {
    const at::Tensor &x = get(t), &w = get(weight);
    if (blas().gemm != nullptr && bias != 0 && plain(x, 2) && plain(w, 2) && plain(get(bias), 1) && x.size(1) == w.size(1) &&
        get(bias).size(0) == w.size(0) && !autocast_on_cpu()) {
      *out = put(affine(x, w, get(bias)));
    } else {
      *out = put(at::linear(x, w, opt(bias)));
    }
  });
}
