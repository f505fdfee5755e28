// Matrices that are mostly zeros: examples in compressed sparse rows (CSR), and products of the
// fully connected layer that skip the zeros.
#pragma once

#include <ATen/core/Tensor.h>

namespace lt {

// compress returns the matrix t in compressed rows.
at::Tensor compress(const at::Tensor& t);

// is_csr reports whether t is such a matrix.
bool is_csr(const at::Tensor& t);

// dense returns t, converted to a strided matrix if it is in compressed rows.
at::Tensor dense(const at::Tensor& t);

// rows_of returns the given rows of a matrix in compressed rows.
at::Tensor rows_of(const at::Tensor& t, const at::Tensor& index);

// Entries holds the nonzero elements of a matrix [n k], row by row. Its columns are divided into
// parts of `part` columns, so that a part's data stays in the L1 cache: row i's entries in part p
// are those from start[p][i] to start[p + 1][i]. They are kept in tensors, so that forward can pass
// them to backward.
struct Entries {
  int64_t n, k;
  at::Tensor start, index, value;

  static constexpr int64_t part = 96;

  // The entries of a float32 matrix on the CPU, contiguous or in compressed rows.
  explicit Entries(const at::Tensor& x);

  int64_t parts() const { return (k + part - 1) / part; }

  // each calls f(i, number, indices, values) for the entries of each row in a part, starting at the
  // given row.
  template <class F>
  void each(int64_t p, int64_t first, int64_t rows, const F& f) const {
    const int32_t* begin = start.const_data_ptr<int32_t>() + p * n;
    const int32_t* indices = index.const_data_ptr<int32_t>();
    const float* values = value.const_data_ptr<float>();
    for (int64_t i = first; i < first + rows; i++) f(i, begin[n + i] - begin[i], indices + begin[i], values + begin[i]);
  }

 private:
  void list(const at::Tensor& x);
  void divide(const at::Tensor& x);
};

// sparse_forward computes y += x W' for W [m k], m a multiple of `tile`.
void sparse_forward(const Entries& x, const float* weight, int64_t m, float* y);

// sparse_gradient computes dW = dy' x.
void sparse_gradient(const Entries& x, const float* dy, int64_t m, float* dw);

// narrow reports whether the products with few outputs, m not a multiple of `tile`, are worth their
// jumps through memory for x: compressed rows with few nonzero elements, as in bags of words.
bool narrow(const at::Tensor& x);

// narrow_forward and narrow_gradient are sparse_forward and sparse_gradient for any m.
void narrow_forward(const at::Tensor& x, const float* weight, int64_t m, float* y);
void narrow_gradient(const at::Tensor& x, const float* dy, int64_t m, float* dw);

}  // namespace lt
