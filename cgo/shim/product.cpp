#include "product.h"

#include <ATen/ops/addmm.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/mm.h>

#include <algorithm>
#include <cstdint>

#include "blas.h"

namespace lt {
namespace {

constexpr int row_major = 101, no_transpose = 111, transpose = 112, packed = 151, b_matrix = 162;

// MKL's function, by its C name.
using Gemm16 = void(int layout, int ta, int tb, int m, int n, int k, float alpha, const uint16_t* a, int lda, const uint16_t* b, int ldb, float beta, float* c,
                    int ldc);

// Without instructions for it, MKL would compute in float32.
Gemm16* gemm16() {
#if defined(__x86_64__)
  static Gemm16* const found = [] {
    __builtin_cpu_init();
    return __builtin_cpu_supports("avx512bf16") ? reinterpret_cast<Gemm16*>(libtorch_function("cblas_gemm_bf16bf16f32")) : nullptr;
  }();
  return found;
#else
  return nullptr;
#endif
}

// Operand is a matrix as BLAS takes it: rows or columns without gaps.
struct Operand {
  at::Tensor matrix;
  bool transposed;
  int stride;

  explicit Operand(const at::Tensor& m) : matrix(m.stride(0) == 1 || m.stride(1) == 1 ? m : m.contiguous()) {
    transposed = matrix.stride(1) != 1;
    const int64_t least = matrix.size(transposed ? 0 : 1);
    stride = static_cast<int>(std::max(matrix.stride(transposed ? 1 : 0), least));
  }
};

}  // namespace

bool has_bfloat16_products() { return gemm16() != nullptr; }

void add_product(at::Tensor out, const at::Tensor& a, const at::Tensor& b, int beta) {
  if (a.scalar_type() != at::kBFloat16) {
    at::addmm_out(out, out, a, b, beta, 1);
    return;
  }
  const Operand x(a), y(b);
  auto* p = static_cast<const uint16_t*>(x.matrix.const_data_ptr());
  auto* q = static_cast<const uint16_t*>(y.matrix.const_data_ptr());
  gemm16()(row_major, x.transposed ? transpose : no_transpose, y.transposed ? transpose : no_transpose, static_cast<int>(a.size(0)), static_cast<int>(b.size(1)),
           static_cast<int>(a.size(1)), 1, p, x.stride, q, y.stride, static_cast<float>(beta), out.mutable_data_ptr<float>(), static_cast<int>(out.stride(0)));
}

at::Tensor product(const at::Tensor& a, const at::Tensor& b) {
  if (a.scalar_type() != at::kBFloat16) return at::mm(a, b);
  at::Tensor out = at::empty({a.size(0), b.size(1)}, a.options().dtype(at::kFloat));
  add_product(out, a, b, 0);
  return out;
}

Product::Product(const at::Tensor& matrix, int64_t rows) : matrix_(matrix), rows_(rows) {
  if (blas().pack_size == nullptr || matrix.scalar_type() != at::kFloat) return;
  bool transposed = matrix.stride(0) == 1;
  int m = static_cast<int>(rows), n = static_cast<int>(matrix.size(1)), k = static_cast<int>(matrix.size(0));
  packed_ = at::empty({static_cast<int64_t>(blas().pack_size(b_matrix, m, n, k))}, at::kByte);
  blas().pack(row_major, b_matrix, transposed ? transpose : no_transpose, m, n, k, 1, matrix.const_data_ptr<float>(), transposed ? k : n,
              static_cast<float*>(packed_.mutable_data_ptr()));
}

void Product::add(const at::Tensor& out, const at::Tensor& a, int beta) const {
  if (!packed_.defined() || a.size(0) != rows_) {
    add_product(out, a, matrix_, beta);
    return;
  }
  int m = static_cast<int>(rows_), n = static_cast<int>(matrix_.size(1)), k = static_cast<int>(matrix_.size(0));
  blas().compute(row_major, no_transpose, packed, m, n, k, a.const_data_ptr<float>(), k, static_cast<const float*>(packed_.const_data_ptr()), n,
                 static_cast<float>(beta), out.mutable_data_ptr<float>(), n);
}

}  // namespace lt
