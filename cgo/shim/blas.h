// Functions of libtorch's BLAS and MKL that no header of libtorch declares.
#pragma once

#include <cstddef>

namespace lt {

// Blas holds the functions that this libtorch exports; if one is null, use libtorch's operations
// instead. Matrices are of float, strides in elements.
struct Blas {
  using Gemm = void(const char* ta, const char* tb, const int* m, const int* n, const int* k, const float* alpha, const float* a, const int* lda,
                    const float* b, const int* ldb, const float* beta, float* c, const int* ldc);
  using PackSize = size_t(int identifier, int m, int n, int k);
  using Pack = void(int layout, int identifier, int transpose, int m, int n, int k, float alpha, const float* from, int ld, float* to);
  using Compute = void(int layout, int ta, int tb, int m, int n, int k, const float* a, int lda, const float* b, int ldb, float beta, float* c, int ldc);

  Gemm* gemm;          // sgemm_, column-major
  PackSize* pack_size;  // these three are MKL's
  Pack* pack;
  Compute* compute;
};

const Blas& blas();

// libtorch_function looks up a function by name in libtorch and the libraries it is linked to, null
// if not found.
void* libtorch_function(const char* name);

// settle_vector_functions makes MKL's vector functions pick their kernels. Call it once, before any
// other thread computes.
void settle_vector_functions();

}  // namespace lt
