// The fully connected layer. For float32 matrices on the CPU, forward and backward are one node
// that calls BLAS itself: libtorch's own takes a dozen dispatches, mostly transposes, which
// dominate in small networks.
//
// An input that is mostly zeros, such as images of digits, goes through a sparse product: MNIST's
// pixels are 81 % zero, and its first layer is most of the network's arithmetic. This applies only
// to inputs that need no gradient.

#include <ATen/ops/empty.h>
#include <ATen/ops/linear.h>

#include <cstring>
#include <optional>
#include <vector>

#include "blas.h"
#include "differentiable.h"
#include "kernels.h"
#include "layers.h"
#include "layout.h"
#include "shim.h"
#include "sparse.h"

using namespace lt;

namespace {

// gemm computes C = op(A) op(B) + beta C for row-major matrices, by asking BLAS, which is
// column-major, for the transpose.
void gemm(bool ta, bool tb, int m, int n, int k, const float* a, int lda, const float* b, int ldb, float beta, float* c) {
  const float one = 1;
  blas().gemm(tb ? "T" : "N", ta ? "T" : "N", &n, &m, &k, &one, b, &ldb, a, &lda, &beta, c, &n);
}

// worth_skipping samples one element in 61 of a large input.
bool worth_skipping(const at::Tensor& x) {
  if (x.requires_grad() || x.size(1) < 256) return false;
  const float* p = x.const_data_ptr<float>();
  int64_t n = x.numel(), looked = 0, nonzero = 0;
  for (int64_t i = 0; i < n; i += 61, looked++) nonzero += p[i] != 0;
  return nonzero * 4 < looked;
}

// gradients computes the gradients of x, W and b of an affine map.
Tensors gradients(const at::Tensor& x, const at::Tensor& weight, const std::optional<Entries>& entries, bool few, const at::Tensor& g, const std::vector<bool>& wanted) {
  if (c10::GradMode::is_enabled() || !plain(g, 2)) return {g.mm(weight), g.t().mm(dense(x)), g.sum(0)};
  int n = static_cast<int>(x.size(0)), k = static_cast<int>(x.size(1)), m = static_cast<int>(weight.size(0));
  const float* dy = g.const_data_ptr<float>();
  at::Tensor dx, dw, db;
  if (wanted[0]) {
    dx = at::empty({n, k}, at::TensorOptions(at::kFloat));
    gemm(false, false, n, k, m, dy, m, weight.const_data_ptr<float>(), k, 0, dx.mutable_data_ptr<float>());
  }
  if (wanted[1]) {
    dw = at::empty({m, k}, at::TensorOptions(at::kFloat));
    if (few) {
      narrow_gradient(x, dy, m, dw.mutable_data_ptr<float>());
    } else if (entries) {
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

// affine returns x W' + b. x may be in compressed rows if the sparse product applies.
at::Tensor affine(const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias) {
  int n = static_cast<int>(x.size(0)), k = static_cast<int>(x.size(1)), m = static_cast<int>(weight.size(0));
  at::Tensor y = at::empty({n, m}, at::TensorOptions(at::kFloat));
  float* out = y.mutable_data_ptr<float>();
  for (int i = 0; i < n; i++) std::memcpy(out + int64_t(i) * m, bias.const_data_ptr<float>(), m * sizeof(float));
  std::optional<Entries> entries;
  if (m % tile == 0 && (is_csr(x) || worth_skipping(x))) entries.emplace(x);
  const bool few = m % tile != 0 && narrow(x);
  if (few) {
    narrow_forward(x, weight.const_data_ptr<float>(), m, out);
  } else if (entries) {
    sparse_forward(*entries, weight.const_data_ptr<float>(), m, out);
  } else {
    gemm(false, true, n, m, k, x.const_data_ptr<float>(), k, weight.const_data_ptr<float>(), k, 1, out);
  }
  return with_gradient(y, {x, weight, bias}, {x, weight}, [entries, few](const Tensors& saved, const at::Tensor& grad, const std::vector<bool>& wanted) {
    return gradients(saved[0], saved[1], entries, few, grad.contiguous(), wanted);
  });
}

}  // namespace

at::Tensor lt::linear(const at::Tensor& x, const at::Tensor& w, const Optional& bias) {
  bool own = blas().gemm != nullptr && bias && plain(w, 2) && plain(*bias, 1) && bias->size(0) == w.size(0) && !autocast_on(at::kCPU);
  if (own && is_csr(x) && x.numel() > 0 && x.size(1) == w.size(1) && (w.size(0) % tile == 0 || narrow(x))) return affine(x, w, *bias);
  at::Tensor full = dense(x);
  if (own && plain(full, 2) && full.size(1) == w.size(1)) return affine(full, w, *bias);
  return at::linear(full, w, bias);
}
