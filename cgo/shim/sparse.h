// Matrices of mostly zeros: sets of examples in compressed sparse rows (CSR), and the
// products of the fully connected layer that skip the zeros.
#pragma once

#include <ATen/core/Tensor.h>

namespace lt {

// compress is the matrix t in compressed rows.
at::Tensor compress(const at::Tensor& t);

// is_csr is whether t is such a matrix.
bool is_csr(const at::Tensor& t);

// dense is t, or the strided matrix of the same elements where t is in compressed rows.
at::Tensor dense(const at::Tensor& t);

// rows_of is the rows of a matrix in compressed rows that index names.
at::Tensor rows_of(const at::Tensor& t, const at::Tensor& index);

// Entries are the nonzero elements of a matrix [n k], row by row. Its columns come in
// parts of `part`, so that what belongs to one part stays in the first cache: row i's
// entries in part p are those from start[p][i] to start[p + 1][i]. They are kept in
// tensors, so that forward can hand them to backward.
struct Entries {
  int64_t n, k;
  at::Tensor start, index, value;

  static constexpr int64_t part = 96;

  // The entries of a float32 matrix on the CPU, contiguous or in compressed rows.
  explicit Entries(const at::Tensor& x);

  int64_t parts() const { return (k + part - 1) / part; }

  // each calls f(i, number, indices, values) for the entries of each row in a part, from
  // the given row on.
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

// sparse_forward is y += x W' for W [m k], m a multiple of `tile`.
void sparse_forward(const Entries& x, const float* weight, int64_t m, float* y);

// sparse_gradient is dW = dy' x.
void sparse_gradient(const Entries& x, const float* dy, int64_t m, float* dw);

// narrow is whether the products with few outputs, m no multiple of `tile`, are worth their
// jumps through memory for x: compressed rows of which few elements are not zero, as of bags of
// words.
bool narrow(const at::Tensor& x);

// narrow_forward and narrow_gradient are sparse_forward and sparse_gradient for any m.
void narrow_forward(const at::Tensor& x, const float* weight, int64_t m, float* y);
void narrow_gradient(const at::Tensor& x, const float* dy, int64_t m, float* dw);

}  // namespace lt
