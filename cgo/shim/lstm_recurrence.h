// The steps of a long short-term memory, by themselves.
#pragma once

#include <ATen/core/Tensor.h>

namespace lt {

// last_state is the state [N H] after all steps, from zero, of texts whose gates
// (i, f, g, o) get row input_of[n][t] of inputs [R 4H] at step t, beside the
// product of the state before with weight [4H H]. It is for float and double on the
// CPU; input_of [N T] is Int64, contiguous, and holds rows that there are. With bfloat16,
// for float, states and gates are multiplied and returned as BFloat16; sums, cells and
// what is between stay as they are.
at::Tensor last_state(const at::Tensor& inputs, const at::Tensor& weight, const at::Tensor& input_of, bool bfloat16);

}  // namespace lt
