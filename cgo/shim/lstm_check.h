// What at::lstm must be given. PyTorch's Python layer checks it, libtorch does not,
// and reads and writes beyond its tensors, or divides by zero, where it does not hold.
#pragma once

#include <ATen/core/Tensor.h>

#include <vector>

namespace lt {

// check_lstm throws unless x is [T N D] or, batch first, [N T D] with T, N and D of 1
// or more, the states are [layers * directions N H], and params are for each layer and
// direction [4H D], [4H H] and, if biases, [4H] twice, of x's dtype and device.
void check_lstm(const at::Tensor& x, const at::Tensor& h0, const at::Tensor& c0, const std::vector<at::Tensor>& params, int64_t layers,
                bool bidirectional, bool batch_first);

}  // namespace lt
