// The requirements of at::lstm. PyTorch's Python layer checks them; libtorch does not, and
// otherwise reads and writes beyond its tensors, or divides by zero.
#pragma once

#include <ATen/core/Tensor.h>

#include <vector>

namespace lt {

// check_lstm throws unless x is [N T D] with N, T and D of 1 or more, the states are [1 N H], and
// params are [4H D], [4H H] and [4H] twice, with x's dtype and device.
void check_lstm(const at::Tensor& x, const at::Tensor& h0, const at::Tensor& c0, const std::vector<at::Tensor>& params);

}  // namespace lt
