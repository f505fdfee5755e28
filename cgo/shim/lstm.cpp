// A long short-term memory over embedded texts that returns only the last state.
//
// libtorch runs each layer separately: the embedding [N T D], its dropout, and the product of each
// position's vector with the input weights, which is a third to half of all arithmetic. Here that
// product is computed once for each distinct word of the batch. Since dropout of channels differs
// by text, it is then once for each distinct word of a text, and only for the kept channels. The
// results are the same except for the order of sums.

#include <ATen/ops/add.h>
#include <ATen/ops/embedding.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/linear.h>
#include <ATen/ops/lstm.h>
#include <ATen/ops/nonzero.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/zeros.h>
#include <ATen/ops/zeros_like.h>
#include <c10/core/impl/LocalDispatchKeySet.h>

#include <vector>

#include "differentiable.h"
#include "layout.h"
#include "lstm_check.h"
#include "lstm_recurrence.h"
#include "product.h"
#include "random.h"
#include "shim.h"

using namespace lt;

namespace {

// Distinct lists each word of a batch once, or once for each text.
struct Distinct {
  at::Tensor word;             // [R]
  at::Tensor row;              // [N T] the row of each position's word
  std::vector<int64_t> first;  // [N + 1] the first word of each text

  Distinct(const at::Tensor& index, int64_t words, bool by_text) {
    const int64_t n = index.size(0), steps = index.size(1), *of = index.const_data_ptr<int64_t>();
    word = at::empty({n * steps}, at::kLong);
    row = at::empty({n, steps}, at::kLong);
    int64_t *list = word.mutable_data_ptr<int64_t>(), *rows = row.mutable_data_ptr<int64_t>(), count = 0;
    std::vector<int64_t> seen(words, -1);
    for (int64_t i = 0; i < n; i++) {
      first.push_back(count);
      for (int64_t j = i * steps; j < (i + 1) * steps; j++) {
        TORCH_CHECK_INDEX(of[j] >= 0 && of[j] < words, "index ", of[j], " is out of range for a table of ", words, " rows");
        int64_t& known = seen[of[j]];
        if (known < (by_text ? first.back() : 0)) {
          known = count++;
          list[known] = of[j];
        }
        rows[j] = known;
      }
    }
    first.push_back(count);
    word = word.narrow(0, 0, count);
  }
};

// Texts holds the words of a batch, text n's from first[n] up to first[n + 1], the scaled channels
// [N D] that dropout keeps of them, and the dtype of the products.
struct Texts {
  at::Tensor word, mask;
  std::vector<int64_t> first;
  double scale;
  at::ScalarType factors;
};

// Text is one text of them.
struct Text {
  at::Tensor word, kept;  // its words, and the channels that it keeps
  int64_t first;

  Text(const Texts& of, int64_t n)
      : word(of.word.narrow(0, of.first[n], of.first[n + 1] - of.first[n])), kept(at::nonzero(of.mask[n]).squeeze(1)), first(of.first[n]) {}

  at::Tensor vectors(const at::Tensor& table) const { return table.index_select(0, word).index_select(1, kept); }

