// All steps are one node of the graph:
//
//   - texts that start with the same input over and over, which is padding, share
//     one state until they differ;
//   - the recurrent weights, used T times, are packed once for BLAS;
//   - backward overwrites the gates with their gradients, so that the weights'
//     gradient is one product over all steps.
//     weights' gradient is one product over all steps.

#include "lstm_recurrence.h"

#include <ATen/ops/empty.h>
#include <ATen/ops/index_select.h>
#include <ATen/ops/zeros.h>
#include <ATen/ops/zeros_like.h>
#include <c10/core/GradMode.h>
#include <torch/csrc/autograd/graph_task.h>

#include <algorithm>
#include <numeric>
#include <type_traits>
#include <vector>

#include "differentiable.h"
#include "lstm_gates.h"
#include "product.h"

namespace lt {
namespace {

// Steps is the order of the texts: those with the least leading padding first. Before step t there
// are rows[t] distinct states; the last one belongs to all texts still in padding. Row k of step t
// + 1 follows row k of step t, or the last one there.
struct Steps {
  at::Tensor inputs;          // [T N] row of the gates' inputs, by step, for texts in that order
  at::Tensor place;           // [N] a text's place in that order
  std::vector<int64_t> rows;  // [T + 1]

  // input_of [N T] is the row of the inputs for each text and step.
  explicit Steps(const at::Tensor& input_of) {
    const int64_t n = input_of.size(0), steps = input_of.size(1);
    const int64_t* of = input_of.const_data_ptr<int64_t>();
    std::vector<int64_t> lead(n), order(n);
    for (int64_t i = 0; i < n; i++) {
      const int64_t* row = of + i * steps;
      lead[i] = std::find_if(row, row + steps, [&](int64_t v) { return v != *row; }) - row;
    }
    const int64_t padding = of[steps * (std::max_element(lead.begin(), lead.end()) - lead.begin())];
    for (int64_t i = 0; i < n; i++)
      if (of[i * steps] != padding) lead[i] = 0;
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](int64_t a, int64_t b) { return lead[a] < lead[b]; });

    for (int64_t t = 0, begun = 0; t <= steps; t++) {
      while (begun < n && lead[order[begun]] <= t) begun++;
      rows.push_back(std::min(begun + 1, n));
    }
    inputs = at::empty({steps, n}, at::kLong);
    place = at::empty({n}, at::kLong);
    int64_t *to = inputs.mutable_data_ptr<int64_t>(), *at = place.mutable_data_ptr<int64_t>();
    for (int64_t k = 0; k < n; k++) {
      at[order[k]] = k;
      for (int64_t t = 0; t < steps; t++) to[t * n + k] = of[order[k] * steps + t];
    }
  }
};

// Blocks is a matrix of rows[t] rows for each step t, one block after another. If only the latest
// is needed, it is two blocks used alternately.
struct Blocks {
  at::Tensor all;
  std::vector<int64_t> start;
  const std::vector<int64_t>& rows;

  Blocks(const std::vector<int64_t>& rows, size_t count, int64_t width, bool keep, const at::TensorOptions& options) : rows(rows) {
    int64_t next = 0;
    for (size_t t = 0; t < count; t++) {
      start.push_back(keep ? next : static_cast<int64_t>(t % 2) * rows.back());
      next += rows[t];
    }
    all = at::empty({keep ? next : 2 * rows.back(), width}, options);
  }

  Blocks(const std::vector<int64_t>& rows, at::Tensor all) : all(std::move(all)), rows(rows) {
    int64_t next = 0;
    for (int64_t r : rows) {
      start.push_back(next);
      next += r;
    }
  }

  at::Tensor operator[](size_t t) const { return all.narrow(0, start[t], rows[t]); }
};

// spread repeats the last of the first `rows` rows down to the end of block.
void spread(const at::Tensor& block, int64_t rows) {
  if (rows < block.size(0)) block.narrow(0, rows, block.size(0) - rows).copy_(block[rows - 1].unsqueeze(0));
}

// gather returns the first `rows` rows of block, after adding to the last one the rows that spread
// copied from it.
at::Tensor gather(const at::Tensor& block, int64_t rows) {
  if (rows < block.size(0)) {
    at::Tensor last = block[rows - 1];
    last.add_(block.narrow(0, rows, block.size(0) - rows).sum(0));
  }
  return block.narrow(0, 0, rows);
}

// Past is what backward needs from forward; backward overwrites the gates with their gradients.
struct Past {
  std::vector<int64_t> rows;
  at::Tensor input_of, gates, hidden, cells;
};

// step returns the step at time t.
template <class Sum, class Kept>
Step<Sum, Kept> step(int64_t rows, int64_t h, const Past& past, int64_t t, const at::Tensor& gates, const at::Tensor& cells, const at::Tensor& next_cells) {
  return {rows, h, past.input_of.const_data_ptr<int64_t>() + t * past.input_of.size(1), cells.const_data_ptr<Sum>(), next_cells.const_data_ptr<Sum>(), gates.mutable_data_ptr<Kept>()};
}

