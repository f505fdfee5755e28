// What a long short-term memory does between its products, in one pass over each step.
#pragma once

#include <cstdint>

namespace lt {

// Step is one step of `rows` states of h units. Sum is the type of sums and cells, Kept that
// of the gates and states that are multiplied: both float or double, or float and
// c10::BFloat16. Blocks of 4H are by gate: i, f, g, o.
template <class Sum, class Kept>
struct Step {
  int64_t rows, h;
  const int64_t* input_of;  // [rows] of a matrix with rows of 4H
  const Sum* cells;         // [rows H]
  const Sum* next_cells;    // [rows H]
  Kept* gates;              // [rows 4H]
};

// forward makes of the gates' sums [rows 4H], which it writes over,
//
//	i, f, o = sigmoid(sums)       g = tanh(sums)
//	next_cells = f cells + i g    next_hidden = o tanh(next_cells)
//
// sums may be where the gates go.
template <class Sum, class Kept>
void forward(const Step<Sum, Kept>& step, Sum* sums, Sum* next_cells, Kept* next_hidden);

// backward writes the gradients of the gates' sums over the gates, and adds them to those
// of the inputs. hidden_grad is that of the next states, cell_grad first that of the next
// cells, then that of the cells.
template <class Sum, class Kept>
void backward(const Step<Sum, Kept>& step, const Sum* hidden_grad, Sum* cell_grad, Sum* inputs_grad);

}  // namespace lt
