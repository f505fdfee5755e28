#include "lstm_gates.h"

#include <ATen/Parallel.h>
#include <ATen/ops/from_blob.h>
#include <ATen/ops/sigmoid.h>
#include <ATen/ops/tanh.h>
#include <c10/util/BFloat16.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <type_traits>
#include <vector>

#include "blas.h"
#include "kernels.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

#define LT_INLINE [[gnu::always_inline]] static inline

namespace lt {
namespace {

// This many states stay in the cache, and a thread computes at least this many units.
constexpr int64_t states = 8, part = 64;

// Many is rows of numbers that start `stride` apart.
template <class T>
struct Many {
  T* data;
  int64_t rows, width, stride;

  at::Tensor tensor() const { return at::from_blob(data, {rows, width}, {stride, 1}, at::TensorOptions(c10::CppTypeToScalarType<T>::value)); }
};

template <class T>
void sigmoid(const Many<T>& x) {
  x.tensor().sigmoid_();
}

template <class T>
void tanh_to(const Many<T>& y, const Many<T>& x) {
  at::Tensor out = y.tensor();
  at::tanh_out(out, x.tensor());
}

#if defined(__x86_64__)

// Functions are libtorch's own vector functions for exp and tanh of float32, so that the bits
// agree; null if it has none.
struct Functions {
  using Exp8 = __m256(__m256);
  using Exp16 = __m512(__m512);
  using Tanh = void(int n, const float* x, float* y, long long mode);
  Exp8* exp8 = nullptr;
  Exp16* exp16 = nullptr;
  Tanh* tanh = nullptr;

  Functions() {
    if (has_avx512()) exp16 = reinterpret_cast<Exp16*>(libtorch_function("Sleef_expf16_u10"));
    if (has_avx2()) exp8 = reinterpret_cast<Exp8*>(libtorch_function("Sleef_expf8_u10"));
    tanh = reinterpret_cast<Tanh*>(libtorch_function("vmsTanh"));
  }
};
const Functions& functions() {
  static const Functions found;
  return found;
}

__attribute__((target("avx512f"))) void sigmoid_avx512(float* x, int64_t n, Functions::Exp16* exp) {
  const __m512 one = _mm512_set1_ps(1);
  for (int64_t j = 0; j < n; j += 16) {
    const __mmask16 lanes = n - j < 16 ? static_cast<__mmask16>((1 << (n - j)) - 1) : 0xffff;
    const __m512 e = exp(_mm512_sub_ps(_mm512_setzero_ps(), _mm512_maskz_loadu_ps(lanes, x + j)));
    _mm512_mask_storeu_ps(x + j, lanes, _mm512_div_ps(one, _mm512_add_ps(one, e)));
  }
}

__attribute__((target("avx2,fma"))) void sigmoid_avx2(float* x, int64_t n, Functions::Exp8* exp) {
  const __m256 one = _mm256_set1_ps(1);
  for (int64_t j = 0; j < n; j += 8) {
    alignas(32) float some[8] = {};
    const size_t bytes = static_cast<size_t>(std::min<int64_t>(n - j, 8)) * sizeof(float);
    std::memcpy(some, x + j, bytes);
    const __m256 e = exp(_mm256_sub_ps(_mm256_setzero_ps(), _mm256_load_ps(some)));
    _mm256_store_ps(some, _mm256_div_ps(one, _mm256_add_ps(one, e)));
    std::memcpy(x + j, some, bytes);
  }
}

template <>
void sigmoid(const Many<float>& x) {
  const Functions& f = functions();
  if (f.exp16 == nullptr && f.exp8 == nullptr) {
    x.tensor().sigmoid_();
    return;
  }
  for (int64_t r = 0; r < x.rows; r++)
    if (f.exp16 != nullptr) {
      sigmoid_avx512(x.data + r * x.stride, x.width, f.exp16);
    } else {
      sigmoid_avx2(x.data + r * x.stride, x.width, f.exp8);
    }
}

template <>
void tanh_to(const Many<float>& y, const Many<float>& x) {
  constexpr long long high_accuracy = 2, denormals = 0x140000, no_errors = 0x100;
  const Functions& f = functions();
  if (f.tanh == nullptr) {
    at::Tensor out = y.tensor();
    at::tanh_out(out, x.tensor());
    return;
  }
  for (int64_t r = 0; r < x.rows; r++) f.tanh(static_cast<int>(x.width), x.data + r * x.stride, y.data + r * y.stride, high_accuracy | denormals | no_errors);
}

#endif

// kept returns x, for bfloat16 rounded to nearest, ties to even; NaN stays NaN.
template <class Kept, class T>
LT_INLINE Kept kept(T x) {
  if constexpr (std::is_same_v<Kept, c10::BFloat16>) {
    const auto bits = std::bit_cast<uint32_t>(x);
    const uint32_t rounded = (bits + 0x7fff + (bits >> 16 & 1)) >> 16;
    return {static_cast<uint16_t>(x == x ? rounded : 0x7fc0), c10::BFloat16::from_bits()};
  } else {
    return x;
  }
}

// Loops holds the loops over the n units of a row, compiled twice. With AVX2, libtorch's own fuse a
// product and a sum into one rounding, so these do too, for the same bits.
template <bool Fused>
struct Loops {
  template <class T>
  LT_INLINE T multiply_add(T a, T b, T c) {
    if (Fused) return std::fma(a, b, c);
    const T product = a * b;
    return product + c;
  }

