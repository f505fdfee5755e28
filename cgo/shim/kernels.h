// The shim's own loops over floats and bytes, where libtorch has none or slow ones. Each has a
// version for AVX2, some for AVX-512, and a plain one. Masks and scaling agree exactly; sums of the
// plain version may differ in the last bit.
#pragma once

#include <ATen/Parallel.h>

#include <algorithm>
#include <cstdint>

namespace lt {

// has_avx2 and has_avx512 say which version runs. As for libtorch's own kernels,
// ATEN_CPU_CAPABILITY=default turns off both, and avx2 turns off AVX-512.
bool has_avx2();
bool has_avx512();

// keep_mask writes n bytes, 1 with probability 1 - drop / 65536, else 0. It uses sixteen lanes of
// xoshiro128++ (Blackman and Vigna), with two 16-bit draws per word.
void keep_mask(uint8_t* mask, int64_t n, uint16_t drop, uint64_t seed);

// keep_bits writes the same draws as bits, lowest first, and may write up to three bytes more.
void keep_bits(uint8_t* bits, int64_t n, uint16_t drop, uint64_t seed);

// and_positive clears mask where x <= 0; it keeps NaN, so that divergence shows.
void and_positive(uint8_t* mask, const float* x, int64_t n);

// positive_bits sets bits where x > 0 or NaN, lowest bit first, in (n + 7) / 8 bytes.
void positive_bits(uint8_t* bits, const float* x, int64_t n);

// scale_kept writes x * scale where mask is 1, and 0 where it is 0.
void scale_kept(float* out, const float* x, const uint8_t* mask, float scale, int64_t n);

// combine adds to out, for `tile` columns, the sum over `count` entries e of value[e] times row
// index[e] of a matrix. m has its rows starting at `first`, `tile` apart.
constexpr int64_t tile = 64;
void combine(const int32_t* index, const float* value, int32_t count, const float* m, int32_t first, float* out);

// spread is the transpose: it adds value[e] times row to row index[e] of the matrix.
void spread(const int32_t* index, const float* value, int32_t count, const float* row, float* m, int32_t first);

// nonzero lists the nonzero elements of row from start to end, and returns their number. It may
// write up to eight entries more.
int32_t nonzero(const float* row, int64_t start, int64_t end, int32_t* index, float* value);

// transpose writes the transpose of a [rows cols] to b. Rows are lda and ldb apart.
void transpose(const float* a, int64_t rows, int64_t cols, int64_t lda, float* b, int64_t ldb);

// add_rows adds each of the n rows of g to sum.
void add_rows(float* sum, const float* g, int64_t n, int64_t width);

// splitmix is the step of Steele, Lea and Flood's generator: it turns any seed into well-mixed
// ones.
inline uint64_t splitmix(uint64_t& x) {
  uint64_t z = (x += 0x9e3779b97f4a7c15);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return z ^ (z >> 31);
}

// blocks calls f(index, start, length) for n elements in blocks of the given size, on as many
// threads as libtorch may use. The result of a block must not depend on its thread.
template <class F>
void blocks(int64_t n, int64_t size, const F& f) {
  at::parallel_for(0, (n + size - 1) / size, 1, [&](int64_t begin, int64_t end) {
    for (int64_t b = begin; b < end; b++) f(b, b * size, std::min(size, n - b * size));
  });
}

}  // namespace lt
