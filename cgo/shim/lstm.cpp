// A long short-term memory over embedded texts, of which the last state is wanted.
//
// libtorch runs each layer by itself: an embedding [N T D], its dropout, and the
// product of every position's vector with the input weights, which is a third to
// half of all arithmetic. Here
//
//   - that product is done once for each word of the batch, not for each position
//     (with dropout of channels, which differ by text, for each word of a text);
//   - texts that begin with the same word over and over, which is padding, share
//     one state until their own words begin;
//   - the recurrent weights, used T times, are packed once for BLAS;
//   - backward goes through time in one node and writes the gates' gradients where
//     the gates were, so that the weights' gradient is one product.
//
// The results are the same but for the order of sums.

#include <ATen/autocast_mode.h>
#include <ATen/ops/addmm.h>
#include <ATen/ops/embedding.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/empty_like.h>
#include <ATen/ops/index_select.h>
#include <ATen/ops/linear.h>
#include <ATen/ops/lstm.h>
#include <ATen/ops/mm.h>
#include <ATen/ops/mul.h>
#include <ATen/ops/sigmoid_backward.h>
#include <ATen/ops/tanh.h>
#include <ATen/ops/tanh_backward.h>
#include <ATen/ops/zeros.h>
#include <torch/csrc/autograd/custom_function.h>
#include <torch/csrc/autograd/graph_task.h>

#include <algorithm>
#include <numeric>
#include <vector>

#include "random.h"
#include "shim.h"

using namespace lt;

// MKL's, where libtorch carries it.
extern "C" {
__attribute__((weak)) size_t cblas_sgemm_pack_get_size(int identifier, int m, int n, int k);
__attribute__((weak)) void cblas_sgemm_pack(int layout, int identifier, int transpose, int m, int n, int k, float alpha, const float* from, int ld,
                                            float* to);
__attribute__((weak)) void cblas_sgemm_compute(int layout, int ta, int tb, int m, int n, int k, const float* a, int lda, const float* b, int ldb,
                                               float beta, float* c, int ldc);
}

namespace {

// Product is the product of many matrices [rows k] with one matrix [k n]. MKL has
// its own copy of that one; it is only for the number of rows that it was made for,
// others go the general way.
class Product {
 public:
  Product(const at::Tensor& matrix, int64_t rows) : matrix_(matrix), rows_(rows) {
    if (cblas_sgemm_pack == nullptr || matrix.scalar_type() != at::kFloat) return;
    bool transposed = matrix.stride(0) == 1;
    int m = static_cast<int>(rows), n = static_cast<int>(matrix.size(1)), k = static_cast<int>(matrix.size(0));
    packed_ = at::empty({static_cast<int64_t>(cblas_sgemm_pack_get_size(b_matrix, m, n, k))}, at::kByte);
    cblas_sgemm_pack(row_major, b_matrix, transposed ? transpose : no_transpose, m, n, k, 1, matrix.const_data_ptr<float>(), transposed ? k : n,
                     static_cast<float*>(packed_.mutable_data_ptr()));
  }

  // add is out = beta out + a matrix, for beta of 0 or 1.
  void add(at::Tensor out, const at::Tensor& a, int beta) const {
    if (!packed_.defined() || a.size(0) != rows_) {
      at::addmm_out(out, out, a, matrix_, beta, 1);
      return;
    }
    int m = static_cast<int>(rows_), n = static_cast<int>(matrix_.size(1)), k = static_cast<int>(matrix_.size(0));
    cblas_sgemm_compute(row_major, no_transpose, packed, m, n, k, a.const_data_ptr<float>(), k, static_cast<const float*>(packed_.const_data_ptr()), n,
                        static_cast<float>(beta), out.mutable_data_ptr<float>(), n);
  }

 private:
  static constexpr int row_major = 101, no_transpose = 111, transpose = 112, packed = 151, b_matrix = 162;
  at::Tensor matrix_, packed_;
  int64_t rows_;
};

// Steps is the order in which texts are gone through: those that begin with least
// padding first. Before step t there are rows[t] different states, the last of them
// that of all texts still in padding; row k of step t + 1 follows row k of step t,
// or the last one there.
struct Steps {
  at::Tensor inputs;          // [T N] row of the gates' inputs, by step, for texts in that order
  at::Tensor place;           // [N] where in that order a text is
  std::vector<int64_t> rows;  // [T + 1]

