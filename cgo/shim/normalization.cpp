// Normalisation within an example: over its last dimensions, or over groups of its channels.

#include "normalization.h"

#include "differentiable.h"
#include "shim.h"

namespace lt {

at::Tensor known(const at::Tensor& t, const std::optional<at::Tensor>& weight, const std::optional<at::Tensor>& bias) {
  Tensors inputs{t};
  for (const auto& p : {weight, bias})
    if (p.has_value() && p->requires_grad()) inputs.push_back(*p);
  if (inputs.size() == 1 || !t.is_cpu() || !t.is_floating_point() || !c10::GradMode::is_enabled()) return t;
  return with_gradient(t.detach(), inputs, {}, [](const Tensors&, const at::Tensor& grad, const std::vector<bool>& wanted) {
    Tensors out(wanted.size());
    if (wanted[0]) out[0] = grad;
    return out;
  });
}

}  // namespace lt
