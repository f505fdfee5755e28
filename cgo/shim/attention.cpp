// Scaled dot-product attention. Without dropout it is libtorch's own, which
// picks a fused kernel where there is one. libtorch's dropout draws from the
// global generator, so with dropout the parts are composed here.

#include <ATen/ops/_safe_softmax.h>
#include <ATen/ops/matmul.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/scaled_dot_product_attention.h>

#include <cmath>

#include "random.h"
#include "shim.h"

using namespace lt;

namespace {

// The fused kernels do not compare all sizes themselves.
void check_sizes(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v) {
  TORCH_CHECK_VALUE(q.dim() >= 2 && k.dim() == q.dim() && v.dim() == q.dim(), "query, key and value have ", q.dim(), ", ", k.dim(), " and ", v.dim(),
                    " dimensions, expected the same number, 2 at least");
  TORCH_CHECK_VALUE(q.size(-1) == k.size(-1), "the last size of query is ", q.size(-1), " and of key ", k.size(-1), ", expected the same");
  TORCH_CHECK_VALUE(k.size(-2) == v.size(-2), "key has the size ", k.size(-2), " and value ", v.size(-2), " in the dimension of steps, expected the same");
}

// check_mask allows a mask [.. L S] whose leading sizes are those of the scores, or 1.
void check_mask(const at::Tensor& mask, const at::Tensor& q, const at::Tensor& k) {
  TORCH_CHECK_TYPE(mask.scalar_type() == at::kBool || mask.is_floating_point(), "a mask of dtype ", mask.scalar_type(), ", expected bool or floating point");
  auto scores = q.sizes().vec();
  scores.back() = k.size(-2);
  bool fits = mask.dim() <= q.dim();
  for (int64_t d = 1; fits && d <= mask.dim(); d++) fits = mask.size(-d) == scores[q.dim() - d] || mask.size(-d) == 1;
  TORCH_CHECK_VALUE(fits, "a mask of shape ", mask.sizes(), " does not broadcast to the scores' shape ", at::IntArrayRef(scores));
}

at::Tensor weights(const at::Tensor& q, const at::Tensor& k, const std::optional<at::Tensor>& mask, bool causal, double scale) {
  at::Tensor scores = at::matmul(q, k.transpose(-2, -1)).mul(scale);
  if (at::isReducedFloatingType(scores.scalar_type())) scores = scores.to(at::kFloat);
  auto keep = mask;
  if (causal) keep = at::ones({q.size(-2), k.size(-2)}, q.options().dtype(at::kBool).requires_grad(false)).tril();
  if (keep.has_value()) scores = keep->scalar_type() == at::kBool ? scores.masked_fill(keep->logical_not(), -INFINITY) : scores.add(*keep);
  return at::_safe_softmax(scores, -1);
}

}  // namespace

lt_error* lt_attention(lt_tensor query, lt_tensor key, lt_tensor value, lt_tensor mask, int32_t causal, double scale, double p, lt_generator* g,
                       lt_tensor* out) {
  return guard([&] {
    const at::Tensor &k = get(key), &v = get(value);
    at::Tensor q = get(query);
    auto masked = opt(mask);
    check_sizes(q, k, v);
    check_probability(p);
    TORCH_CHECK_VALUE(!masked.has_value() || causal == 0, "causal attention takes no mask besides its own");
    if (masked.has_value()) {
      check_mask(*masked, q, k);
      while (masked->dim() < 2) masked = masked->unsqueeze(0);
      // The fused kernel reads a mask of float32 by the width of the query's elements.
      if (q.scalar_type() == at::kDouble && masked->scalar_type() == at::kFloat) masked = masked->to(at::kDouble);
    }
    // Its own mask of -infinity must not become one of infinity.
    if (scale < 0) {
      q = q.neg();
      scale = -scale;
    }
    auto chosen = std::isnan(scale) ? std::nullopt : std::make_optional(scale);
    if (p == 0) {
      *out = put(at::scaled_dot_product_attention(q, k, v, masked, 0.0, causal != 0, chosen));
      return;
    }
    at::Tensor w = weights(q, k, masked, causal != 0, chosen.value_or(1 / std::sqrt(static_cast<double>(q.size(-1)))));
    *out = put(at::matmul(dropout(w, p, 0, g).to(v.scalar_type()), v));
  });
}