  // The matrix [N T] says which row of the inputs each text has at each step.
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

// Blocks is a matrix of rows[t] rows for each step t, one block after another; or,
// where only the latest is needed, two blocks in turn.
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

// spread repeats the last of the first `rows` rows of block down to its end.
void spread(const at::Tensor& block, int64_t rows) {
  if (rows < block.size(0)) block.narrow(0, rows, block.size(0) - rows).copy_(block[rows - 1].unsqueeze(0));
}

// gather is the first `rows` rows of block, the last of which has the sum of what
// spread made of it.
at::Tensor gather(const at::Tensor& block, int64_t rows) {
  if (rows < block.size(0)) {
    at::Tensor last = block[rows - 1];
    last.add_(block.narrow(0, rows, block.size(0) - rows).sum(0));
  }
  return block.narrow(0, 0, rows);
}

// Gates is a block [rows 4H] by gate.
struct Gates {
  at::Tensor i, f, g, o, i_and_f;

  explicit Gates(const at::Tensor& block) {
    int64_t h = block.size(1) / 4;
    i = block.narrow(1, 0, h), f = block.narrow(1, h, h), g = block.narrow(1, 2 * h, h), o = block.narrow(1, 3 * h, h);
    i_and_f = block.narrow(1, 0, 2 * h);
  }
};

// Recurrence is the last state [N H], in the order of the steps, for the gates'
// inputs [R 4H] and the recurrent weights [4H H].
struct Recurrence : torch::autograd::Function<Recurrence> {
  static at::Tensor forward(torch::autograd::AutogradContext* context, const at::Tensor& inputs, const at::Tensor& weight, const Steps& steps,
                            bool keep) {
    const size_t count = steps.rows.size() - 1;
    const int64_t h = weight.size(1);
    Blocks gates(steps.rows, count, 4 * h, keep, inputs.options()), hidden(steps.rows, count + 1, h, keep, inputs.options()),
        cells(steps.rows, count + 1, h, keep, inputs.options());
    hidden[0].zero_();
    cells[0].zero_();
    Product recurrent(weight.t(), steps.rows.back());
    for (size_t t = 0; t < count; t++) {
      const int64_t rows = steps.rows[t];
      at::Tensor block = gates[t], next_hidden = hidden[t + 1], next_cell = cells[t + 1];
      at::index_select_out(block, inputs, 0, steps.inputs[static_cast<int64_t>(t)].narrow(0, 0, rows));
      recurrent.add(block, hidden[t], 1);
      Gates of(block);
      of.i_and_f.sigmoid_();
      of.g.tanh_();
      of.o.sigmoid_();
      at::Tensor c = next_cell.narrow(0, 0, rows), y = next_hidden.narrow(0, 0, rows);
      at::mul_out(c, cells[t], of.f);
      c.addcmul_(of.i, of.g);
      at::tanh_out(y, c);
      y.mul_(of.o);
      spread(next_cell, rows);
      spread(next_hidden, rows);
    }
    context->saved_data["rows"] = steps.rows;
    context->saved_data["inputs"] = inputs.size(0);
    context->save_for_backward({weight, steps.inputs, gates.all, hidden.all, cells.all});
    return hidden[count].clone();
  }

  static torch::autograd::variable_list backward(torch::autograd::AutogradContext* context, torch::autograd::variable_list grads) {
    TORCH_CHECK_NOT_IMPLEMENTED(!c10::GradMode::is_enabled(), "no gradient of the gradient: use embedding, dropout and lstm in turn");
    auto saved = context->get_saved_variables();
    const at::Tensor &weight = saved[0], &input_of = saved[1];
    const std::vector<int64_t> rows = context->saved_data["rows"].toIntVector();
    const size_t count = rows.size() - 1;
    // Each block of gates becomes that of their gradients, unless it is needed again.
    Blocks gates(rows, torch::autograd::get_current_graph_task_keep_graph() ? saved[2].clone() : saved[2]), hidden(rows, saved[3]), cells(rows, saved[4]);
    Product recurrent(weight, rows.back());
    at::Tensor inputs_grad = at::zeros({context->saved_data["inputs"].toInt(), weight.size(0)}, weight.options());
    at::Tensor d_hidden = grads[0].clone(at::MemoryFormat::Contiguous), d_cell = at::zeros_like(d_hidden), next = at::empty_like(d_hidden);
    for (size_t t = count; t-- > 0;) {
      Gates of(gates[t]);
      at::Tensor dh = gather(d_hidden.narrow(0, 0, rows[t + 1]), rows[t]), dc = gather(d_cell.narrow(0, 0, rows[t + 1]), rows[t]);
      at::Tensor squashed = at::tanh(cells[t + 1].narrow(0, 0, rows[t]));
      dc.add_(at::tanh_backward(at::mul(dh, of.o), squashed));
      at::sigmoid_backward_out(of.o, squashed.mul_(dh), of.o);
      at::Tensor di = at::mul(dc, of.g), dg = at::mul(dc, of.i), df = at::mul(dc, cells[t]);
      dc.mul_(of.f);
      at::sigmoid_backward_out(of.i, di, of.i);
      at::sigmoid_backward_out(of.f, df, of.f);
      at::tanh_backward_out(of.g, dg, of.g);
      inputs_grad.index_add_(0, input_of[static_cast<int64_t>(t)].narrow(0, 0, rows[t]), gates[t]);
      recurrent.add(d_hidden.narrow(0, 0, rows[t]), gates[t], 0);
    }
    at::Tensor weight_grad = at::mm(gates.all.t(), hidden.all.narrow(0, 0, gates.all.size(0)));
    return {inputs_grad, weight_grad, {}, {}};
  }
};

// Distinct lists the words of a batch, each once, or once for each text.
struct Distinct {
  at::Tensor word, text;  // [R]
  at::Tensor row;         // [N T] which of them each position is

