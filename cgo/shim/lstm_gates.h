// The elementwise work of a long short-term memory between its products, in one pass over each
// step.
#pragma once

#include <cstdint>

namespace lt {

// Step is one step of `rows` states of h units. Sum is the type of sums and cells, Kept the type of
// gates and states in products: both float or double, or float and c10::BFloat16. Blocks of 4H are
// ordered by gate: i, f, g, o.
template <class Sum, class Kept>
struct Step {
  int64_t rows, h;
  const int64_t* input_of;  // [rows] of a matrix with rows of 4H
  const Sum* cells;         // [rows H]
  const Sum* next_cells;    // [rows H]
  Kept* gates;              // [rows 4H]
};

// forward turns the gates' sums [rows 4H] into gates, in place:
//
//	i, f, o = sigmoid(sums)       g = tanh(sums)
//	next_cells = f cells + i g    next_hidden = o tanh(next_cells)
//
// sums and gates may share memory.
template <class Sum, class Kept>
void forward(const Step<Sum, Kept>& step, Sum* sums, Sum* next_cells, Kept* next_hidden);

// backward replaces the gates by the gradients of their sums, and adds these to the inputs'
// gradients. hidden_grad is the next states' gradient; cell_grad is first the next cells', then the
// cells'.
template <class Sum, class Kept>
void backward(const Step<Sum, Kept>& step, const Sum* hidden_grad, Sum* cell_grad, Sum* inputs_grad);

}  // namespace lt
