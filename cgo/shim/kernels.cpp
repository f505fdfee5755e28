#include "kernels.h"

#include <cstdlib>
#include <cstring>

#if defined(__x86_64__)
#include <immintrin.h>
#define LT_AVX2 __attribute__((target("avx2,fma")))
#define LT_AVX512 __attribute__((target("avx512f")))
#endif

namespace lt {
namespace {

constexpr int lanes = 16;

// Lanes is the state of xoshiro128++, word by word, lane by lane.
struct Lanes {
  alignas(64) uint32_t s[4][lanes];

  explicit Lanes(uint64_t seed) {
    for (auto& word : s)
      for (auto& lane : word) lane = static_cast<uint32_t>(splitmix(seed) >> 32);
  }
};

// keep is keep_mask or, with Bits, keep_bits.
template <bool Bits>
void keep_plain(uint8_t* mask, int64_t n, uint16_t drop, Lanes& state) {
  auto& s = state.s;
  for (int64_t i = 0; i < n; i += 2 * lanes) {
    uint8_t bytes[2 * lanes];
    for (int l = 0; l < lanes; l++) {
      uint32_t sum = s[0][l] + s[3][l], word = (sum << 7 | sum >> 25) + s[0][l], t = s[1][l] << 9;
      s[2][l] ^= s[0][l];
      s[3][l] ^= s[1][l];
      s[1][l] ^= s[2][l];
      s[0][l] ^= s[3][l];
      s[2][l] ^= t;
      s[3][l] = s[3][l] << 11 | s[3][l] >> 21;
      bytes[2 * l] = (word & 0xffff) >= drop;
      bytes[2 * l + 1] = word >> 16 >= drop;
    }
    if (Bits) {
      uint32_t word = 0;
      for (int l = 0; l < 2 * lanes; l++) word |= uint32_t{bytes[l]} << l;
      std::memcpy(mask + i / 8, &word, sizeof word);
    } else {
      std::memcpy(mask + i, bytes, static_cast<size_t>(std::min<int64_t>(n - i, 2 * lanes)));
    }
  }
}

void and_positive_plain(uint8_t* mask, const float* x, int64_t n) {
  for (int64_t i = 0; i < n; i++) mask[i] &= !(x[i] <= 0);
}

void positive_bits_plain(uint8_t* bits, const float* x, int64_t n) {
  for (int64_t i = 0; i < n; i += 8) {
    int byte = 0;
    for (int64_t j = i; j < std::min(i + 8, n); j++) byte |= !(x[j] <= 0) << (j - i);
    bits[i / 8] = static_cast<uint8_t>(byte);
  }
}

void scale_kept_plain(float* out, const float* x, const uint8_t* mask, float scale, int64_t n) {
  for (int64_t i = 0; i < n; i++) out[i] = mask[i] ? x[i] * scale : 0.0f;
}

void combine_plain(const int32_t* index, const float* value, int32_t count, const float* m, int32_t first, float* out) {
  for (int32_t e = 0; e < count; e++)
    for (int64_t j = 0; j < tile; j++) out[j] += value[e] * m[(index[e] - first) * tile + j];
}

void spread_plain(const int32_t* index, const float* value, int32_t count, const float* row, float* m, int32_t first) {
  for (int32_t e = 0; e < count; e++)
    for (int64_t j = 0; j < tile; j++) m[(index[e] - first) * tile + j] += value[e] * row[j];
}

// nonzero_from continues at element `from`, after `count` entries.
int32_t nonzero_from(const float* row, int64_t from, int64_t end, int32_t count, int32_t* index, float* value) {
  for (int64_t j = from; j < end; j++) {  // written always, counted if nonzero
    index[count] = static_cast<int32_t>(j);
    value[count] = row[j];
    count += row[j] != 0;
  }
  return count;
}

int32_t nonzero_plain(const float* row, int64_t start, int64_t end, int32_t* index, float* value) { return nonzero_from(row, start, end, 0, index, value); }

// transpose_plain works in squares that fit the cache.
void transpose_plain(const float* a, int64_t rows, int64_t cols, int64_t lda, float* b, int64_t ldb) {
  constexpr int64_t side = 16;
  for (int64_t i0 = 0; i0 < rows; i0 += side)
    for (int64_t j0 = 0; j0 < cols; j0 += side)
      for (int64_t j = j0; j < std::min(j0 + side, cols); j++)
        for (int64_t i = i0; i < std::min(i0 + side, rows); i++) b[j * ldb + i] = a[i * lda + j];
}

void add_rows_plain(float* sum, const float* g, int64_t n, int64_t width) {
  for (int64_t i = 0; i < n; i++)
    for (int64_t j = 0; j < width; j++) sum[j] += g[i * width + j];
}

#ifdef LT_AVX2

// Half is eight of the sixteen lanes.
struct Half {
  __m256i s[4];

