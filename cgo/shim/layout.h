// How tensors are laid out in memory, and whether they fit each other.
//
// libtorch calls a tensor contiguous whatever the strides of its dimensions of size 1, and passes
// these strides to oneDNN, whose kernels follow them out of the tensor's memory. Its batch norm
// takes such strides for one layout forward and another backward. libtorch 2.15 still does.
#pragma once

#include <ATen/core/Tensor.h>

#include <vector>

namespace lt {

// regular returns t, or a copy if its strides are not those of a new tensor of its shape, row-major
// or with channels innermost.
at::Tensor regular(const at::Tensor& t);

std::vector<at::Tensor> regular(std::vector<at::Tensor> ts);

// plain reports whether the shim's loops can handle t: float32, row-major on the CPU, with at least
// one element and no more than int counts.
bool plain(const at::Tensor& t, int64_t dim);

// check_like throws unless t has the shape, dtype and device of its parameter.
void check_like(const at::Tensor& param, const at::Tensor& t, const char* what);

}  // namespace lt
