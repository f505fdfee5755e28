// The last line of an optimizer that libtorch has no fused kernel for.
#pragma once

#include <ATen/core/Tensor.h>

namespace lt {

// move_by is params -= lr by / over, with the learning rate of the device where there is one.
void move_by(at::TensorList params, at::TensorList by, at::TensorList over, double lr, const std::optional<at::Tensor>& rate);

}  // namespace lt
