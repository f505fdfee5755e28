// Making, moving and reading tensors.

#include <ATen/ops/arange.h>
#include <ATen/ops/from_blob.h>
#include <ATen/ops/stack.h>

#include "shim.h"
#include "sparse.h"

namespace lt {

at::ScalarType dtype_of(int32_t code) {
  static constexpr at::ScalarType types[] = {at::kFloat, at::kDouble, at::kBFloat16, at::kHalf, at::kLong, at::kInt, at::kByte, at::kBool};
  TORCH_CHECK(code >= 0 && code < 8, "unknown dtype code ", code);
  return types[code];
}

int32_t code_of(at::ScalarType type) {
  for (int32_t code = 0; code < 8; code++)
    if (dtype_of(code) == type) return code;
  TORCH_CHECK_TYPE(false, "dtype ", c10::toString(type), " has no counterpart");
}

at::Device device_of(int32_t code) {
  if (code == 0) return at::kCPU;
  return at::Device(at::kCUDA, static_cast<c10::DeviceIndex>(code & 0xff));
}

int32_t code_of(at::Device device) { return device.is_cpu() ? 0 : 0x100 | (device.has_index() ? device.index() : 0); }

at::TensorOptions options_of(lt_options o) { return at::TensorOptions(dtype_of(o.dtype)).device(device_of(o.device)); }

}  // namespace lt

using namespace lt;

lt_facts lt_info(lt_tensor t) {
  lt_facts facts{};
  facts.error = guard([&] {
    const at::Tensor& x = get(t);
    TORCH_CHECK(x.dim() <= LT_MAX_DIM, "tensors of more than ", int(LT_MAX_DIM), " dimensions are not supported");
    facts.dtype = code_of(x.scalar_type());
    facts.device = code_of(x.device());
    facts.dim = static_cast<int32_t>(x.dim());
    facts.requires_grad = x.requires_grad();
    facts.sparse = is_csr(x);
    facts.numel = x.numel();
    std::copy_n(x.sizes().begin(), x.dim(), facts.shape);
    if (!is_csr(x)) std::copy_n(x.strides().begin(), x.dim(), facts.stride);
  });
  return facts;
}

lt_made lt_from_data(const void* data, const int64_t* shape, int32_t dim, lt_options o) {
  return made([&] {
    at::Tensor borrowed = at::from_blob(const_cast<void*>(data), ints(shape, dim), at::TensorOptions(dtype_of(o.dtype)));
    return o.device == 0 ? borrowed.clone() : borrowed.to(device_of(o.device));
  });
}

lt_error* lt_copy_out(lt_tensor t, void* dst, int64_t bytes) {
  return guard([&] {
    at::Tensor x = dense(get(t).detach()).to(at::kCPU).contiguous();
    TORCH_CHECK(static_cast<int64_t>(x.nbytes()) == bytes, "tensor holds ", x.nbytes(), " bytes, asked for ", bytes);
    if (bytes > 0) std::memcpy(dst, x.const_data_ptr(), bytes);
  });
}

lt_made lt_arange(double start, double end, double step, lt_options o) {
  return made([&] {
    bool whole = c10::isIntegralType(dtype_of(o.dtype), false);
    auto s = [whole](double v) { return whole ? at::Scalar(static_cast<int64_t>(v)) : at::Scalar(v); };
    return at::arange(s(start), s(end), s(step), options_of(o));
  });
}

lt_made lt_to(lt_tensor t, lt_options o, int32_t non_blocking) {
  return made([&] {
    // Otherwise the host would read what a GPU has not written yet.
    at::Device device = device_of(o.device);
    return get(t).to(device, dtype_of(o.dtype), non_blocking != 0 && device.is_cuda());
  });
}

// One transfer for all: on a GPU each .item() would wait for the device.
lt_error* lt_items(const lt_tensor* ts, int32_t n, double* out) {
  return guard([&] {
    std::vector<at::Tensor> flat;
    flat.reserve(n);
    for (int32_t i = 0; i < n; i++) {
      const at::Tensor& x = get(ts[i]);
      TORCH_CHECK(x.numel() == 1, "a tensor of size ", x.sizes(), " is not a scalar");
      if (x.is_cpu()) {
        out[i] = x.item().toDouble();
      } else {
        flat.push_back(x.detach().reshape({}).to(at::kDouble));
      }
    }
    if (flat.empty()) return;
    at::Tensor host = (flat.size() == 1 ? flat[0].reshape({1}) : at::stack(flat)).to(at::kCPU);
    for (int32_t i = 0, j = 0; i < n; i++)
      if (!get(ts[i]).is_cpu()) out[i] = host.const_data_ptr<double>()[j++];
  });
}
