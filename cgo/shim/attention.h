// Scaled dot-product attention, for tensors and for graphs; see attention.cpp.
#pragma once

#include <ATen/core/Tensor.h>

#include <optional>

#include "random.h"

namespace lt {

// attention returns softmax(scale q k' + mask) v, with the weights dropped with probability p. The
// default scale is 1 / sqrt(D). In grouped attention each head of k and v serves several heads of
// q. g may be NULL if p is 0. Throws if the shapes do not fit.
at::Tensor attention(at::Tensor q, at::Tensor k, at::Tensor v, std::optional<at::Tensor> mask, bool causal, std::optional<double> scale, bool grouped,
                     double p, lt_generator* g);

}  // namespace lt
