#include "lstm_check.h"

#include "shim.h"

namespace lt {
namespace {

void check_shape(const at::Tensor& t, at::IntArrayRef expected, const char* what) {
  TORCH_CHECK(t.sizes() == expected, "the ", what, " have shape ", t.sizes(), ", expected ", expected);
}

}  // namespace

void check_lstm(const at::Tensor& x, const at::Tensor& h0, const at::Tensor& c0, const std::vector<at::Tensor>& params) {
  TORCH_CHECK(params.size() == 4, "the number of parameters is ", params.size(), ", expected 4 in shape");
  TORCH_CHECK(x.dim() == 3 && x.numel() > 0, "sequences of shape ", x.sizes(), ", expected [N T D] with no size 0");
  TORCH_CHECK(h0.dim() == 3 && h0.size(2) > 0, "the first states have shape ", h0.sizes(), ", expected [1 N H]");
  const int64_t hidden = h0.size(2);
  check_shape(h0, {1, x.size(0), hidden}, "first hidden states");
  check_shape(c0, {1, x.size(0), hidden}, "first cell states");
  check_shape(params[0], {4 * hidden, x.size(2)}, "input weights");
  check_shape(params[1], {4 * hidden, hidden}, "recurrent weights");
  check_shape(params[2], {4 * hidden}, "biases");
  check_shape(params[3], {4 * hidden}, "biases");
  if (autocast_on(x.device().type())) return;  // autocast casts them
  auto check_kind = [&](const at::Tensor& t) {
    TORCH_CHECK_TYPE(t.scalar_type() == x.scalar_type(), "sequences of dtype ", x.scalar_type(), " with states or parameters of dtype ", t.scalar_type());
    TORCH_CHECK(t.device() == x.device(), "sequences on ", x.device(), " with states or parameters on ", t.device(), ", expected the same device");
  };
  check_kind(h0);
  check_kind(c0);
  for (const at::Tensor& p : params) check_kind(p);
}

}  // namespace lt
