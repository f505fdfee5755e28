#include "sparse.h"

#include <ATen/ops/_sparse_csr_tensor_unsafe.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/zeros.h>

#include <algorithm>
#include <cstring>
#include <limits>

#include "kernels.h"
#include "shim.h"

namespace lt {
namespace {

at::Tensor whole(int64_t n) { return at::empty({n}, at::kInt); }
at::Tensor real(int64_t n) { return at::empty({n}, at::kFloat); }

// compressed makes a matrix [n k] from its parts. libtorch warns that the layout is in beta; the
// shim relies only on its storage and shape.
at::Tensor compressed(const at::Tensor& start, const at::Tensor& column, const at::Tensor& value, int64_t n, int64_t k) {
  struct Silent : c10::WarningHandler {
    void process(const c10::Warning&) override {}
  } silent;
  c10::WarningUtils::WarningHandlerGuard guard(&silent);
  return at::_sparse_csr_tensor_unsafe(start, column, value, {n, k}, at::TensorOptions(at::kFloat).layout(at::kSparseCsr));
}

}  // namespace

bool is_csr(const at::Tensor& t) { return t.layout() == at::kSparseCsr; }

// compress is libtorch's to_sparse_csr with indices of half the size, and without an intermediate
// list of coordinates.
at::Tensor compress(const at::Tensor& t) {
  if (is_csr(t)) return t;
  TORCH_CHECK(t.is_cpu(), "compressed rows are for the CPU: the tensor is on ", t.device());
  TORCH_CHECK(t.scalar_type() == at::kFloat, "compressed rows are for float32: the tensor's dtype is ", t.scalar_type());
  TORCH_CHECK(t.dim() == 2, "compressed rows are for matrices: the tensor has ", t.dim(), " dimensions");
  TORCH_CHECK_VALUE(!t.requires_grad() || !c10::GradMode::is_enabled(), "compressed rows cannot be differentiated: detach the tensor first");
  at::Tensor x = t.detach().contiguous();
  int64_t n = x.size(0), k = x.size(1), count = 0;
  const float* p = x.const_data_ptr<float>();
  for (int64_t i = 0; i < x.numel(); i++) count += p[i] != 0;
  TORCH_CHECK(std::max(count, k) < std::numeric_limits<int32_t>::max(), count, " nonzero elements are too many for compressed rows");
  at::Tensor start = whole(n + 1), column = whole(count + 8), value = real(count + 8);
  int32_t *starts = start.mutable_data_ptr<int32_t>(), *columns = column.mutable_data_ptr<int32_t>();
  float* values = value.mutable_data_ptr<float>();
  starts[0] = 0;
  for (int64_t i = 0; i < n; i++) starts[i + 1] = starts[i] + nonzero(p + i * k, 0, k, columns + starts[i], values + starts[i]);
  return compressed(start, column.narrow(0, 0, count), value.narrow(0, 0, count), n, k);
}

// A batch of MNIST takes 12 us; libtorch's to_dense takes 88.
at::Tensor dense(const at::Tensor& t) {
  if (!is_csr(t)) return t;
  at::Tensor start = t.crow_indices(), column = t.col_indices(), value = t.values();
  if (value.scalar_type() != at::kFloat) return t.to_dense();
  at::Tensor out = at::zeros(t.sizes(), at::TensorOptions(at::kFloat));
  const int32_t *starts = start.const_data_ptr<int32_t>(), *columns = column.const_data_ptr<int32_t>();
  const float* values = value.const_data_ptr<float>();
  float* p = out.mutable_data_ptr<float>();
  for (int64_t i = 0; i < t.size(0); i++, p += t.size(1))
    for (int32_t e = starts[i]; e < starts[i + 1]; e++) p[columns[e]] = values[e];
  return out;
}

// libtorch's index_select has no kernel for this layout.
at::Tensor rows_of(const at::Tensor& t, const at::Tensor& index) {
  TORCH_CHECK(index.is_cpu(), "the matrix is on the CPU, the index is on ", index.device());
  TORCH_CHECK(index.scalar_type() == at::kLong || index.scalar_type() == at::kInt, "the dtype of the index is ", index.scalar_type(), ", want int64 or int32");
  TORCH_CHECK(index.dim() == 1, "the index has ", index.dim(), " dimensions, want one");
  at::Tensor from = t.crow_indices(), from_column = t.col_indices(), from_value = t.values(), wide = index.to(at::kLong).contiguous();
  const int32_t *all = from.const_data_ptr<int32_t>(), *all_columns = from_column.const_data_ptr<int32_t>();
  const float* all_values = from_value.const_data_ptr<float>();
  const int64_t* rows = wide.const_data_ptr<int64_t>();
  int64_t n = wide.numel(), count = 0;
  for (int64_t i = 0; i < n; i++) {
    TORCH_CHECK_INDEX(rows[i] >= 0 && rows[i] < t.size(0), "index ", rows[i], " is out of range for ", t.size(0), " rows");
    count += all[rows[i] + 1] - all[rows[i]];
  }
  TORCH_CHECK(count < std::numeric_limits<int32_t>::max(), count, " nonzero elements are too many for compressed rows");
  at::Tensor start = whole(n + 1), column = whole(count), value = real(count);
  int32_t *starts = start.mutable_data_ptr<int32_t>(), *columns = column.mutable_data_ptr<int32_t>();
  float* values = value.mutable_data_ptr<float>();
  starts[0] = 0;
  constexpr int64_t ahead = 4;  // rows to prefetch, since they are far apart in memory
  constexpr int32_t line = 16;  // elements of a cache line
  for (int64_t i = 0; i < n; i++) {
    if (i + ahead < n) {
      const int64_t next = rows[i + ahead];
      for (int32_t e = all[next]; e < all[next + 1]; e += line) {
        __builtin_prefetch(all_columns + e);
        __builtin_prefetch(all_values + e);
      }
    }
    int32_t begin = all[rows[i]], number = all[rows[i] + 1] - begin;
    std::copy_n(all_columns + begin, number, columns + starts[i]);
    std::copy_n(all_values + begin, number, values + starts[i]);
    starts[i + 1] = starts[i] + number;
  }
  return compressed(start, column, value, n, t.size(1));
}

Entries::Entries(const at::Tensor& x) : n(x.size(0)), k(x.size(1)), start(whole((parts() + 1) * n)) {
  if (is_csr(x)) {
    divide(x);
  } else {
    list(x);
  }
}

// list finds the entries of a contiguous matrix.
void Entries::list(const at::Tensor& x) {
  index = whole(n * k + 8);
  value = real(n * k + 8);
  int32_t *starts = start.mutable_data_ptr<int32_t>(), *indices = index.mutable_data_ptr<int32_t>(), count = 0;
  float* values = value.mutable_data_ptr<float>();
  const float* row = x.const_data_ptr<float>();
  for (int64_t i = 0; i < n; i++, row += k) {
    for (int64_t p = 0; p < parts(); p++) {
      starts[p * n + i] = count;
      count += nonzero(row, p * part, std::min((p + 1) * part, k), indices + count, values + count);
    }
    starts[parts() * n + i] = count;
  }
}

// divide finds where the parts of compressed rows begin: it counts the entries before eight parts
// at a time, without branches.
void Entries::divide(const at::Tensor& x) {
  index = x.col_indices();
  value = x.values();
  at::Tensor row = x.crow_indices();
  const int32_t *rows = row.const_data_ptr<int32_t>(), *indices = index.const_data_ptr<int32_t>();
  int32_t* starts = start.mutable_data_ptr<int32_t>();
  std::copy_n(rows, n, starts);
  std::copy_n(rows + 1, n, starts + parts() * n);
  constexpr int64_t lanes = 8;
  for (int64_t i = 0; i < n; i++) {
    for (int64_t p = 1; p < parts(); p += lanes) {
      int32_t before[lanes], first[lanes];
      for (int64_t l = 0; l < lanes; l++) before[l] = rows[i], first[l] = static_cast<int32_t>((p + l) * part);
      for (int32_t e = rows[i]; e < rows[i + 1]; e++)
        for (int64_t l = 0; l < lanes; l++) before[l] += indices[e] < first[l];
      for (int64_t l = 0; l < lanes && p + l < parts(); l++) starts[(p + l) * n + i] = before[l];
    }
  }
}

void sparse_forward(const Entries& x, const float* weight, int64_t m, float* y) {
  blocks(x.n, 1024, [&](int64_t, int64_t first, int64_t rows) {
    alignas(64) float strip[Entries::part * tile];  // of W', [part tile]
    for (int64_t t = 0; t < m; t += tile) {
      for (int64_t p = 0; p < x.parts(); p++) {
        int64_t j = p * Entries::part;
        transpose(weight + t * x.k + j, tile, std::min(Entries::part, x.k - j), x.k, strip, tile);
        x.each(p, first, rows, [&](int64_t i, int32_t count, const int32_t* index, const float* value) {
          combine(index, value, count, strip, static_cast<int32_t>(j), y + i * m + t);
        });
      }
    }
  });
}

void sparse_gradient(const Entries& x, const float* dy, int64_t m, float* dw) {
  blocks(x.k, Entries::part, [&](int64_t p, int64_t j, int64_t columns) {
    alignas(64) float strip[Entries::part * tile];  // of dW', [part tile]
    for (int64_t t = 0; t < m; t += tile) {
      std::memset(strip, 0, sizeof strip);
      x.each(p, 0, x.n, [&](int64_t i, int32_t count, const int32_t* index, const float* value) {
        spread(index, value, count, dy + i * m + t, strip, static_cast<int32_t>(j));
      });
      transpose(strip, columns, tile, tile, dw + t * x.k + j, x.k);
    }
  });
}

bool narrow(const at::Tensor& x) { return is_csr(x) && x.values().numel() * 16 < x.numel(); }

void narrow_forward(const at::Tensor& x, const float* weight, int64_t m, float* y) {
  at::Tensor start = x.crow_indices(), column = x.col_indices(), value = x.values();
  const int32_t *starts = start.const_data_ptr<int32_t>(), *columns = column.const_data_ptr<int32_t>();
  const float* values = value.const_data_ptr<float>();
  const int64_t k = x.size(1);
  for (int64_t i = 0; i < x.size(0); i++, y += m)
    for (int64_t o = 0; o < m; o++) {
      const float* row = weight + o * k;
      float sum = 0;
      for (int32_t e = starts[i]; e < starts[i + 1]; e++) sum += values[e] * row[columns[e]];
      y[o] += sum;
    }
}

void narrow_gradient(const at::Tensor& x, const float* dy, int64_t m, float* dw) {
  at::Tensor start = x.crow_indices(), column = x.col_indices(), value = x.values();
  const int32_t *starts = start.const_data_ptr<int32_t>(), *columns = column.const_data_ptr<int32_t>();
  const float* values = value.const_data_ptr<float>();
  const int64_t k = x.size(1);
  std::memset(dw, 0, m * k * sizeof(float));
  for (int64_t i = 0; i < x.size(0); i++, dy += m)
    for (int64_t o = 0; o < m; o++) {
      float* row = dw + o * k;
      for (int32_t e = starts[i]; e < starts[i + 1]; e++) row[columns[e]] += values[e] * dy[o];
    }
}

// from_csr is compressed with a check of each index, since readers of the matrix trust them.
static at::Tensor from_csr(const at::Tensor& start, const at::Tensor& column, const at::Tensor& value, int64_t k) {
  auto vector = [](const at::Tensor& t, at::ScalarType type) { return t.is_cpu() && t.dim() == 1 && t.is_contiguous() && t.scalar_type() == type; };
  TORCH_CHECK(vector(start, at::kInt) && vector(column, at::kInt) && vector(value, at::kFloat), "compressed rows are three vectors on the CPU: int32, int32 and float32");
  const int64_t n = start.numel() - 1, count = column.numel();
  TORCH_CHECK_VALUE(n >= 0 && k >= 0 && k < std::numeric_limits<int32_t>::max() && value.numel() == count, count, " columns and ", value.numel(), " values");
  const int32_t *starts = start.const_data_ptr<int32_t>(), *columns = column.const_data_ptr<int32_t>();
  TORCH_CHECK_VALUE(starts[0] == 0 && starts[n] == count, "the rows begin at ", starts[0], " and end at ", starts[n], " of ", count, " elements");
  for (int64_t i = 0; i < n; i++) TORCH_CHECK_VALUE(starts[i] <= starts[i + 1], "row ", i, " ends before it begins");
  for (int64_t e = 0; e < count; e++) TORCH_CHECK_INDEX(columns[e] >= 0 && columns[e] < k, "column ", columns[e], " of ", k);
  return compressed(start, column, value, n, k);
}

}  // namespace lt

using namespace lt;

lt_made lt_from_csr(lt_tensor start, lt_tensor column, lt_tensor value, int64_t columns) {
  return made([&] { return from_csr(get(start), get(column), get(value), columns); });
}
