// The geometry of convolutions that oneDNN can be given: what it counts wrongly, or
// crashes of, is refused or said in another way.
#pragma once

#include <ATen/core/Tensor.h>

#include <vector>

namespace lt {

// Window is stride, padding and dilation, one number for each dimension of the images.
struct Window {
  std::vector<int64_t> stride, padding, dilation;

  // Throws a value error where a number is beyond int32, and a shape error for an
  // empty kernel. A kernel of size 1 is the same for every dilation: dilation is 1 there.
  Window(const at::Tensor& weight, at::IntArrayRef stride, at::IntArrayRef padding, at::IntArrayRef dilation);

  // pad is x; or those elements of x that a kernel of one element reads, with stride then
  // 1, where oneDNN would leave its memory; or, with padding then 0, x and its zeros where
  // some column or row of the kernel meets nothing but padding: its gradient in bfloat16
  // would be what was in memory before.
  at::Tensor pad(const at::Tensor& x, const at::Tensor& weight);
};

}  // namespace lt
