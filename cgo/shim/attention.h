// Scaled dot-product attention, of tensors and of graphs; see attention.cpp.
#pragma once

#include <ATen/core/Tensor.h>

#include <optional>

#include "random.h"

namespace lt {

// attention is softmax(scale q k' + mask) v, with the weights dropped with probability
// p. Without a scale it is 1 / sqrt(D). In grouped attention each of the heads of k and
// v serves several of q. g may be NULL where p is 0. Throws unless the shapes fit.
at::Tensor attention(at::Tensor q, at::Tensor k, at::Tensor v, std::optional<at::Tensor> mask, bool causal, std::optional<double> scale, bool grouped,
                     double p, lt_generator* g);

}  // namespace lt
