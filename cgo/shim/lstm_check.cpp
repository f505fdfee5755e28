#include "lstm_check.h"

#include "shim.h"

namespace lt {
namespace {

void check_shape(const at::Tensor& t, at::IntArrayRef expected, const char* what) {
  TORCH_CHECK(t.sizes() == expected, "the ", what, " have shape ", t.sizes(), ", expected ", expected);
}

}  // namespace

void check_lstm(const at::Tensor& x, const at::Tensor& h0, const at::Tensor& c0, const std::vector<at::Tensor>& params, int64_t layers,
                bool bidirectional, bool batch_first) {
  const int64_t directions = bidirectional ? 2 : 1, cells = layers * directions, given = static_cast<int64_t>(params.size());
  TORCH_CHECK_VALUE(layers > 0, layers, " layers");
  TORCH_CHECK(given == 4 * cells || given == 2 * cells, "the number of parameters is ", given, ", expected 4 for each layer and direction in shape, or 2 without biases");
  TORCH_CHECK(x.dim() == 3 && x.numel() > 0, "sequences of shape ", x.sizes(), ", expected [T N D] with nothing of size 0");
  TORCH_CHECK(h0.dim() == 3 && h0.size(2) > 0, "the first states have shape ", h0.sizes(), ", expected [layers N H]");
  const int64_t batch = x.size(batch_first ? 0 : 1), hidden = h0.size(2), each = given / cells;
  check_shape(h0, {cells, batch, hidden}, "first hidden states");
  check_shape(c0, {cells, batch, hidden}, "first cell states");
  for (int64_t i = 0; i < cells; i++) {
    const at::Tensor* p = &params[i * each];
    check_shape(p[0], {4 * hidden, i < directions ? x.size(2) : hidden * directions}, "input weights");
    check_shape(p[1], {4 * hidden, hidden}, "recurrent weights");
    for (int64_t j = 2; j < each; j++) check_shape(p[j], {4 * hidden}, "biases");
  }
  if (autocast_on(x.device().type())) return;  // which casts them
  auto check_kind = [&](const at::Tensor& t) {
    TORCH_CHECK_TYPE(t.scalar_type() == x.scalar_type(), "sequences of dtype ", x.scalar_type(), " with states or parameters of dtype ", t.scalar_type());
    TORCH_CHECK(t.device() == x.device(), "sequences on ", x.device(), " with states or parameters on ", t.device(), ", expected the same device");
  };
  check_kind(h0);
  check_kind(c0);
  for (const at::Tensor& p : params) check_kind(p);
}

}  // namespace lt