  LT_AVX2 void load(const Lanes& state, int half) {
    for (int w = 0; w < 4; w++) s[w] = _mm256_load_si256(reinterpret_cast<const __m256i*>(state.s[w] + 8 * half));
  }

  LT_AVX2 __m256i next() {
    __m256i sum = _mm256_add_epi32(s[0], s[3]);
    __m256i word = _mm256_add_epi32(_mm256_or_si256(_mm256_slli_epi32(sum, 7), _mm256_srli_epi32(sum, 25)), s[0]);
    __m256i t = _mm256_slli_epi32(s[1], 9);
    s[2] = _mm256_xor_si256(s[2], s[0]);
    s[3] = _mm256_xor_si256(s[3], s[1]);
    s[1] = _mm256_xor_si256(s[1], s[2]);
    s[0] = _mm256_xor_si256(s[0], s[3]);
    s[2] = _mm256_xor_si256(s[2], t);
    s[3] = _mm256_or_si256(_mm256_slli_epi32(s[3], 11), _mm256_srli_epi32(s[3], 21));
    return word;
  }
};

template <bool Bits>
LT_AVX2 void keep_avx2(uint8_t* mask, int64_t n, uint16_t drop, Lanes& state) {
  Half low, high;
  low.load(state, 0);
  high.load(state, 1);
  const __m256i limit = _mm256_set1_epi16(static_cast<int16_t>(drop)), one = _mm256_set1_epi8(1);
  for (int64_t i = 0; i < n; i += 32) {
    __m256i a = low.next(), b = high.next();
    // draw >= limit, unsigned: then the maximum of both is draw.
    a = _mm256_cmpeq_epi16(_mm256_max_epu16(a, limit), a);
    b = _mm256_cmpeq_epi16(_mm256_max_epu16(b, limit), b);
    // Packing works on halves of 128 bits, so put the four quarters in order.
    __m256i bytes = _mm256_permute4x64_epi64(_mm256_packs_epi16(a, b), 0xd8);
    if (Bits) {
      int word = _mm256_movemask_epi8(bytes);
      std::memcpy(mask + i / 8, &word, sizeof word);
      continue;
    }
    bytes = _mm256_and_si256(bytes, one);
    if (n - i >= 32) {
      _mm256_storeu_si256(reinterpret_cast<__m256i*>(mask + i), bytes);
    } else {
      std::memcpy(mask + i, &bytes, static_cast<size_t>(n - i));
    }
  }
}

LT_AVX2 void and_positive_avx2(uint8_t* mask, const float* x, int64_t n) {
  int64_t i = 0;
  const __m256 zero = _mm256_setzero_ps();
  for (; i + 8 <= n; i += 8) {
    __m256i keep = _mm256_castps_si256(_mm256_cmp_ps(_mm256_loadu_ps(x + i), zero, _CMP_NLE_UQ));
    __m128i words = _mm_packs_epi32(_mm256_castsi256_si128(keep), _mm256_extracti128_si256(keep, 1));
    __m128i bytes = _mm_packs_epi16(words, words);
    __m128i before = _mm_loadl_epi64(reinterpret_cast<const __m128i*>(mask + i));
    _mm_storel_epi64(reinterpret_cast<__m128i*>(mask + i), _mm_and_si128(before, bytes));
  }
  and_positive_plain(mask + i, x + i, n - i);
}

LT_AVX2 void positive_bits_avx2(uint8_t* bits, const float* x, int64_t n) {
  int64_t i = 0;
  for (; i + 8 <= n; i += 8)
    bits[i / 8] = static_cast<uint8_t>(_mm256_movemask_ps(_mm256_cmp_ps(_mm256_loadu_ps(x + i), _mm256_setzero_ps(), _CMP_NLE_UQ)));
  positive_bits_plain(bits + i / 8, x + i, n - i);
}

LT_AVX2 void scale_kept_avx2(float* out, const float* x, const uint8_t* mask, float scale, int64_t n) {
  int64_t i = 0;
  const __m256 factor = _mm256_set1_ps(scale);
  const __m256i zero = _mm256_setzero_si256();
  for (; i + 8 <= n; i += 8) {
    __m256i kept = _mm256_cvtepu8_epi32(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(mask + i)));
    __m256 bits = _mm256_castsi256_ps(_mm256_cmpgt_epi32(kept, zero));
    _mm256_storeu_ps(out + i, _mm256_and_ps(bits, _mm256_mul_ps(_mm256_loadu_ps(x + i), factor)));
  }
  scale_kept_plain(out + i, x + i, mask + i, scale, n - i);
}

LT_AVX2 void combine_avx2(const int32_t* index, const float* value, int32_t count, const float* m, int32_t first, float* out) {
  __m256 s0 = _mm256_loadu_ps(out), s1 = _mm256_loadu_ps(out + 8), s2 = _mm256_loadu_ps(out + 16), s3 = _mm256_loadu_ps(out + 24);
  __m256 s4 = _mm256_loadu_ps(out + 32), s5 = _mm256_loadu_ps(out + 40), s6 = _mm256_loadu_ps(out + 48), s7 = _mm256_loadu_ps(out + 56);
  for (int32_t e = 0; e < count; e++) {
    const float* row = m + (index[e] - first) * tile;
    const __m256 v = _mm256_broadcast_ss(value + e);
    s0 = _mm256_fmadd_ps(v, _mm256_loadu_ps(row), s0);
    s1 = _mm256_fmadd_ps(v, _mm256_loadu_ps(row + 8), s1);
    s2 = _mm256_fmadd_ps(v, _mm256_loadu_ps(row + 16), s2);
    s3 = _mm256_fmadd_ps(v, _mm256_loadu_ps(row + 24), s3);
    s4 = _mm256_fmadd_ps(v, _mm256_loadu_ps(row + 32), s4);
    s5 = _mm256_fmadd_ps(v, _mm256_loadu_ps(row + 40), s5);
    s6 = _mm256_fmadd_ps(v, _mm256_loadu_ps(row + 48), s6);
    s7 = _mm256_fmadd_ps(v, _mm256_loadu_ps(row + 56), s7);
  }
  _mm256_storeu_ps(out, s0);
  _mm256_storeu_ps(out + 8, s1);
  _mm256_storeu_ps(out + 16, s2);
  _mm256_storeu_ps(out + 24, s3);
  _mm256_storeu_ps(out + 32, s4);
  _mm256_storeu_ps(out + 40, s5);
  _mm256_storeu_ps(out + 48, s6);
  _mm256_storeu_ps(out + 56, s7);
}

LT_AVX2 void spread_avx2(const int32_t* index, const float* value, int32_t count, const float* row, float* m, int32_t first) {
  const __m256 r0 = _mm256_loadu_ps(row), r1 = _mm256_loadu_ps(row + 8), r2 = _mm256_loadu_ps(row + 16), r3 = _mm256_loadu_ps(row + 24);
  const __m256 r4 = _mm256_loadu_ps(row + 32), r5 = _mm256_loadu_ps(row + 40), r6 = _mm256_loadu_ps(row + 48), r7 = _mm256_loadu_ps(row + 56);
  for (int32_t e = 0; e < count; e++) {
    float* out = m + (index[e] - first) * tile;
    const __m256 v = _mm256_broadcast_ss(value + e);
    _mm256_storeu_ps(out, _mm256_fmadd_ps(v, r0, _mm256_loadu_ps(out)));
    _mm256_storeu_ps(out + 8, _mm256_fmadd_ps(v, r1, _mm256_loadu_ps(out + 8)));
    _mm256_storeu_ps(out + 16, _mm256_fmadd_ps(v, r2, _mm256_loadu_ps(out + 16)));
    _mm256_storeu_ps(out + 24, _mm256_fmadd_ps(v, r3, _mm256_loadu_ps(out + 24)));
    _mm256_storeu_ps(out + 32, _mm256_fmadd_ps(v, r4, _mm256_loadu_ps(out + 32)));
    _mm256_storeu_ps(out + 40, _mm256_fmadd_ps(v, r5, _mm256_loadu_ps(out + 40)));
    _mm256_storeu_ps(out + 48, _mm256_fmadd_ps(v, r6, _mm256_loadu_ps(out + 48)));
    _mm256_storeu_ps(out + 56, _mm256_fmadd_ps(v, r7, _mm256_loadu_ps(out + 56)));
  }
}

// With 512 bits the sums are the same, in the same order.
LT_AVX512 void combine_avx512(const int32_t* index, const float* value, int32_t count, const float* m, int32_t first, float* out) {
  __m512 s0 = _mm512_loadu_ps(out), s1 = _mm512_loadu_ps(out + 16), s2 = _mm512_loadu_ps(out + 32), s3 = _mm512_loadu_ps(out + 48);
  for (int32_t e = 0; e < count; e++) {
    const float* row = m + (index[e] - first) * tile;
    const __m512 v = _mm512_set1_ps(value[e]);
    s0 = _mm512_fmadd_ps(v, _mm512_loadu_ps(row), s0);
    s1 = _mm512_fmadd_ps(v, _mm512_loadu_ps(row + 16), s1);
    s2 = _mm512_fmadd_ps(v, _mm512_loadu_ps(row + 32), s2);
    s3 = _mm512_fmadd_ps(v, _mm512_loadu_ps(row + 48), s3);
  }
  _mm512_storeu_ps(out, s0);
  _mm512_storeu_ps(out + 16, s1);
  _mm512_storeu_ps(out + 32, s2);
  _mm512_storeu_ps(out + 48, s3);
}

LT_AVX512 void spread_avx512(const int32_t* index, const float* value, int32_t count, const float* row, float* m, int32_t first) {
  const __m512 r0 = _mm512_loadu_ps(row), r1 = _mm512_loadu_ps(row + 16), r2 = _mm512_loadu_ps(row + 32), r3 = _mm512_loadu_ps(row + 48);
  for (int32_t e = 0; e < count; e++) {
    float* out = m + (index[e] - first) * tile;
    const __m512 v = _mm512_set1_ps(value[e]);
    _mm512_storeu_ps(out, _mm512_fmadd_ps(v, r0, _mm512_loadu_ps(out)));
    _mm512_storeu_ps(out + 16, _mm512_fmadd_ps(v, r1, _mm512_loadu_ps(out + 16)));
    _mm512_storeu_ps(out + 32, _mm512_fmadd_ps(v, r2, _mm512_loadu_ps(out + 32)));
    _mm512_storeu_ps(out + 48, _mm512_fmadd_ps(v, r3, _mm512_loadu_ps(out + 48)));
  }
}

// Packings holds, for each set of lanes, the order that moves them to the front.
struct Packings {
  alignas(32) int32_t order[256][8] = {};