// gradients computes the gradients of the gates' inputs, which have `inputs` rows, and of the
// recurrent weights.
template <class Sum, class Kept>
Tensors gradients(const Past& past, const at::Tensor& weight, int64_t inputs, const at::Tensor& grad) {
  TORCH_CHECK_NOT_IMPLEMENTED(!c10::GradMode::is_enabled(), "no second derivative: use embedding, dropout and lstm in turn");
  const std::vector<int64_t>& rows = past.rows;
  const int64_t h = weight.size(1);
  Blocks gates(rows, torch::autograd::get_current_graph_task_keep_graph() ? past.gates.clone() : past.gates), cells(rows, past.cells);
  Product recurrent(weight.to(past.gates.scalar_type()), rows.back());
  at::Tensor inputs_grad = at::zeros({inputs, 4 * h}, weight.options());
  at::Tensor d_hidden = grad.to(weight.scalar_type()).clone(at::MemoryFormat::Contiguous), d_cell = at::zeros_like(d_hidden);
  for (size_t t = rows.size() - 1; t-- > 0;) {
    at::Tensor dh = gather(d_hidden.narrow(0, 0, rows[t + 1]), rows[t]), dc = gather(d_cell.narrow(0, 0, rows[t + 1]), rows[t]);
    backward(step<Sum, Kept>(rows[t], h, past, static_cast<int64_t>(t), gates[t], cells[t], cells[t + 1]), dh.const_data_ptr<Sum>(),
             dc.mutable_data_ptr<Sum>(), inputs_grad.mutable_data_ptr<Sum>());
    recurrent.add(dh, gates[t], 0);
  }
  return {inputs_grad, product(gates.all.t(), past.hidden.narrow(0, 0, gates.all.size(0)))};
}

// recur returns the last state [N H], in the order of the steps.
template <class Sum, class Kept>
at::Tensor recur(const at::Tensor& inputs, const at::Tensor& weight, const Steps& steps) {
  const bool keep = c10::GradMode::is_enabled() && (inputs.requires_grad() || weight.requires_grad());
  const size_t count = steps.rows.size() - 1;
  const int64_t h = weight.size(1), most = steps.rows.back();
  const at::ScalarType kept = c10::CppTypeToScalarType<Kept>::value;
  at::Tensor last;
  Past past{steps.rows, steps.inputs, {}, {}, {}};
  {
    at::NoGradGuard no_graph;
    Blocks gates(steps.rows, count, 4 * h, keep, inputs.options().dtype(kept)), hidden(steps.rows, count + 1, h, keep, inputs.options().dtype(kept)),
        cells(steps.rows, count + 1, h, keep, inputs.options());
    hidden[0].zero_();
    cells[0].zero_();
    Product recurrent(weight.to(kept).t(), most);
    const at::Tensor apart = std::is_same_v<Sum, Kept> ? at::Tensor() : at::empty({most, 4 * h}, inputs.options());
    for (size_t t = 0; t < count; t++) {
      const int64_t rows = steps.rows[t];
      at::Tensor sums = apart.defined() ? apart.narrow(0, 0, rows) : gates[t], next_hidden = hidden[t + 1], next_cell = cells[t + 1];
      at::index_select_out(sums, inputs, 0, steps.inputs[static_cast<int64_t>(t)].narrow(0, 0, rows));
      recurrent.add(sums, hidden[t], 1);
      forward(step<Sum, Kept>(rows, h, past, static_cast<int64_t>(t), gates[t], cells[t], next_cell), sums.mutable_data_ptr<Sum>(),
              next_cell.mutable_data_ptr<Sum>(), next_hidden.mutable_data_ptr<Kept>());
      spread(next_cell, rows);
      spread(next_hidden, rows);
    }
    last = hidden[count].clone();
    past.gates = gates.all, past.hidden = hidden.all, past.cells = cells.all;
  }
  return with_gradient(last, {inputs, weight}, {weight},
                       [past, n = inputs.size(0)](const Tensors& saved, const at::Tensor& grad, const std::vector<bool>&) {
                         return gradients<Sum, Kept>(past, saved[0], n, grad);
                       });
}

}  // namespace

at::Tensor last_state(const at::Tensor& inputs, const at::Tensor& weight, const at::Tensor& input_of, bool bfloat16) {
  Steps steps(input_of);
  at::Tensor last = bfloat16                              ? recur<float, c10::BFloat16>(inputs, weight, steps)
                    : inputs.scalar_type() == at::kDouble ? recur<double, double>(inputs, weight, steps)
                                                          : recur<float, float>(inputs, weight, steps);
  return last.index_select(0, steps.place);
}

}  // namespace lt
