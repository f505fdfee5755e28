// Operations of the shim's own that have a gradient. torch::autograd::Function
// does the same, but its header costs every file that includes it ten seconds of
// compiling.
#pragma once

#include <ATen/core/Tensor.h>

#include <functional>
#include <vector>

namespace lt {

using Tensors = std::vector<at::Tensor>;

// Gradient computes the gradients of an operation's inputs from that of its
// output. saved are the tensors kept for it, wanted tells for each input whether
// its gradient is used; an undefined tensor is none.
using Gradient = std::function<Tensors(const Tensors& saved, const at::Tensor& grad, const std::vector<bool>& wanted)>;

// with_gradient returns out, which was computed from inputs without a graph, as a
// node of the graph; saved are inputs, or out itself. Tensors that take no part in
// differentiation travel in what gradient captures.
at::Tensor with_gradient(const at::Tensor& out, const Tensors& inputs, const Tensors& saved, Gradient gradient);

}  // namespace lt
