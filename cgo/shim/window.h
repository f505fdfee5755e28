// The geometry of convolutions for oneDNN: what it computes wrongly, or crashes on, is refused or
// expressed differently.
#pragma once

#include <ATen/core/Tensor.h>

#include <vector>

namespace lt {

// Window is stride, padding and dilation, one number for each dimension of the images.
struct Window {
  std::vector<int64_t> stride, padding, dilation;

  // Throws a value error if a number is beyond int32, and a shape error for an empty kernel. For a
  // kernel of size 1 every dilation is the same, so it becomes 1.
  Window(const at::Tensor& weight, at::IntArrayRef stride, at::IntArrayRef padding, at::IntArrayRef dilation);

  // pad returns x in most cases. If oneDNN would leave x's memory, it returns the elements of x
  // that a kernel of one element reads, and stride becomes 1. If some column or row of the kernel
  // meets only padding, it returns x with its zeros, and padding becomes 0: the kernel's gradient
  // in bfloat16 would be uninitialised memory.
  at::Tensor pad(const at::Tensor& x, const at::Tensor& weight);
};

}  // namespace lt