  template <class T>
  LT_INLINE T one_minus_square(T x) {
    return multiply_add(-x, x, T(1));
  }

  template <class T>
  LT_INLINE void cells_row(T* __restrict next, const T* __restrict cells, const T* i, const T* f, const T* g, int64_t n) {
    for (int64_t j = 0; j < n; j++) next[j] = multiply_add(i[j], g[j], cells[j] * f[j]);
  }

  template <class T, class Kept>
  LT_INLINE void product_row(Kept* y, const T* a, const T* b, int64_t n) {
    for (int64_t j = 0; j < n; j++) y[j] = kept<Kept>(a[j] * b[j]);
  }

  template <class T, class Kept>
  LT_INLINE void convert_row(Kept* __restrict y, const T* __restrict x, int64_t n) {
    for (int64_t j = 0; j < n; j++) y[j] = kept<Kept>(x[j]);
  }

  // The compiler respects __restrict only on parameters.
  template <class T, class Kept>
  LT_INLINE void units(Kept* __restrict i_at, Kept* __restrict f_at, Kept* __restrict g_at, Kept* __restrict o_at, T* __restrict i_sum, T* __restrict f_sum,
                       T* __restrict g_sum, T* __restrict o_sum, T* __restrict cell_grad, const T* __restrict hidden_grad, const T* __restrict cells,
                       const T* __restrict squashed, int64_t n) {
    for (int64_t j = 0; j < n; j++) {
      const T i = i_at[j], f = f_at[j], g = g_at[j], o = o_at[j], dh = hidden_grad[j], y = squashed[j];
      const T dc = cell_grad[j] + dh * o * one_minus_square(y);
      const T di = dc * g * (1 - i) * i, df = dc * cells[j] * (1 - f) * f, dg = dc * i * one_minus_square(g), d_o = y * dh * (1 - o) * o;
      cell_grad[j] = dc * f;
      i_at[j] = kept<Kept>(di), f_at[j] = kept<Kept>(df), g_at[j] = kept<Kept>(dg), o_at[j] = kept<Kept>(d_o);
      i_sum[j] += di, f_sum[j] += df, g_sum[j] += dg, o_sum[j] += d_o;
    }
  }

