// Differences between a GPU's libraries and a CPU's: fused dropout, and weights of recurrent layers
// in one buffer. This is plain libtorch and needs no CUDA headers.

#include <ATen/ops/_cudnn_rnn_flatten_weight.h>
#include <ATen/ops/_fused_dropout.h>
#include <ATen/ops/cudnn_is_acceptable.h>
#include <ATen/ops/empty.h>

#include "random.h"
#include "shim.h"

namespace lt {

// _fused_dropout draws, masks and scales in one kernel and takes the probability of keeping; its
// gradient is another kernel, _masked_scale. native_dropout, which PyTorch's layer uses, takes no
// generator. If one draw holds for many elements, the draws are few, and the product with them is
// the only large kernel.
at::Tensor dropout_on_gpu(const at::Tensor& x, double p, uint32_t shared_dims, lt_generator* g) {
  if (shared_dims == 0) return std::get<0>(at::_fused_dropout(x, 1 - p, g->generator));
  auto sizes = x.sizes().vec();
  for (size_t d = 0; d < sizes.size(); d++)
    if (shared_dims >> d & 1) sizes[d] = 1;
  at::Tensor kept = at::empty(sizes, x.options().requires_grad(false)).bernoulli_(1 - p, g->generator).div_(1 - p);
  return x.mul(kept);
}

}  // namespace lt

using namespace lt;

// Like PyTorch's nn.LSTM.flatten_parameters: each parameter becomes a view into one buffer in
// cuDNN's order. Otherwise cuDNN copies all weights at each forward, and libtorch warns about it.
// The parameters stay the same tensors, so optimizers that hold them change the buffer, and copies
// into them stay in it.
lt_error* lt_lstm_flatten(const lt_tensor* params, int64_t in, int64_t hidden) {
  return guard([&] {
    std::vector<at::Tensor> weights = list(params, 4);
    if (!weights[0].is_cuda() || !at::cudnn_is_acceptable(weights[0])) return;
    c10::NoGradGuard no_grad;
    constexpr int64_t lstm = 2;  // cudnnRNNMode_t
    at::_cudnn_rnn_flatten_weight(weights, 4, in, lstm, hidden, 0, 1, true, false);
  });
}