  Packings() {
    for (int set = 0; set < 256; set++)
      for (int lane = 0, at = 0; lane < 8; lane++)
        if (set >> lane & 1) order[set][at++] = lane;
  }
};
const Packings packings;

LT_AVX2 int32_t nonzero_avx2(const float* row, int64_t start, int64_t end, int32_t* index, float* value) {
  int32_t count = 0;
  int64_t j = start;
  const __m256 zero = _mm256_setzero_ps();
  for (; j + 8 <= end; j += 8) {
    __m256 v = _mm256_loadu_ps(row + j);
    int set = _mm256_movemask_ps(_mm256_cmp_ps(v, zero, _CMP_NEQ_UQ));
    if (set == 0) continue;
    __m256i order = _mm256_load_si256(reinterpret_cast<const __m256i*>(packings.order[set]));
    _mm256_storeu_ps(value + count, _mm256_permutevar8x32_ps(v, order));
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(index + count), _mm256_add_epi32(order, _mm256_set1_epi32(static_cast<int32_t>(j))));
    count += __builtin_popcount(static_cast<unsigned>(set));
  }
  return nonzero_from(row, j, end, count, index, value);
}

// transpose8 transposes one square of eight.
LT_AVX2 void transpose8(const float* a, int64_t lda, float* b, int64_t ldb) {
  __m256 r[8], t[8];
  for (int i = 0; i < 8; i++) r[i] = _mm256_loadu_ps(a + i * lda);
  for (int i = 0; i < 8; i += 2) {
    t[i] = _mm256_unpacklo_ps(r[i], r[i + 1]);
    t[i + 1] = _mm256_unpackhi_ps(r[i], r[i + 1]);
  }
  for (int i = 0; i < 8; i += 4) {
    r[i] = _mm256_shuffle_ps(t[i], t[i + 2], 0x44);
    r[i + 1] = _mm256_shuffle_ps(t[i], t[i + 2], 0xee);
    r[i + 2] = _mm256_shuffle_ps(t[i + 1], t[i + 3], 0x44);
    r[i + 3] = _mm256_shuffle_ps(t[i + 1], t[i + 3], 0xee);
  }
  for (int i = 0; i < 4; i++) {
    _mm256_storeu_ps(b + i * ldb, _mm256_permute2f128_ps(r[i], r[i + 4], 0x20));
    _mm256_storeu_ps(b + (i + 4) * ldb, _mm256_permute2f128_ps(r[i], r[i + 4], 0x31));
  }
}