  template <class T, class Kept>
  LT_INLINE void backward_row(Kept* gates, T* inputs_grad, T* cell_grad, const T* hidden_grad, const T* cells, const T* squashed, int64_t h, int64_t n) {
    units(gates, gates + h, gates + 2 * h, gates + 3 * h, inputs_grad, inputs_grad + h, inputs_grad + 2 * h, inputs_grad + 3 * h, cell_grad, hidden_grad, cells,
          squashed, n);
  }
};

#if defined(__x86_64__)
#define LT_LOOP(types, name, parameters, arguments)                                                 \
  template <types>                                                                                  \
  __attribute__((target("avx2,fma"))) void name##_avx2 parameters { Loops<true>::name arguments; }  \
  template <types>                                                                                  \
  void name parameters { has_avx2() ? name##_avx2 arguments : Loops<false>::name arguments; }
#else
#define LT_LOOP(types, name, parameters, arguments) \
  template <types>                                  \
  void name parameters { Loops<false>::name arguments; }
#endif
#define LT_AND ,

LT_LOOP(class T, cells_row, (T* next, const T* cells, const T* i, const T* f, const T* g, int64_t n), (next, cells, i, f, g, n))
LT_LOOP(class T LT_AND class Kept, product_row, (Kept* y, const T* a, const T* b, int64_t n), (y, a, b, n))
LT_LOOP(class T LT_AND class Kept, convert_row, (Kept* y, const T* x, int64_t n), (y, x, n))
LT_LOOP(class T LT_AND class Kept, backward_row,
        (Kept* gates, T* inputs_grad, T* cell_grad, const T* hidden_grad, const T* cells, const T* squashed, int64_t h, int64_t n),
        (gates, inputs_grad, cell_grad, hidden_grad, cells, squashed, h, n))

// by_parts calls f(first row, rows, first unit, units) for all, on as many threads as there are
// parts. A unit depends on no other units, so threads share none.
template <class F>
void by_parts(int64_t rows, int64_t h, const F& f) {
  at::parallel_for(0, (h + part - 1) / part, 1, [&](int64_t begin, int64_t end) {
    const int64_t unit = begin * part, units = std::min(end * part, h) - unit;
    for (int64_t r = 0; r < rows; r += states) f(r, std::min(states, rows - r), unit, units);
  });
}

}  // namespace

template <class Sum, class Kept>
void forward(const Step<Sum, Kept>& s, Sum* sums, Sum* next_cells, Kept* next_hidden) {
  const int64_t h = s.h, width = 4 * h;
  by_parts(s.rows, h, [&](int64_t first, int64_t rows, int64_t unit, int64_t units) {
    std::vector<Sum> squashed(rows * units);
    Sum *sum = sums + first * width + unit, *next = next_cells + first * h + unit;
    for (int64_t gate : {int64_t{0}, h, 3 * h}) sigmoid(Many<Sum>{sum + gate, rows, units, width});
    const Many<Sum> g{sum + 2 * h, rows, units, width};
    tanh_to(g, g);
    for (int64_t r = 0; r < rows; r++) {
      const Sum* of = sum + r * width;
      cells_row(next + r * h, s.cells + (first + r) * h + unit, of, of + h, of + 2 * h, units);
    }
    tanh_to(Many<Sum>{squashed.data(), rows, units, units}, Many<Sum>{next, rows, units, h});
    for (int64_t r = 0; r < rows; r++) {
      const Sum* of = sum + r * width;
      product_row(next_hidden + (first + r) * h + unit, squashed.data() + r * units, of + 3 * h, units);
      if constexpr (!std::is_same_v<Sum, Kept>)
        for (int64_t gate = 0; gate < width; gate += h) convert_row(s.gates + (first + r) * width + unit + gate, of + gate, units);
    }
  });
}

template <class Sum, class Kept>
void backward(const Step<Sum, Kept>& s, const Sum* hidden_grad, Sum* cell_grad, Sum* inputs_grad) {
  const int64_t h = s.h, width = 4 * h;
  by_parts(s.rows, h, [&](int64_t first, int64_t rows, int64_t unit, int64_t units) {
    std::vector<Sum> squashed(rows * units);
    tanh_to(Many<Sum>{squashed.data(), rows, units, units}, Many<Sum>{const_cast<Sum*>(s.next_cells) + first * h + unit, rows, units, h});
    for (int64_t r = 0; r < rows; r++) {
      const int64_t row = first + r, at = row * h + unit;
      backward_row(s.gates + row * width + unit, inputs_grad + s.input_of[row] * width + unit, cell_grad + at, hidden_grad + at, s.cells + at,
               squashed.data() + r * units, h, units);
    }
  });
}

#define LT_FOR(Sum, Kept)                                                                          \
  template void forward(const Step<Sum, Kept>&, Sum*, Sum*, Kept*);                                \
  template void backward(const Step<Sum, Kept>&, const Sum*, Sum*, Sum*);
LT_FOR(float, float)
LT_FOR(double, double)
LT_FOR(float, c10::BFloat16)

}  // namespace lt
