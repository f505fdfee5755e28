// An embedding followed by dropout, ReLU and a fully connected layer, in one node.
//
// Composed of libtorch's operations, this writes and reads the embedded texts [N T D] a dozen
// times: 2.6 million floats a step in the paper's network for IMDB. For float32 on the CPU the
// loops of embedding_kernels.cpp keep them in registers.

#include <ATen/ops/embedding.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/linear.h>
#include <torch/csrc/autograd/autograd.h>

#include "differentiable.h"
#include "embedding_kernels.h"
#include "layout.h"
#include "random.h"
#include "shim.h"

using namespace lt;

namespace {

// checked copies indices to int32, so that later changes to them cannot lead backward out of the
// table.
template <class T>
at::Tensor checked(const at::Tensor& index, int64_t words) {
  at::Tensor contiguous = index.contiguous(), out = at::empty(index.sizes(), at::kInt);
  const T* from = contiguous.const_data_ptr<T>();
  int32_t* to = out.mutable_data_ptr<int32_t>();
  const int64_t n = index.numel();
  const auto limit = static_cast<int32_t>(words);
  uint64_t high = 0;  // bits that make an index negative or longer than 31 bits
  int32_t beyond = 0;
  for (int64_t i = 0; i < n; i++) {
    to[i] = static_cast<int32_t>(from[i]);
    high |= static_cast<uint64_t>(from[i]) >> 31;
    beyond |= to[i] >= limit;
  }
  if (high != 0 || beyond != 0) {
    const T* bad = std::find_if(from, from + n, [&](T v) { return v < 0 || v >= words; });
    TORCH_CHECK_INDEX(false, "index ", *bad, " is out of range for a table of ", words, " rows");
  }
  return out;
}

// Kept is what dropout keeps: bytes [N 1 D], or the bits of [N T D] plus the padding that
// embedding_kernels.h needs, or empty without dropout.
struct Kept {
  std::optional<at::Tensor> mask;
  double scale = 1;

  Kept() = default;

  Kept(const at::Tensor& index, int64_t dim, double p, bool spatial, lt_generator* g) {
    if (p == 0) return;
    int64_t n = index.size(0), count = index.numel() * dim;
    if (spatial) {
      mask = at::empty({n, 1, dim}, at::kByte);
      scale = draw(*mask, p, g);
    } else {
      mask = at::empty({(count + 7) / 8 + 8}, at::kByte);
      scale = draw_bits(mask->mutable_data_ptr<uint8_t>(), count, p, g);
    }
  }

  bool spatial() const { return mask && mask->dim() == 3; }

  // apply is dropout of x [N T D] by libtorch's operations.
  at::Tensor apply(const at::Tensor& x) const {
    if (!mask || spatial()) return mask ? mask_scale(x, *mask, scale) : x;
    at::Tensor bytes = at::empty(x.sizes(), at::kByte);
    const uint8_t* from = mask->const_data_ptr<uint8_t>();
    uint8_t* to = bytes.mutable_data_ptr<uint8_t>();
    for (int64_t i = 0; i < x.numel(); i++) to[i] = from[i / 8] >> (i % 8) & 1;
    return mask_scale(x, bytes, scale);
  }
};

EmbeddingLinear problem(const at::Tensor& table, const at::Tensor& index, const at::Tensor& weight, const Kept& kept) {
  const uint8_t* mask = kept.mask ? kept.mask->const_data_ptr<uint8_t>() : nullptr;
  return {
      .examples = index.size(0),
      .steps = index.size(1),
      .words = table.size(0),
      .dim = table.size(1),
      .classes = weight.size(0),
      .index = index.const_data_ptr<int32_t>(),
      .table = table.const_data_ptr<float>(),
      .weight = weight.const_data_ptr<float>(),
      .scale = static_cast<float>(kept.scale),
      .channels = kept.spatial() ? mask : nullptr,
      .bits = kept.spatial() ? nullptr : mask,
  };
}

// composed computes the gradients by libtorch's operations, which can be differentiated, for the
// operands that need one: a frozen one is not in the graph.
Tensors composed(const at::Tensor& table, const at::Tensor& index, const at::Tensor& weight, const at::Tensor& bias, const Kept& kept,
                 const at::Tensor& g, const std::vector<bool>& wanted) {
  at::AutoGradMode record(true);
  at::Tensor out = at::linear(kept.apply(at::embedding(table, index)).relu().flatten(1), weight, bias);
  Tensors operands{table, weight, bias}, asked;
  for (size_t i = 0; i < operands.size(); i++)
    if (wanted[i]) asked.push_back(operands[i]);
  Tensors found = torch::autograd::grad({out}, asked, {g}, true, true);
  for (size_t i = 0, j = 0; i < operands.size(); i++) operands[i] = wanted[i] ? found[j++] : at::Tensor();
  return operands;
}

Tensors gradients(const at::Tensor& table, const at::Tensor& index, const at::Tensor& weight, const at::Tensor& bias, const Kept& kept,
                  const at::Tensor& g, const std::vector<bool>& wanted) {
  if (c10::GradMode::is_enabled() || !plain(g, 2)) return composed(table, index, weight, bias, kept, g, wanted);
  at::Tensor table_grad = at::empty(table.sizes(), at::kFloat), weight_grad = at::empty(weight.sizes(), at::kFloat);
  lt::backward(problem(table, index, weight, kept), g.const_data_ptr<float>(), table_grad.mutable_data_ptr<float>(),
               weight_grad.mutable_data_ptr<float>());
  return {table_grad, weight_grad, g.sum(0)};
}

at::Tensor fused(const at::Tensor& table, const at::Tensor& index, const at::Tensor& weight, const at::Tensor& bias, const Kept& kept) {
  at::Tensor out = at::empty({index.size(0), weight.size(0)}, at::kFloat);
  lt::forward(problem(table, index, weight, kept), bias.const_data_ptr<float>(), out.mutable_data_ptr<float>());
  return with_gradient(out, {table, weight, bias}, {table, weight, bias},
                       [index, kept](const Tensors& saved, const at::Tensor& grad, const std::vector<bool>& wanted) {
                         return gradients(saved[0], index, saved[1], saved[2], kept, grad.contiguous(), wanted);
                       });
}

}  // namespace

lt_made lt_embedding_linear(lt_tensor table, lt_tensor index, lt_tensor weight, lt_tensor bias, double p, int32_t spatial, lt_generator* g) {
  return made([&]() -> at::Tensor {
    const at::Tensor &e = get(table), &i = get(index), &w = get(weight), &b = get(bias);
    check_probability(p);
    bool whole = i.scalar_type() == at::kLong || i.scalar_type() == at::kInt;
    bool fits = plain(e, 2) && plain(w, 2) && plain(b, 1) && i.is_cpu() && whole && i.dim() == 2 && i.numel() > 0 && e.size(1) >= 8 &&
                w.size(1) == i.size(1) * e.size(1) && b.size(0) == w.size(0) && e.size(0) < (1 << 24);
    if (!fits || p == 1 || autocast_on(at::kCPU)) {
      at::Tensor x = at::embedding(e, i);
      TORCH_CHECK(x.dim() == 3, "index has ", i.dim(), " dimensions, expected its shape to be [N T]");
      x = dropout(x, p, spatial != 0 ? 1 << 1 : 0, g);
      return at::linear(x.relu().flatten(1), w, b);
    }
    at::Tensor checked_index = i.scalar_type() == at::kLong ? checked<int64_t>(i, e.size(0)) : checked<int32_t>(i, e.size(0));
    return fused(e, checked_index, w, b, Kept(i, e.size(1), p, spatial != 0, g));
  });
}