LT_AVX2 void transpose_avx2(const float* a, int64_t rows, int64_t cols, int64_t lda, float* b, int64_t ldb) {
  if (rows % 8 != 0 || cols % 8 != 0) return transpose_plain(a, rows, cols, lda, b, ldb);
  for (int64_t i = 0; i < rows; i += 8)
    for (int64_t j = 0; j < cols; j += 8) transpose8(a + i * lda + j, lda, b + j * ldb + i, ldb);
}

LT_AVX2 void add_rows_avx2(float* sum, const float* g, int64_t n, int64_t width) {
  int64_t j = 0;
  for (; j + 8 <= width; j += 8) {
    __m256 s = _mm256_loadu_ps(sum + j);
    for (int64_t i = 0; i < n; i++) s = _mm256_add_ps(s, _mm256_loadu_ps(g + i * width + j));
    _mm256_storeu_ps(sum + j, s);
  }
  for (; j < width; j++)
    for (int64_t i = 0; i < n; i++) sum[j] += g[i * width + j];
}

// capability_is checks the variable that limits libtorch's kernels.
bool capability_is(const char* value) {
  const char* capability = std::getenv("ATEN_CPU_CAPABILITY");
  return capability != nullptr && std::strcmp(capability, value) == 0;
}

const bool avx2 = [] {
  __builtin_cpu_init();
  return !capability_is("default") && __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
}();
const bool avx512 = avx2 && !capability_is("avx2") && __builtin_cpu_supports("avx512f");

