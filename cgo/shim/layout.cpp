#include "layout.h"

#include <c10/core/MemoryFormat.h>

namespace lt {

at::Tensor regular(const at::Tensor& t) {
  if (!t.is_cpu()) return t;
  const at::MemoryFormat format = t.suggest_memory_format();
  const bool channels_last = format == at::MemoryFormat::ChannelsLast && t.dim() == 4;
  std::vector<int64_t> expected = channels_last ? c10::get_channels_last_strides_2d(t.sizes()) : std::vector<int64_t>(t.dim());
  int64_t next = 1;
  for (int64_t d = channels_last ? -1 : t.dim() - 1; d >= 0; d--) {
    expected[d] = next;
    next *= std::max<int64_t>(t.size(d), 1);
  }
  if (t.strides() == at::IntArrayRef(expected)) return t;
  return t.clone(channels_last ? format : at::MemoryFormat::Contiguous);
}

std::vector<at::Tensor> regular(std::vector<at::Tensor> ts) {
  for (at::Tensor& t : ts) t = regular(t);
  return ts;
}

bool plain(const at::Tensor& t, int64_t dim) {
  return t.is_cpu() && t.scalar_type() == at::kFloat && t.dim() == dim && t.is_contiguous() && t.numel() > 0 && t.numel() < (1 << 30);
}

void check_like(const at::Tensor& param, const at::Tensor& t, const char* what) {
  TORCH_CHECK(t.sizes() == param.sizes(), what, " has shape ", t.sizes(), ", its parameter ", param.sizes());
  TORCH_CHECK_TYPE(t.scalar_type() == param.scalar_type(), what, " has dtype ", t.scalar_type(), ", its parameter ", param.scalar_type());
  TORCH_CHECK(t.device() == param.device(), what, " is on ", t.device(), ", its parameter on ", param.device(), ", expected the same device");
}

}  // namespace lt
