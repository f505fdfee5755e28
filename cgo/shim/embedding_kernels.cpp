// A strip is up to 56 of the table's columns and two classes: the sums of one example, or of one
// step, are then 14 vectors, which stay in registers.
//
// The loops are written once, with GCC's vectors of eight floats, and compiled twice: for AVX2 and
// for the compiler's baseline.
//
// If dropout is by channel or absent, the run of equal words at the start of a text, its padding,
// costs no more than one word: its sum over steps is a row of the running sum of the weights. Words
// whose vectors have no positive element are skipped; dropout of whole words leaves four in five of
// them.

#include "embedding_kernels.h"

#include <algorithm>
#include <cstring>
#include <vector>

#include "kernels.h"

#if defined(__x86_64__)
#define LT_AVX2 __attribute__((target("avx2,fma")))
#endif
#define LT_INLINE __attribute__((always_inline)) inline

namespace lt {
namespace {

constexpr int64_t width = 8;
using Vector = float __attribute__((vector_size(32)));
typedef float Loose __attribute__((vector_size(32), aligned(4), may_alias));  // Clang respects alignment only in a typedef
using Ints = int32_t __attribute__((vector_size(32)));

struct alignas(32) Cell {  // without AVX the compiler would align a Vector to 16
  Vector v;
};
using Cells = std::vector<Cell>;

constexpr int64_t part = 32;      // steps whose weights stay in the L1 cache
constexpr int64_t ahead = 6;      // steps whose rows are prefetched
constexpr int64_t together = 64;  // examples per task of forward

LT_INLINE Vector load(const float* p) { return *reinterpret_cast<const Loose*>(p); }
LT_INLINE void store(float* p, Vector x) { *reinterpret_cast<Loose*>(p) = x; }
LT_INLINE Vector where(Ints set, Vector x) { return reinterpret_cast<Vector>(set & reinterpret_cast<Ints>(x)); }

// relu keeps NaN, so that divergence shows.
LT_INLINE Vector relu(Vector x) { return where(~(x < Vector{}), x); }

// pick returns x where the bits of vector j, of a 64-bit word, are set.
LT_INLINE Vector pick(const uint32_t* halves, int j, Vector x) {
  const Ints bit = Ints{1, 2, 4, 8, 16, 32, 64, 128} << (8 * (j % 4));
  const Ints all = Ints{} + static_cast<int32_t>(halves[j / 4]);
  return where((all & bit) == bit, x);
}

// Strip is `vectors` vectors of columns starting at `column`, for classes `first` and first + 1.
// The last vector ends at the table's last column, to stay in bounds, so it may overlap the one
// before or another strip; weights and factors are zero in such lanes.
struct Strip {
  const EmbeddingLinear& p;
  int64_t column, first, vectors, last;
  const int32_t* lead;  // [examples] steps of the leading run, which the loops skip
  const uint8_t* idle;  // [words] 1 if the vector has no positive element

  Cells weights{};               // [steps 2 vectors]
  Cells running{};               // [steps+1 2 vectors] sum of the earlier steps' weights
  Cells kept{};                  // [examples vectors] scale, or 0 where a channel is dropped
  std::vector<uint64_t> bits{};  // [examples steps] bit 8j+l for lane l of vector j: kept by element, and positive
  Cells factors{};               // [examples 2 vectors] kept times the gradient of out
  Cells sums{};                  // [examples 2 vectors] in forward, [steps 2 vectors] in backward
  Cells tails{};                 // [words] last vectors of the table's gradient

