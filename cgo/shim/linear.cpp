// The fully connected layer. For float32 matrices on the CPU, forward and
// backward are one node that calls BLAS itself: libtorch's own takes a dozen
// dispatches, most of them transposes, which is what small networks wait for.
//
// An input of mostly zeros, as images of digits are, goes through a sparse
// product: MNIST's pixels are 81 % zero, and its first layer is most of the
// network's arithmetic. Only inputs that need no gradient qualify.

#include <ATen/ops/empty.h>
#include <ATen/ops/linear.h>

#include <algorithm>
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

// Entries are the nonzero elements of a matrix [n k], row by row. Its columns come in
// parts of `part`, so that what belongs to one part stays in the first cache: row i's
// entries in part p are those from start[p][i] to start[p + 1][i]. They are kept in
// tensors, so that forward can hand them to backward.
struct Entries {
  int64_t n, k;
  at::Tensor start, index, value;

  static constexpr int64_t part = 96;

  Entries(const float* x, int64_t rows, int64_t columns)
      : n(rows), k(columns), start(at::empty({(parts() + 1) * n}, at::kInt)), index(at::empty({n * k + 8}, at::kInt)), value(at::empty({n * k + 8}, at::kFloat)) {
    int32_t *starts = start.mutable_data_ptr<int32_t>(), *indices = index.mutable_data_ptr<int32_t>(), count = 0;
    float* values = value.mutable_data_ptr<float>();
    for (int64_t i = 0; i < n; i++) {
      for (int64_t p = 0; p < parts(); p++) {
        starts[p * n + i] = count;
        count += nonzero(x + i * k + p * part, std::min(part, k - p * part), indices + count, values + count);
      }
      starts[parts() * n + i] = count;
    }
  }

  int64_t parts() const { return (k + part - 1) / part; }

  // each calls f(i, number, indices, values) for the entries of each row in a part, from
  // the given row on. Indices count from the part's first column.
  template <class F>
  void each(int64_t p, int64_t first, int64_t rows, const F& f) const {
    const int32_t* begin = start.const_data_ptr<int32_t>() + p * n;
    const int32_t* indices = index.const_data_ptr<int32_t>();
    const float* values = value.const_data_ptr<float>();
    for (int64_t i = first; i < first + rows; i++) f(i, begin[n + i] - begin[i], indices + begin[i], values + begin[i]);
  }
};

// sparse_forward is y += x W', with x in entries.
void sparse_forward(const Entries& x, const float* weight, int64_t m, float* y) {
  blocks(x.n, 1024, [&](int64_t, int64_t first, int64_t rows) {
    alignas(64) float strip[Entries::part * tile];  // of W', [part tile]
    for (int64_t t = 0; t < m; t += tile) {
      for (int64_t p = 0; p < x.parts(); p++) {
        int64_t j = p * Entries::part;
        transpose(weight + t * x.k + j, tile, std::min(Entries::part, x.k - j), x.k, strip, tile);
        x.each(p, first, rows, [&](int64_t i, int32_t count, const int32_t* index, const float* value) { combine(index, value, count, strip, y + i * m + t); });
      }
    }
  });
}

// sparse_gradient is dW = dy' x, with x in entries.
void sparse_gradient(const Entries& x, const float* dy, int64_t m, float* dw) {
  blocks(x.k, Entries::part, [&](int64_t p, int64_t j, int64_t columns) {
    alignas(64) float strip[Entries::part * tile];  // of dW', [part tile]
    for (int64_t t = 0; t < m; t += tile) {
      std::memset(strip, 0, sizeof strip);
      x.each(p, 0, x.n, [&](int64_t i, int32_t count, const int32_t* index, const float* value) { spread(index, value, count, dy + i * m + t, strip); });
      transpose(strip, columns, tile, tile, dw + t * x.k + j, x.k);
    }
  });
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
Tensors gradients(const at::Tensor& x, const at::Tensor& weight, const std::optional<Entries>& entries, const at::Tensor& g, const std::vector<bool>& wanted) {
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
    if (entries) {
      sparse_gradient(*entries, dy, m, dw.mutable_data_ptr<float>());
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
    entries.emplace(x.const_data_ptr<float>(), n, k);
    sparse_forward(*entries, weight.const_data_ptr<float>(), m, out);
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
        get(bias).size(0) == w.size(0) && !autocast_on(at::kCPU)) {
      *out = put(affine(x, w, get(bias)));
    } else {
      *out = put(at::linear(x, w, opt(bias)));
    }
  });
}
