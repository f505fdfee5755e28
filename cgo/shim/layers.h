// Layers with the shim's own loops, which fall back to libtorch's.
#pragma once

#include <ATen/core/Tensor.h>

#include <optional>

namespace lt {

using Optional = std::optional<at::Tensor>;

// linear returns t weight' + bias; see linear.cpp.
at::Tensor linear(const at::Tensor& t, const at::Tensor& weight, const Optional& bias);

// batch_norm and batch_norm_relu normalise over all dimensions but the second; see batch_norm.cpp.
at::Tensor batch_norm(const at::Tensor& t, const Optional& weight, const Optional& bias, const Optional& mean, const Optional& var, bool training,
                      double momentum, double eps);
at::Tensor batch_norm_relu(const at::Tensor& t, const Optional& weight, const Optional& bias, const Optional& mean, const Optional& var,
                           bool training, double momentum, double eps);

}  // namespace lt
