// Scaled dot-product attention. Without dropout it is libtorch's own, which picks a fused kernel if
// there is one. libtorch's dropout draws from the global generator, so attention with dropout is
// composed here.

#include "attention.h"

#include <ATen/ops/_safe_softmax.h>
#include <ATen/ops/matmul.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/scaled_dot_product_attention.h>

#include <cmath>

#include "shim.h"

namespace lt {
namespace {

// The fused kernels do not check all sizes themselves.
void check_sizes(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v) {
  TORCH_CHECK_VALUE(q.dim() >= 2 && k.dim() == q.dim() && v.dim() == q.dim(), "query, key and value have ", q.dim(), ", ", k.dim(), " and ", v.dim(),
                    " dimensions, expected the same number, 2 at least");
  TORCH_CHECK_VALUE(q.size(-1) == k.size(-1), "the last size of query is ", q.size(-1), " and of key ", k.size(-1), ", expected the same");
  TORCH_CHECK_VALUE(k.size(-2) == v.size(-2), "key has the size ", k.size(-2), " and value ", v.size(-2), " in the dimension of steps, expected the same");
}

// check_mask accepts a mask [.. L S] whose leading sizes equal the scores' sizes or 1.
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

// check_groups accepts numbers of heads of k and v that divide q's.
void check_groups(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v) {
  TORCH_CHECK_VALUE(q.dim() >= 3, "grouped attention needs a dimension of heads, query has the shape ", q.sizes());
  for (const at::Tensor& t : {k, v})
    TORCH_CHECK_VALUE(t.size(-3) > 0 && q.size(-3) % t.size(-3) == 0, t.size(-3), " heads of key or value do not divide the ", q.size(-3), " of query");
}

}  // namespace

at::Tensor attention(at::Tensor q, at::Tensor k, at::Tensor v, std::optional<at::Tensor> mask, bool causal, std::optional<double> scale, bool grouped,
                     double p, lt_generator* g) {
  check_sizes(q, k, v);
  check_probability(p);
  if (grouped) check_groups(q, k, v);
  TORCH_CHECK_VALUE(!mask.has_value() || !causal, "causal attention takes no other mask");
  if (mask.has_value()) {
    check_mask(*mask, q, k);
    while (mask->dim() < 2) mask = mask->unsqueeze(0);
    // The fused kernel reads a float32 mask with the width of the query's elements (libtorch 2.11
    // to 2.15).
    if (q.scalar_type() == at::kDouble && mask->scalar_type() == at::kFloat) mask = mask->to(at::kDouble);
  }
  // The -infinity of the causal mask must not become infinity.
  if (scale.has_value() && *scale < 0) {
    q = q.neg();
    scale = -*scale;
  }
  if (p == 0) return at::scaled_dot_product_attention(q, k, v, mask, 0.0, causal, scale, grouped);
  if (grouped) {
    k = k.repeat_interleave(q.size(-3) / k.size(-3), -3);
    v = v.repeat_interleave(q.size(-3) / v.size(-3), -3);
  }
  at::Tensor w = weights(q, k, mask, causal, scale.value_or(1 / std::sqrt(static_cast<double>(q.size(-1)))));
  return at::matmul(dropout(w, p, 0, g).to(v.scalar_type()), v);
}

}  // namespace lt
