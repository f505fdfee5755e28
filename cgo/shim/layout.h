// How tensors lie in memory, and whether they fit each other.
//
// The layout that oneDNN and batch norm can be given. libtorch calls a tensor contiguous whatever
// the strides of its dimensions of size 1, and hands these strides to oneDNN, whose
// kernels walk by them and leave the tensor's memory. Its own batch norm takes such
// strides for one layout forward and for the other backward. libtorch 2.15 still does.
#pragma once

#include <ATen/core/Tensor.h>

#include <vector>

namespace lt {

// regular is t, or a copy where its strides are not those of a new tensor of its shape,
// row-major or with channels innermost.
at::Tensor regular(const at::Tensor& t);

std::vector<at::Tensor> regular(std::vector<at::Tensor> ts);

// plain says that the shim's own loops can walk through t: float32, row-major on the CPU,
// with an element at least and no more than int counts.
bool plain(const at::Tensor& t, int64_t dim);

// check_like throws unless t has the shape, dtype and device of its parameter.
void check_like(const at::Tensor& param, const at::Tensor& t, const char* what);

}  // namespace lt
