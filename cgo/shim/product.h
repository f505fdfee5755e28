// Products of matrices for the shim's own operations. Products in bfloat16 have sums and results in
// float32.
#pragma once

#include <ATen/core/Tensor.h>

namespace lt {

// has_bfloat16_products reports whether this libtorch and processor support them.
bool has_bfloat16_products();

// product returns a b; add_product computes out = beta out + a b, for beta of 0 or 1.
at::Tensor product(const at::Tensor& a, const at::Tensor& b);
void add_product(at::Tensor out, const at::Tensor& a, const at::Tensor& b, int beta);

// Product is the product of many matrices [rows k] with one matrix [k n]. MKL keeps its own float32
// copy of the latter, for one number of rows; other numbers of rows use the general product.
class Product {
 public:
  Product(const at::Tensor& matrix, int64_t rows);

  // add computes out = beta out + a matrix, for beta of 0 or 1.
  void add(const at::Tensor& out, const at::Tensor& a, int beta) const;

 private:
  at::Tensor matrix_, packed_;
  int64_t rows_;
};

}  // namespace lt