  Distinct(const at::Tensor& index, int64_t words, bool by_text) {
    const int64_t n = index.size(0), steps = index.size(1), *of = index.const_data_ptr<int64_t>();
    row = at::empty({n, steps}, at::kLong);
    word = at::empty({n * steps}, at::kLong);
    text = at::empty({n * steps}, at::kLong);
    int64_t *rows = row.mutable_data_ptr<int64_t>(), *list = word.mutable_data_ptr<int64_t>(), *texts = text.mutable_data_ptr<int64_t>();
    std::vector<int64_t> seen(words, -1);
    int64_t count = 0, first = 0;
    for (int64_t i = 0; i < n; i++) {
      if (by_text) first = count;
      for (int64_t j = i * steps; j < (i + 1) * steps; j++) {
        TORCH_CHECK_INDEX(of[j] >= 0 && of[j] < words, "index ", of[j], " is out of range for a table of ", words, " rows");
        int64_t& known = seen[of[j]];
        if (known < first) {
          known = count++;
          list[known] = of[j];
          texts[known] = i;
        }
        rows[j] = known;
      }
    }
    word = word.narrow(0, 0, count);
    text = text.narrow(0, 0, count);
  }
};

bool real(const at::Tensor& t, int64_t dim, at::ScalarType type) {
  return t.is_cpu() && t.scalar_type() == type && t.dim() == dim && t.is_contiguous() && t.numel() > 0;
}

}  // namespace

lt_error* lt_embedding_lstm(lt_tensor table, lt_tensor index, const lt_tensor* params, double p, lt_generator* g, lt_tensor* out) {
  return guard([&] {
    const at::Tensor &e = get(table), &i = get(index);
    std::vector<at::Tensor> weights = list(params, 4);
    const at::Tensor &in = weights[0], &recurrent = weights[1], &bias = weights[2], &other_bias = weights[3];
    check_probability(p);
    const at::ScalarType type = e.scalar_type();
    const int64_t h = recurrent.dim() == 2 ? recurrent.size(1) : 0;
    bool fits = (type == at::kFloat || type == at::kDouble) && real(e, 2, type) && real(in, 2, type) && real(recurrent, 2, type) &&
                real(bias, 1, type) && real(other_bias, 1, type) && in.size(1) == e.size(1) && in.size(0) == 4 * h && recurrent.size(0) == 4 * h &&
                bias.size(0) == 4 * h && other_bias.size(0) == 4 * h && i.is_cpu() && (i.scalar_type() == at::kLong || i.scalar_type() == at::kInt) &&
                i.dim() == 2 && i.numel() > 0 && p < 1 && !at::autocast::is_autocast_enabled(at::kCPU);
    if (!fits) {
      at::Tensor x = at::embedding(e, i);
      TORCH_CHECK(x.dim() == 3, "index has ", i.dim(), " dimensions, expected its shape to be [N T]");
      at::Tensor zeros = at::zeros({1, x.size(0), h}, x.options());
      std::vector<at::Tensor> states{zeros, zeros};
      auto last = at::lstm(dropout(x, p, 1 << 1, g), states, weights, true, 1, 0.0, c10::GradMode::is_enabled(), false, true);
      *out = put(std::get<1>(last).select(0, 0));
      return;
    }
    Distinct words(i.to(at::kLong).contiguous(), e.size(0), p != 0);
    at::Tensor x = at::embedding(e, words.word);
    if (p != 0) {
      at::Tensor mask = at::empty({i.size(0), e.size(1)}, at::kByte);
      double scale = draw(mask, p, g);
      x = mask_scale(x, mask.index_select(0, words.text), scale);
    }
    at::Tensor inputs = at::linear(x, in, bias + other_bias);
    Steps steps(words.row);
    bool keep = c10::GradMode::is_enabled() && (inputs.requires_grad() || recurrent.requires_grad());
    *out = put(Recurrence::apply(inputs, recurrent, steps, keep).index_select(0, steps.place));
  });
}
