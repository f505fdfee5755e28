// What the shim calls of libtorch's BLAS and of MKL, which no header of libtorch declares.
#pragma once

#include <cstddef>

namespace lt {

// Blas holds the functions that this libtorch exports; where one is null, libtorch's own
// operations serve. Matrices are of float, strides in elements.
struct Blas {
  using Gemm = void(const char* ta, const char* tb, const int* m, const int* n, const int* k, const float* alpha, const float* a, const int* lda,
                    const float* b, const int* ldb, const float* beta, float* c, const int* ldc);
  using PackSize = size_t(int identifier, int m, int n, int k);
  using Pack = void(int layout, int identifier, int transpose, int m, int n, int k, float alpha, const float* from, int ld, float* to);
  using Compute = void(int layout, int ta, int tb, int m, int n, int k, const float* a, int lda, const float* b, int ldb, float beta, float* c, int ldc);

  Gemm* gemm;          // sgemm_, which counts by columns
  PackSize* pack_size;  // these three are MKL's
  Pack* pack;
  Compute* compute;
};

const Blas& blas();

// libtorch_function is a function of libtorch, or of what it is linked to, by its name;
// null where it has none.
void* libtorch_function(const char* name);

// settle_vector_functions has MKL's vector functions pick their kernels. It is called once,
// before any other thread computes.
void settle_vector_functions();

}  // namespace lt
