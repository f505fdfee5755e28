// What group norm must be given; see normalization.cpp.
#pragma once

#include <ATen/core/Tensor.h>

#include <optional>

namespace lt {

// known is t, with a gradient that is always asked for where one of weight and bias
// is: of images with channels innermost, group norm's gradient on the CPU is written
// into memory that is not there where it is not wanted (libtorch 2.11).
at::Tensor known(const at::Tensor& t, const std::optional<at::Tensor>& weight, const std::optional<at::Tensor>& bias);

}  // namespace lt
