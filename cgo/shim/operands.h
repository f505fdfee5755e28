// Helpers of the generated operations, ops.cpp.
#pragma once

#include <cmath>
#include <numeric>

#include "attention.h"
#include "layers.h"
#include "shim.h"
#include "sparse.h"

namespace lt {

// scalar_for keeps an integer tensor's dtype if the scalar is a whole number, as Python's int
// would. Values beyond int64, including infinity, become floats, as in Python.
inline at::Scalar scalar_for(const at::Tensor& t, double s) {
  const bool fits = s >= -0x1p63 && s < 0x1p63;
  if (fits && c10::isIntegralType(t.scalar_type(), true) && s == std::trunc(s)) return static_cast<int64_t>(s);
  return s;
}

// bound_for returns a limit of clamp; NaN means none.
inline std::optional<at::Scalar> bound_for(const at::Tensor& t, double s) {
  return std::isnan(s) ? std::nullopt : std::make_optional(scalar_for(t, s));
}

// over replaces an empty list of dims by all dimensions, for operations that need them named.
inline std::vector<int64_t> over(const at::Tensor& t, at::IntArrayRef dims) {
  if (!dims.empty()) return dims.vec();
  std::vector<int64_t> all(t.dim());
  std::iota(all.begin(), all.end(), 0);
  return all;
}

// written_out copies an index that is expanded along all dimensions but the first. With such an
// index, scatter_add on the CPU, which is also gather's gradient, takes a shortcut that is wrong if
// the index is narrower than its target (libtorch 2.11 to 2.15).
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
