// Products of matrices for operations of the shim's own, in bfloat16 among others, of which
// the sums and results are then in float32.
#pragma once

#include <ATen/core/Tensor.h>

namespace lt {

// has_bfloat16_products says that this libtorch and processor have them.
bool has_bfloat16_products();

// product is a b, and add_product is out = beta out + a b, for beta of 0 or 1.
at::Tensor product(const at::Tensor& a, const at::Tensor& b);
void add_product(at::Tensor out, const at::Tensor& a, const at::Tensor& b, int beta);

// Product is the product of many matrices [rows k] with one matrix [k n]. MKL has its own
// copy of that one in float32; it is only for the number of rows that it was made for,
// others go the general way.
class Product {
 public:
  Product(const at::Tensor& matrix, int64_t rows);

  // add is out = beta out + a matrix, for beta of 0 or 1.
  void add(const at::Tensor& out, const at::Tensor& a, int beta) const;

 private:
  at::Tensor matrix_, packed_;
  int64_t rows_;
};

}  // namespace lt
