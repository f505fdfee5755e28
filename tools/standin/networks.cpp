// Kernels of CUDA and cuDNN that the processor lacks, built from the processor's.

#include <ATen/core/LegacyTypeDispatch.h>
#include <ATen/native/ConvUtils.h>
#include <ATen/native/RNN.h>
#include <ATen/ops/convolution.h>
#include <ATen/ops/convolution_backward.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/empty_like.h>
#include <ATen/ops/lstm.h>
#include <ATen/ops/native_batch_norm.h>
#include <ATen/ops/native_batch_norm_backward.h>
#include <torch/csrc/autograd/autograd.h>
#include <torch/csrc/autograd/custom_function.h>
#include <torch/library.h>

#include "standin.h"

namespace standin {
namespace {

using at::IntArrayRef;
using at::Tensor;

// --- dropout

std::tuple<Tensor, Tensor> fused_dropout(const Tensor& x, double keep, std::optional<at::Generator> g) {
  enter(x.device().index());
  TORCH_CHECK(g.has_value(), "stand-in: _fused_dropout draws from libtorch's global generator");
  TORCH_CHECK(keep > 0 && keep < 1, "dropout probability has to be between 0 and 1, but got ", 1 - keep);
  auto out = kernel(x.device(), [here = seen_by_kernels(x), keep, draw = Draw(*g)] {
    Tensor mask = at::empty_like(here, at::TensorOptions(at::kByte)).bernoulli_(keep, draw.now());
    return std::vector<Tensor>{here.mul(mask).mul_(1 / keep), mask};
  });
  return {out[0], out[1]};
}

Tensor masked_scale(const Tensor& x, const Tensor& mask, double scale) {
  enter(common_device({x, mask}, "_masked_scale").index());
  TORCH_CHECK(mask.scalar_type() == at::kByte, "mask should be torch.uint8 dtype");
  return kernel(x.device(), [x = seen_by_kernels(x), mask = seen_by_kernels(mask), scale] { return std::vector<Tensor>{x.mul(mask).mul_(scale)}; })[0];
}

// --- convolution

at::MemoryFormat format_of(const Tensor& x, const Tensor& weight) {
  auto last = [](const Tensor& t) { return t.suggest_memory_format() == at::MemoryFormat::ChannelsLast; };
  return last(x) || last(weight) ? at::MemoryFormat::ChannelsLast : at::MemoryFormat::Contiguous;
}

Tensor convolved(const Tensor& x, const Tensor& weight, const std::optional<Tensor>& bias, IntArrayRef stride, IntArrayRef padding, IntArrayRef dilation,
                 bool transposed, IntArrayRef output_padding, int64_t groups) {
  enter(common_device({x, weight}, "cudnn_convolution").index(), Library::cudnn);
  auto seen = bias.has_value() && bias->defined() ? std::optional(seen_by_kernels(*bias)) : std::nullopt;
  return kernel(x.device(), [here = seen_by_kernels(x), weights = seen_by_kernels(weight), seen, stride = stride.vec(), padding = padding.vec(),
                             dilation = dilation.vec(), transposed, output_padding = output_padding.vec(), groups, format = format_of(x, weight)] {
    Tensor y = at::convolution(here, weights, seen, stride, padding, dilation, transposed, output_padding, groups);
    return std::vector<Tensor>{y.dim() == 4 ? y.contiguous(format) : y};
  })[0];
}

Tensor convolution(const Tensor& x, const Tensor& weight, c10::SymIntArrayRef padding, c10::SymIntArrayRef stride, c10::SymIntArrayRef dilation,
                   c10::SymInt groups, bool, bool, bool) {
  std::vector<int64_t> none(padding.size(), 0);
  return convolved(x, weight, std::nullopt, C10_AS_INTARRAYREF_SLOW(stride), C10_AS_INTARRAYREF_SLOW(padding), C10_AS_INTARRAYREF_SLOW(dilation), false, none,
                   groups.expect_int());
}

Tensor transposed_convolution(const Tensor& x, const Tensor& weight, c10::SymIntArrayRef padding, c10::SymIntArrayRef output_padding,
                              c10::SymIntArrayRef stride, c10::SymIntArrayRef dilation, c10::SymInt groups, bool, bool, bool) {
  return convolved(x, weight, std::nullopt, C10_AS_INTARRAYREF_SLOW(stride), C10_AS_INTARRAYREF_SLOW(padding), C10_AS_INTARRAYREF_SLOW(dilation), true,
                   C10_AS_INTARRAYREF_SLOW(output_padding), groups.expect_int());
}

Tensor depthwise(const Tensor& x, const Tensor& weight, c10::SymIntArrayRef, const std::optional<Tensor>& bias, c10::SymIntArrayRef stride,
                 c10::SymIntArrayRef padding, c10::SymIntArrayRef dilation) {
  return convolved(x, weight, bias, C10_AS_INTARRAYREF_SLOW(stride), C10_AS_INTARRAYREF_SLOW(padding), C10_AS_INTARRAYREF_SLOW(dilation), false, {0, 0}, x.size(1));
}

std::tuple<Tensor, Tensor> gradients(const Tensor& x, const Tensor& grad, const Tensor& weight, IntArrayRef padding, IntArrayRef output_padding,
                                     IntArrayRef stride, IntArrayRef dilation, bool transposed, int64_t groups, std::array<bool, 2> wanted) {
  enter(common_device({x, grad, weight}, "cudnn_convolution_backward").index(), Library::cudnn);
  auto out = kernel(x.device(), [there = seen_by_kernels(grad), here = seen_by_kernels(x), weights = seen_by_kernels(weight), stride = stride.vec(),
                                 padding = padding.vec(), dilation = dilation.vec(), transposed, output_padding = output_padding.vec(), groups, wanted,
                                 format = format_of(x, weight)] {
    // With channels innermost, oneDNN's gradient of a kernel of one element with a stride leaves its memory on
    // processors without AVX-512.
    auto [dx, dweight, none] = at::convolution_backward(there.contiguous(), here.contiguous(), weights.contiguous(), std::nullopt, stride, padding, dilation, transposed, output_padding, groups,
                                                        {wanted[0], wanted[1], false});
    auto laid = [&](const Tensor& t) { return t.defined() && t.dim() == 4 ? t.contiguous(format) : t; };
    return std::vector<Tensor>{laid(dx), laid(dweight)};
  });
  return {out[0], out[1]};
}

std::tuple<Tensor, Tensor> convolution_gradients(const Tensor& x, const Tensor& grad, const Tensor& weight, IntArrayRef padding, IntArrayRef stride,
                                                 IntArrayRef dilation, int64_t groups, bool, bool, bool, std::array<bool, 2> wanted) {
  return gradients(x, grad, weight, padding, std::vector<int64_t>(padding.size(), 0), stride, dilation, false, groups, wanted);
}

std::tuple<Tensor, Tensor> transposed_gradients(const Tensor& x, const Tensor& grad, const Tensor& weight, IntArrayRef padding, IntArrayRef output_padding,
                                                IntArrayRef stride, IntArrayRef dilation, int64_t groups, bool, bool, bool, std::array<bool, 2> wanted) {
  return gradients(x, grad, weight, padding, output_padding, stride, dilation, true, groups, wanted);
}

std::tuple<Tensor, Tensor> depthwise_gradients(const Tensor& grad, const Tensor& x, const Tensor& weight, IntArrayRef, IntArrayRef stride,
                                               IntArrayRef padding, IntArrayRef dilation, std::array<bool, 2> wanted) {
  return gradients(x, grad, weight, padding, {0, 0}, stride, dilation, false, x.size(1), wanted);
}

// --- batch norm

std::tuple<Tensor, Tensor, Tensor, Tensor> batch_norm(const Tensor& x, const Tensor& weight, const std::optional<Tensor>& bias,
                                                      const std::optional<Tensor>& mean, const std::optional<Tensor>& variance, bool training,
                                                      double momentum, double epsilon) {
  enter(x.device().index(), Library::cudnn);
  TORCH_CHECK(x.is_contiguous(x.suggest_memory_format()) && weight.is_contiguous(), "Expected tensor to be contiguous (cudnn_batch_norm)");
  auto [y, save_mean, save_inverse] = at::native_batch_norm(x, weight, bias, mean, variance, training, momentum, epsilon);
  return {y, save_mean, save_inverse, at::empty({0}, x.options().dtype(at::kByte))};
}

std::tuple<Tensor, Tensor, Tensor> batch_norm_gradients(const Tensor& x, const Tensor& grad, const Tensor& weight, const std::optional<Tensor>& mean,
                                                        const std::optional<Tensor>& variance, const std::optional<Tensor>& save_mean,
                                                        const std::optional<Tensor>& save_inverse, double epsilon, const Tensor&) {
  enter(x.device().index(), Library::cudnn);
  return at::native_batch_norm_backward(grad.contiguous(x.suggest_memory_format()), x, weight, mean, variance, save_mean, save_inverse, true, epsilon,
                                        {true, true, true});
}

// --- recurrent layers

// flatten_weights lays the weights out as views into one buffer.
Tensor flatten_weights(at::TensorList weights, int64_t, c10::SymInt, int64_t mode, c10::SymInt, c10::SymInt, int64_t, bool, bool) {
  TORCH_CHECK(mode == 2, "stand-in: recurrent layers other than LSTM");
  enter(common_device(weights, "_cudnn_rnn_flatten_weight").index(), Library::cudnn);
  int64_t n = 0, offset = 0;
  for (const Tensor& w : weights) n += w.numel();
  Tensor buffer = at::empty({n}, weights[0].options());
  for (const Tensor& w : weights) {
    Tensor part = buffer.narrow(0, offset, w.numel()).view(w.sizes());
    part.copy_(w);
    const_cast<Tensor&>(w).set_(part);
    offset += w.numel();
  }
  return buffer;
}

bool flat(at::TensorList weights) {
  for (const Tensor& w : weights)
    if (!w.storage().is_alias_of(weights[0].storage())) return false;
  return true;
}

struct Shape {
  bool biases, bidirectional, batch_first;
  int64_t layers;
};

// on_cpu runs libtorch's LSTM of the processor on (input, h, c, weights..).
std::vector<Tensor> on_cpu(const std::vector<Tensor>& t, const Shape& s) {
  auto [out, h, c] = at::lstm(t[0], {t[1], t[2]}, std::vector<Tensor>(t.begin() + 3, t.end()), s.biases, s.layers, 0.0, false, s.bidirectional, s.batch_first);
  return {out, h, c};
}

// Recurrent computes gradients by a second run on the processor.
struct Recurrent : torch::autograd::Function<Recurrent> {
  static std::vector<Tensor> forward(torch::autograd::AutogradContext* context, at::TensorList operands, Shape shape) {
    std::vector<Tensor> here;
    for (const Tensor& t : operands) here.push_back(seen_by_kernels(t.detach()));
    context->save_for_backward(operands.vec());
    context->saved_data["shape"] = std::vector<int64_t>{shape.biases, shape.bidirectional, shape.batch_first, shape.layers};
    return kernel(operands[0].device(), [here, shape] {
      at::NoGradGuard no_grad;
      return on_cpu(here, shape);
    });
  }