#define LT_CHOOSE(name, ...) (avx2 ? name##_avx2(__VA_ARGS__) : name##_plain(__VA_ARGS__))
#define LT_CHOOSE_WIDE(name, ...) (avx512 ? name##_avx512(__VA_ARGS__) : LT_CHOOSE(name, __VA_ARGS__))
#else
#define LT_CHOOSE(name, ...) name##_plain(__VA_ARGS__)
#define LT_CHOOSE_WIDE(name, ...) name##_plain(__VA_ARGS__)
#endif

template <bool Bits>
void keep(uint8_t* mask, int64_t n, uint16_t drop, uint64_t seed) {
  Lanes state(seed);
#ifdef LT_AVX2
  if (avx2) return keep_avx2<Bits>(mask, n, drop, state);
#endif
  keep_plain<Bits>(mask, n, drop, state);
}

}  // namespace

bool has_avx2() {
#ifdef LT_AVX2
  return avx2;
#else
  return false;
#endif
}

bool has_avx512() {
#ifdef LT_AVX2
  return avx512;
#else
  return false;
#endif
}

void keep_mask(uint8_t* mask, int64_t n, uint16_t drop, uint64_t seed) {
  keep<false>(mask, n, drop, seed);
}

void keep_bits(uint8_t* bits, int64_t n, uint16_t drop, uint64_t seed) {
  keep<true>(bits, n, drop, seed);
}

void and_positive(uint8_t* mask, const float* x, int64_t n) { LT_CHOOSE(and_positive, mask, x, n); }

void positive_bits(uint8_t* bits, const float* x, int64_t n) { LT_CHOOSE(positive_bits, bits, x, n); }

void scale_kept(float* out, const float* x, const uint8_t* mask, float scale, int64_t n) { LT_CHOOSE(scale_kept, out, x, mask, scale, n); }

void combine(const int32_t* index, const float* value, int32_t count, const float* m, int32_t first, float* out) {
  LT_CHOOSE_WIDE(combine, index, value, count, m, first, out);
}

void spread(const int32_t* index, const float* value, int32_t count, const float* row, float* m, int32_t first) {
  LT_CHOOSE_WIDE(spread, index, value, count, row, m, first);
}

int32_t nonzero(const float* row, int64_t start, int64_t end, int32_t* index, float* value) { return LT_CHOOSE(nonzero, row, start, end, index, value); }

void transpose(const float* a, int64_t rows, int64_t cols, int64_t lda, float* b, int64_t ldb) { LT_CHOOSE(transpose, a, rows, cols, lda, b, ldb); }

void add_rows(float* sum, const float* g, int64_t n, int64_t width) { LT_CHOOSE(add_rows, sum, g, n, width); }

}  // namespace lt
