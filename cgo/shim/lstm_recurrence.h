// The recurrent steps of a long short-term memory.
#pragma once

#include <ATen/core/Tensor.h>

namespace lt {

// last_state returns the state [N H] after all steps, starting from zero. The gates (i, f, g, o) of
// text n at step t get row input_of[n][t] of inputs [R 4H] plus the product of the previous state
// with weight [4H H]. It supports float and double on the CPU. input_of [N T] is Int64, contiguous,
// with valid rows. With bfloat16, for float only, states and gates are multiplied and returned as
// BFloat16; sums and cells stay float.
at::Tensor last_state(const at::Tensor& inputs, const at::Tensor& weight, const at::Tensor& input_of, bool bfloat16);

}  // namespace lt