  // rows returns the text's rows of a matrix with one row for each word of the batch.
  at::Tensor rows(const at::Tensor& matrix) const { return matrix.narrow(0, first, word.size(0)); }
};

// by_channel returns the weights' transpose, scaled, with one channel per row.
at::Tensor by_channel(const at::Tensor& weight, const Texts& texts) { return weight.t().mul(texts.scale).to(texts.factors).contiguous(); }

Tensors gradients(const at::Tensor& table, const at::Tensor& weight, const Texts& texts, const at::Tensor& g) {
  TORCH_CHECK_NOT_IMPLEMENTED(!c10::GradMode::is_enabled(), "no second derivative: use embedding, dropout and lstm in turn");
  at::Tensor channels = by_channel(weight, texts), channels_grad = at::zeros_like(channels, weight.options()), table_grad = at::zeros_like(table);
  const at::Tensor vectors = table.to(texts.factors), factors = g.to(texts.factors);
  for (int64_t n = 0; n < texts.mask.size(0); n++) {
    Text text(texts, n);
    at::Tensor part = text.rows(factors);
    channels_grad.index_add_(0, text.kept, product(text.vectors(vectors).t(), part));
    at::Tensor of_words = product(part, channels.index_select(0, text.kept).t());
    if (text.kept.size(0) == table.size(1)) {
      table_grad.index_add_(0, text.word, of_words);
    } else {
      table_grad.index_put_({text.word.unsqueeze(1), text.kept}, of_words, true);
    }
  }
  return {table_grad, channels_grad.mul_(texts.scale).t(), g.sum(0)};
}

// kept_linear is a fully connected layer on each word's vector, a row of a table [V D]; it skips
// dropped channels in the products.
at::Tensor kept_linear(const at::Tensor& table, const at::Tensor& weight, const at::Tensor& bias, const Texts& texts) {
  at::Tensor out = at::empty({texts.word.size(0), weight.size(0)}, table.options());
  {
    at::NoGradGuard no_graph;
    at::Tensor channels = by_channel(weight, texts), vectors = table.to(texts.factors);
    for (int64_t n = 0; n < texts.mask.size(0); n++) {
      Text text(texts, n);
      at::Tensor part = text.rows(out);
      part.copy_(bias);
      add_product(part, text.vectors(vectors), channels.index_select(0, text.kept), 1);
    }
  }
  return with_gradient(out, {table, weight, bias}, {table, weight}, [texts](const Tensors& saved, const at::Tensor& grad, const std::vector<bool>&) {
    return gradients(saved[0], saved[1], texts, grad.contiguous());
  });
}

bool real(const at::Tensor& t, int64_t dim, at::ScalarType type) {
  return t.is_cpu() && t.scalar_type() == type && t.dim() == dim && t.is_contiguous() && t.numel() > 0;
}

}  // namespace

lt_made lt_embedding_lstm(lt_tensor table, lt_tensor index, const lt_tensor* params, double p, lt_generator* g) {
  return made([&]() -> at::Tensor {
    const at::Tensor &e = get(table), &i = get(index);
    std::vector<at::Tensor> weights = list(params, 4);
    const at::Tensor &in = weights[0], &recurrent = weights[1], &bias = weights[2], &other_bias = weights[3];
    check_probability(p);
    const at::ScalarType type = e.scalar_type();
    const int64_t h = recurrent.dim() == 2 ? recurrent.size(1) : 0;
    const bool low = autocast_on(at::kCPU) && autocast_type(at::kCPU) == at::kBFloat16 && type == at::kFloat && has_bfloat16_products();
    bool fits = (type == at::kFloat || type == at::kDouble) && real(e, 2, type) && real(in, 2, type) && real(recurrent, 2, type) &&
                real(bias, 1, type) && real(other_bias, 1, type) && in.size(1) == e.size(1) && in.size(0) == 4 * h && recurrent.size(0) == 4 * h &&
                bias.size(0) == 4 * h && other_bias.size(0) == 4 * h && i.is_cpu() && (i.scalar_type() == at::kLong || i.scalar_type() == at::kInt) &&
                i.dim() == 2 && i.numel() > 0 && p < 1 && (low || !autocast_on(at::kCPU));
    if (!fits) {
      at::Tensor x = at::embedding(e, i);
      TORCH_CHECK(x.dim() == 3, "index has ", i.dim(), " dimensions, expected its shape to be [N T]");
      at::Tensor zeros = at::zeros({1, x.size(0), h}, x.options());
      std::vector<at::Tensor> states{zeros, zeros};
      check_lstm(x, zeros, zeros, weights);
      auto last = at::lstm(regular(dropout(x, p, 1 << 1, g)), states, regular(weights), true, 1, 0.0, c10::GradMode::is_enabled(), false, true);
      return std::get<1>(last).select(0, 0);
    }
    c10::impl::ExcludeDispatchKeyGuard no_autocast(c10::DispatchKey::AutocastCPU);
    Distinct words(i.to(at::kLong).contiguous(), e.size(0), p != 0);
    at::Tensor inputs, both = at::add(bias, other_bias);
    if (p == 0 && !low) {
      inputs = at::linear(at::embedding(e, words.word), in, both);
    } else {
      Texts texts{words.word, at::ones({1, e.size(1)}, at::kByte), {0, words.word.size(0)}, 1, low ? at::kBFloat16 : type};
      if (p != 0) {
        texts.mask = at::empty({i.size(0), e.size(1)}, at::kByte);
        texts.scale = draw(texts.mask, p, g);
        texts.first = words.first;
      }
      inputs = kept_linear(e, in, both, texts);
    }
    return last_state(inputs, recurrent, words.row, low);
  });
}
