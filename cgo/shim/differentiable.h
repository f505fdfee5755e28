// The shim's own differentiable operations. torch::autograd::Function does the same, but its header
// costs every file that includes it ten seconds of compiling.
#pragma once

#include <ATen/core/Tensor.h>

#include <functional>
#include <vector>

namespace lt {

using Tensors = std::vector<at::Tensor>;

// Gradient computes the gradients of an operation's inputs from the output's gradient. saved has
// the tensors kept for it; wanted says for each input whether its gradient is used. An undefined
// tensor means none.
using Gradient = std::function<Tensors(const Tensors& saved, const at::Tensor& grad, const std::vector<bool>& wanted)>;

// with_gradient makes out, which was computed from inputs without a graph, a node of the graph.
// saved are inputs, or out itself. gradient captures all other tensors.
at::Tensor with_gradient(const at::Tensor& out, const Tensors& inputs, const Tensors& saved, Gradient gradient);

}  // namespace lt