  // offset returns the place of vector j relative to the strip's first column; last may be below 0.
  int64_t offset(int64_t j) const { return j == vectors - 1 ? last : width * j; }
  int64_t shared() const { return width * (vectors - 1) - last; }  // lanes of the last vector that overlap
  int64_t classes() const { return std::min<int64_t>(2, p.classes - first); }
  bool idle_at(int64_t n, int64_t t) const { return idle[p.index[n * p.steps + t]] != 0; }
  const float* row(int64_t n, int64_t t) const { return p.table + p.index[n * p.steps + t] * p.dim + column; }
  const uint32_t* halves(int64_t n, int64_t t) const { return reinterpret_cast<const uint32_t*>(&bits[n * p.steps + t]); }
};

// offset is s.offset for a number of vectors known at compile time.
template <int J>
LT_INLINE int64_t offset(const Strip& s, int j) {
  return j == J - 1 ? s.last : width * j;
}

// fetch prefetches a row's vectors.
template <int J>
LT_INLINE void fetch(const float* row) {
  for (int j = 0; j < J; j += 2) __builtin_prefetch(row + width * j);
}

// forward_strip adds the strip's share to out, for examples in [begin, end).
template <int J, bool Each>
LT_INLINE void forward_strip(Strip& s, int64_t begin, int64_t end, float* out) {
  const EmbeddingLinear& p = s.p;
  for (int64_t n = begin; n < end; n++)
    for (int j = 0; j < J; j++)
      for (int k = 0; k < 2; k++) s.sums[(n * 2 + k) * J + j].v = relu(load(s.row(n, 0) + offset<J>(s, j))) * s.running[(s.lead[n] * 2 + k) * J + j].v;
  for (int64_t from = 0; from < p.steps; from += part) {
    for (int64_t n = begin; n < end; n++) {
      Vector sum[2][J];
      for (int k = 0; k < 2; k++)
        for (int j = 0; j < J; j++) sum[k][j] = s.sums[(n * 2 + k) * J + j].v;
      const int64_t to = std::min(from + part, p.steps);
      for (int64_t t = std::max<int64_t>(from, s.lead[n]); t < to; t++) {
        if (t + ahead < p.steps) fetch<J>(s.row(n, t + ahead));
        if (!Each && s.idle_at(n, t)) continue;
        const float* row = s.row(n, t);
        const Cell* w = &s.weights[t * 2 * J];
        for (int j = 0; j < J; j++) {
          Vector x = load(row + offset<J>(s, j));
          x = Each ? pick(s.halves(n, t), j, x) : relu(x);
          for (int k = 0; k < 2; k++) sum[k][j] += x * w[k * J + j].v;
        }
      }
      for (int k = 0; k < 2; k++)
        for (int j = 0; j < J; j++) s.sums[(n * 2 + k) * J + j].v = sum[k][j];
    }
  }
  for (int64_t n = begin; n < end; n++) {
    for (int k = 0; k < s.classes(); k++) {
      Vector sum = {};
      for (int j = 0; j < J; j++) {
        Vector kept = s.kept[n * J + j].v;
        sum += where(kept != 0, s.sums[(n * 2 + k) * J + j].v * kept);
      }
      for (int64_t lane = 0; lane < width; lane++) out[n * p.classes + s.first + k] += sum[lane];
    }
  }
}

// weight_strip sums the weights' gradient over examples, for steps in [begin, end). order sorts the
// examples by the length of their leading run; the first active[t] are past it at step t.
template <int J, bool Each>
LT_INLINE void weight_strip(Strip& s, int64_t begin, int64_t end, const int32_t* order, const int32_t* active) {
  for (int64_t t = begin; t < end; t++) {
    Vector sum[2][J] = {};
    for (int32_t i = 0; i < active[t]; i++) {
      const int64_t n = order[i];
      if (i + ahead < active[t]) fetch<J>(s.row(order[i + ahead], t));
      if (!Each && s.idle_at(n, t)) continue;
      const float* row = s.row(n, t);
      const Cell* factor = &s.factors[n * 2 * J];
      for (int j = 0; j < J; j++) {
        Vector x = load(row + offset<J>(s, j));
        x = Each ? pick(s.halves(n, t), j, x) : relu(x);
        for (int k = 0; k < 2; k++) sum[k][j] += x * factor[k * J + j].v;
      }
    }
    for (int k = 0; k < 2; k++)
      for (int j = 0; j < J; j++) s.sums[(t * 2 + k) * J + j].v = sum[k][j];
  }
}

// Row sums the table's gradient of one word. The last vector is separate because it may overlap the
// one before, and a load across two recent stores waits for both.
struct Row {
  float* rest;
  Cell* last;

