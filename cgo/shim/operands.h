// Helpers of the generated operations, ops.cpp.
#pragma once

#include <cmath>
#include <numeric>

#include "attention.h"
#include "layers.h"
#include "shim.h"
#include "sparse.h"

namespace lt {

// scalar_for keeps an integer tensor's dtype when the scalar is a whole number, as
// Python's int would. What int64 does not hold, infinity too, is a float, as in Python.
inline at::Scalar scalar_for(const at::Tensor& t, double s) {
  const bool fits = s >= -0x1p63 && s < 0x1p63;
  if (fits && c10::isIntegralType(t.scalar_type(), true) && s == std::trunc(s)) return static_cast<int64_t>(s);
  return s;
}

// bound_for is a limit of clamp: none for NaN.
inline std::optional<at::Scalar> bound_for(const at::Tensor& t, double s) {
  return std::isnan(s) ? std::nullopt : std::make_optional(scalar_for(t, s));
}

// over makes an empty list of dims mean all of them, for the operations that want each named.
inline std::vector<int64_t> over(const at::Tensor& t, at::IntArrayRef dims) {
  if (!dims.empty()) return dims.vec();
  std::vector<int64_t> all(t.dim());
  std::iota(all.begin(), all.end(), 0);
  return all;
}

// written_out copies an index that is the same along all dimensions but the first: with
// such a one, scatter_add on the CPU, which is also gather's gradient, takes a short cut
// that is wrong where the index is narrower than what it adds to (libtorch 2.11 to 2.15).
inline at::Tensor written_out(const at::Tensor& index) {
  bool expanded = false;
  for (int64_t d = 1; d < index.dim(); d++) {
    if (index.size(d) == 1) continue;
    if (index.stride(d) != 0) return index;
    expanded = true;
  }
  return expanded ? index.contiguous() : index;
}

}  // namespace lt
