// Random streams, and the shim's functions that draw from them.
#pragma once

#include <ATen/core/Generator.h>
#include <ATen/core/Tensor.h>

#include "../api.h"

struct lt_generator {
  at::Generator generator;
  uint64_t seed;
  uint64_t calls;
};

namespace lt {

// draw fills a byte mask, 1 with probability 1 - p, and returns the scale 1 / P(1).
double draw(at::Tensor& mask, double p, lt_generator* g);

// draw_bits makes the same draws as bits, lowest first, and may write up to three bytes more.
double draw_bits(uint8_t* bits, int64_t count, double p, lt_generator* g);

// check_probability throws unless p is in [0, 1].
void check_probability(double p);

// dropout returns x * mask / (1 - p), with one draw for all of the dimensions in shared_dims.
at::Tensor dropout(const at::Tensor& x, double p, uint32_t shared_dims, lt_generator* g);

// dropout_on_gpu is dropout of a CUDA tensor, 0 < p < 1, by libtorch's kernels.
at::Tensor dropout_on_gpu(const at::Tensor& x, double p, uint32_t shared_dims, lt_generator* g);

// mask_scale returns x * mask * scale, with mask in bytes; its gradient is the same function.
at::Tensor mask_scale(const at::Tensor& x, const at::Tensor& mask, double scale);

}  // namespace lt
