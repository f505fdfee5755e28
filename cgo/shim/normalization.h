// Preparation for group norm; see normalization.cpp.
#pragma once

#include <ATen/core/Tensor.h>

#include <optional>

namespace lt {

// known returns t, with a gradient that is always computed if weight or bias has one. For images
// with channels innermost, group norm on the CPU writes t's gradient into missing memory if it is
// not wanted (libtorch 2.11).
at::Tensor known(const at::Tensor& t, const std::optional<at::Tensor>& weight, const std::optional<at::Tensor>& bias);

}  // namespace lt