  static std::vector<Tensor> backward(torch::autograd::AutogradContext* context, std::vector<Tensor> grads) {
    TORCH_CHECK_NOT_IMPLEMENTED(!c10::GradMode::is_enabled(), "derivative for aten::_cudnn_rnn_backward is not implemented");
    auto operands = context->get_saved_variables();
    enter(operands[0].device().index(), Library::cudnn);
    auto shape = context->saved_data["shape"].toIntVector();
    std::vector<Tensor> here, seeds;
    for (const Tensor& t : operands) here.push_back(seen_by_kernels(t.detach()));
    for (const Tensor& t : grads) seeds.push_back(t.defined() ? seen_by_kernels(t) : t);
    auto result = kernel(operands[0].device(), [here, seeds, shape] {
      at::AutoGradMode with_graph(true);
      std::vector<Tensor> leaves, outs, wanted;
      for (const Tensor& t : here) leaves.push_back(t.detach().requires_grad_());
      auto all = on_cpu(leaves, {shape[0] != 0, shape[1] != 0, shape[2] != 0, shape[3]});
      for (size_t i = 0; i < all.size(); i++) {
        if (!seeds[i].defined()) continue;
        outs.push_back(all[i]);
        wanted.push_back(seeds[i]);
      }
      return torch::autograd::grad(outs, leaves, wanted, std::nullopt, false, true);
    });
    result.emplace_back();  // of the shape
    return result;
  }
};

void lstm(Tensor& out, Tensor& hy, Tensor& cy, const Tensor& input, at::TensorList hx, at::TensorList params, bool biases, int64_t layers, double dropout,
          bool, bool bidirectional, bool batch_first) {
  enter(input.device().index(), Library::cudnn);
  TORCH_CHECK(dropout == 0, "stand-in: cuDNN's dropout draws from libtorch's global generator");
  at::native::check_attributes(input, params, hx, true);
  if (!flat(params)) {
    TORCH_WARN_ONCE("RNN module weights are not part of single contiguous chunk of memory. This means they need to be compacted at every call, possibly "
                    "greatly increasing memory usage. To compact weights again call flatten_parameters().");
  }
  std::vector<Tensor> operands{input, hx[0], hx[1]};
  operands.insert(operands.end(), params.begin(), params.end());
  auto results = Recurrent::apply(at::TensorList(operands), Shape{biases, bidirectional, batch_first, layers});
  out = results[0];
  hy = results[1];
  cy = results[2];
}

}  // namespace

TORCH_LIBRARY_IMPL(aten, CUDA, m) {
  m.impl("_fused_dropout", fused_dropout);
  m.impl("_masked_scale", masked_scale);
  m.impl("cudnn_convolution", convolution);
  m.impl("cudnn_convolution_transpose", transposed_convolution);
  m.impl("_conv_depthwise2d", depthwise);
  m.impl("cudnn_batch_norm", batch_norm);
  m.impl("cudnn_batch_norm_backward", batch_norm_gradients);
  m.impl("_cudnn_rnn_flatten_weight", flatten_weights);
}

}  // namespace standin

namespace at::native {
REGISTER_CUDA_DISPATCH(cudnn_convolution_backward_stub, &standin::convolution_gradients)
REGISTER_CUDA_DISPATCH(cudnn_convolution_transpose_backward_stub, &standin::transposed_gradients)
REGISTER_CUDA_DISPATCH(conv_depthwise2d_backward_stub, &standin::depthwise_gradients)
REGISTER_CUDA_DISPATCH(lstm_cudnn_stub, &standin::lstm)
}  // namespace at::native