  template <int J>
  LT_INLINE void add(int j, Vector x) const {
    if (j == J - 1) {
      last->v += x;
    } else {
      store(rest + width * j, load(rest + width * j) + x);
    }
  }
};

// table_strip adds to the table's gradient, before ReLU.
template <int J, bool Each>
LT_INLINE void table_strip(Strip& s, float* grad) {
  const EmbeddingLinear& p = s.p;
  const int64_t dim = p.dim, steps = p.steps;
  float* rest = grad + s.column;
  Cell* last = s.tails.data();
  for (int64_t from = 0; from < steps; from += part) {
    for (int64_t n = 0; n < p.examples; n++) {
      Vector factor[2][J];
      for (int k = 0; k < 2; k++)
        for (int j = 0; j < J; j++) factor[k][j] = s.factors[(n * 2 + k) * J + j].v;
      const int32_t* text = p.index + n * steps;
      const uint32_t* bits = Each ? s.halves(n, 0) : nullptr;
      const Cell* weights = s.weights.data();
      const int64_t to = std::min(from + part, steps);
      for (int64_t t = std::max<int64_t>(from, s.lead[n]); t < to; t++) {
        if (t + ahead < steps) {
          const float* next = rest + text[t + ahead] * dim;
          for (int j = 0; j < J; j += 2) __builtin_prefetch(next + width * j, 1);
          __builtin_prefetch(last + text[t + ahead], 1);
        }
        if (!Each && s.idle_at(n, t)) continue;
        const Row row{rest + text[t] * dim, last + text[t]};
        const Cell* w = weights + t * 2 * J;
        for (int j = 0; j < J; j++) {
          Vector x = factor[0][j] * w[j].v + factor[1][j] * w[J + j].v;
          if (Each) x = pick(bits + 2 * t, j, x);
          row.template add<J>(j, x);
        }
      }
    }
  }
}

// lead_strip adds the leading runs to both gradients: the weights of step t saw the first word of
// every text whose run is longer than t.
template <int J>
LT_INLINE void lead_strip(Strip& s, float* grad) {
  const EmbeddingLinear& p = s.p;
  Cells ending((p.steps + 1) * 2 * J);
  for (int64_t n = 0; n < p.examples; n++) {
    if (s.lead[n] == 0) continue;
    const Cell *factor = &s.factors[n * 2 * J], *w = &s.running[s.lead[n] * 2 * J];
    Cell* run = &ending[s.lead[n] * 2 * J];
    const int32_t word = p.index[n * p.steps];
    const Row row{grad + s.column + word * p.dim, &s.tails[word]};
    for (int j = 0; j < J; j++) {
      Vector e = relu(load(s.row(n, 0) + offset<J>(s, j)));
      for (int k = 0; k < 2; k++) run[k * J + j].v += e * factor[k * J + j].v;
      row.template add<J>(j, factor[j].v * w[j].v + factor[J + j].v * w[J + j].v);
    }
  }
  Vector sum[2 * J] = {};
  for (int64_t t = p.steps - 1; t >= 0; t--) {
    for (int i = 0; i < 2 * J; i++) {
      sum[i] += ending[(t + 1) * 2 * J + i].v;
      s.sums[t * 2 * J + i].v += sum[i];
    }
  }
}

// Loops holds the functions above for one kind of strip.
struct Loops {
  void (*forward)(Strip&, int64_t, int64_t, float*);
  void (*weight)(Strip&, int64_t, int64_t, const int32_t*, const int32_t*);
  void (*table)(Strip&, float*);
  void (*lead)(Strip&, float*);
};

#define LT_LOOPS(name, target)                                                                                                \
  template <int J, bool Each>                                                                                                 \
  struct name {                                                                                                               \
    target static void forward(Strip& s, int64_t begin, int64_t end, float* out) { forward_strip<J, Each>(s, begin, end, out); } \
    target static void weight(Strip& s, int64_t begin, int64_t end, const int32_t* order, const int32_t* active) {            \
      weight_strip<J, Each>(s, begin, end, order, active);                                                                    \
    }                                                                                                                         \
    target static void table(Strip& s, float* grad) { table_strip<J, Each>(s, grad); }                                        \
    target static void lead(Strip& s, float* grad) { lead_strip<J>(s, grad); }                                                \
    static constexpr Loops loops{forward, weight, table, lead};                                                               \
  };

LT_LOOPS(Baseline, )

#ifdef LT_AVX2
LT_LOOPS(AVX2, LT_AVX2)
#define LT_CHOOSE(J, each) (has_avx2() ? AVX2<J, each>::loops : Baseline<J, each>::loops)
#else
#define LT_CHOOSE(J, each) Baseline<J, each>::loops
#endif

constexpr int64_t wide = 7;  // vectors of a strip, or 1

const Loops& loops_of(const Strip& s) {
  if (s.vectors == wide) return s.p.bits != nullptr ? LT_CHOOSE(wide, true) : LT_CHOOSE(wide, false);
  return s.p.bits != nullptr ? LT_CHOOSE(1, true) : LT_CHOOSE(1, false);
}

// leads returns the length of each text's leading run, or 0 if dropout differs by step.
std::vector<int32_t> leads(const EmbeddingLinear& p) {
  std::vector<int32_t> lead(p.examples);
  if (p.bits != nullptr) return lead;
  for (int64_t n = 0; n < p.examples; n++) {
    const int32_t *text = p.index + n * p.steps, *end = text + p.steps;
    lead[n] = static_cast<int32_t>(std::find_if(text, end, [&](int32_t v) { return v != *text; }) - text);
  }
  return lead;
}

// idle marks the words whose vectors have no positive element and no NaN. Dropout by element has
// its own bits for that.
std::vector<uint8_t> idle(const EmbeddingLinear& p) {
  std::vector<uint8_t> marks(p.words);
  if (p.bits != nullptr) return marks;
  for (int64_t v = 0; v < p.words; v++) {
    const float* row = p.table + v * p.dim;
    marks[v] = std::all_of(row, row + p.dim, [](float x) { return x <= 0; });
  }
  return marks;
}

void fill_weights(Strip& s, const Ints& own) {
  const EmbeddingLinear& p = s.p;
  const int64_t line = 2 * s.vectors;
  s.weights.resize(p.steps * line);
  s.running.resize((p.bits == nullptr ? p.steps + 1 : 1) * line);
  for (int64_t t = 0; t < p.steps; t++) {
    Cell* w = &s.weights[t * line];
    for (int64_t k = 0; k < s.classes(); k++) {
      const float* from = p.weight + ((s.first + k) * p.steps + t) * p.dim + s.column;
      for (int64_t j = 0; j < s.vectors; j++) w[k * s.vectors + j].v = load(from + s.offset(j));
      w[k * s.vectors + s.vectors - 1].v = where(own, w[k * s.vectors + s.vectors - 1].v);
    }
    if (p.bits != nullptr) continue;
    Cell* sum = &s.running[t * line];
    for (int64_t i = 0; i < line; i++) sum[line + i].v = sum[i].v + w[i].v;
  }
}

void fill_kept(Strip& s, const Ints& own) {
  const EmbeddingLinear& p = s.p;
  s.kept.resize(p.examples * s.vectors);
  for (int64_t n = 0; n < p.examples; n++) {
    Cell* kept = &s.kept[n * s.vectors];
    for (int64_t j = 0; j < s.vectors; j++) {
      float lanes[width];
      for (int64_t lane = 0; lane < width; lane++)
        lanes[lane] = p.channels == nullptr ? p.scale : p.scale * static_cast<float>(p.channels[n * p.dim + s.column + s.offset(j) + lane]);
      kept[j].v = load(lanes);
    }
    kept[s.vectors - 1].v = where(own, kept[s.vectors - 1].v);
  }
}

// bits_at returns the 57 or more bits starting at one.
uint64_t bits_at(const uint8_t* bits, int64_t from) {
  uint64_t word;
  std::memcpy(&word, bits + from / 8, sizeof word);
  return word >> (from % 8);
}

void fill_bits(Strip& s) {
  const EmbeddingLinear& p = s.p;
  const int64_t before = width * (s.vectors - 1);
  const uint64_t low = (uint64_t{1} << before) - 1;
  // The bits of the strip's columns in row i, vector by vector.
  auto bits_of = [&](const uint8_t* bits, int64_t i) {
    const int64_t from = i * p.dim + s.column;
    return (bits_at(bits, from) & low) | bits_at(bits, from + s.last) << before;
  };
  std::vector<uint8_t> table(p.words * p.dim / 8 + 9);
  positive_bits(table.data(), p.table, p.words * p.dim);
  std::vector<uint64_t> positive(p.words);
  for (int64_t v = 0; v < p.words; v++) positive[v] = bits_of(table.data(), v);
  s.bits.resize(p.examples * p.steps);
  for (int64_t i = 0; i < p.examples * p.steps; i++) s.bits[i] = bits_of(p.bits, i) & positive[p.index[i]];
}

// strips calls f for every strip. The last columns come first, so that where two strips overlap,
// the second one's results count.
template <class F>
void strips(const EmbeddingLinear& p, const std::vector<int32_t>& lead, const F& f) {
  struct Columns {
    int64_t column, vectors;
  };
  const auto marks = idle(p);
  std::vector<Columns> all;
  for (int64_t column = 0; column < p.dim; column += width * all.back().vectors)
    all.push_back({column, p.dim - column > width * (wide - 1) ? wide : 1});
  for (auto c = all.rbegin(); c != all.rend(); ++c) {
    for (int64_t first = 0; first < p.classes; first += 2) {
      Strip s{p, c->column, first, c->vectors, std::min(width * (c->vectors - 1), p.dim - width - c->column), lead.data(), marks.data()};
      const Ints own = Ints{0, 1, 2, 3, 4, 5, 6, 7} >= static_cast<int32_t>(s.shared());
      fill_weights(s, own);
      fill_kept(s, own);
      if (p.bits != nullptr) fill_bits(s);
      f(s);
    }
  }
}

}  // namespace

void forward(const EmbeddingLinear& p, const float* bias, float* out) {
  for (int64_t n = 0; n < p.examples; n++) std::copy_n(bias, p.classes, out + n * p.classes);
  const auto lead = leads(p);
  strips(p, lead, [&](Strip& s) {
    s.sums.resize(p.examples * 2 * s.vectors);
    const Loops& loops = loops_of(s);
    blocks(p.examples, together, [&](int64_t, int64_t begin, int64_t n) { loops.forward(s, begin, begin + n, out); });
  });
}

void backward(const EmbeddingLinear& p, const float* grad, float* table_grad, float* weight_grad) {
  const auto lead = leads(p);
  std::vector<int32_t> active(p.steps + 1), order(p.examples);
  for (int32_t l : lead) active[l]++;
  for (int64_t t = 0; t < p.steps; t++) active[t + 1] += active[t];
  std::vector<int32_t> next(active);
  for (int64_t n = p.examples - 1; n >= 0; n--) order[--next[lead[n]]] = static_cast<int32_t>(n);

  std::fill_n(table_grad, p.words * p.dim, 0.0f);
  strips(p, lead, [&](Strip& s) {
    const int64_t line = 2 * s.vectors;
    s.factors.resize(p.examples * line);
    for (int64_t n = 0; n < p.examples; n++)
      for (int64_t k = 0; k < s.classes(); k++)
        for (int64_t j = 0; j < s.vectors; j++)
          s.factors[n * line + k * s.vectors + j].v = s.kept[n * s.vectors + j].v * grad[n * p.classes + s.first + k];
    s.sums.resize(p.steps * line);
    s.tails.resize(p.words);
    const Loops& loops = loops_of(s);
    blocks(p.steps, part, [&](int64_t, int64_t begin, int64_t n) { loops.weight(s, begin, begin + n, order.data(), active.data()); });
    loops.table(s, table_grad);
    if (p.bits == nullptr) loops.lead(s, table_grad);
    for (int64_t v = 0; v < p.words; v++)
      for (int64_t lane = s.shared(); lane < width; lane++) table_grad[v * p.dim + s.column + s.last + lane] += s.tails[v].v[lane];
    for (int64_t t = 0; t < p.steps; t++)
      for (int64_t k = 0; k < s.classes(); k++)
        for (int64_t j = s.vectors - 1; j >= 0; j--)
          store(weight_grad + ((s.first + k) * p.steps + t) * p.dim + s.column + s.offset(j), s.sums[t * line + k * s.vectors + j].v);
  });
  if (p.bits != nullptr) return;  // the bits include relu
  for (int64_t i = 0; i < p.words * p.dim; i++) table_grad[i] = p.table[i] <= 0 ? 0 : table_grad[i];
}

}  // namespace lt
