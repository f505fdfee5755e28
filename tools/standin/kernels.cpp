// Operations without a fallback: memory, views, copies, the value of a scalar.

#include <ATen/EmptyTensor.h>
#include <ATen/ExpandUtils.h>
#include <ATen/core/LegacyTypeDispatch.h>
#include <ATen/native/Copy.h>
#include <ATen/native/TensorIterator.h>
#include <ATen/ops/_local_scalar_dense.h>
#include <ATen/ops/_reshape_alias_native.h>
#include <ATen/ops/as_strided_native.h>
#include <ATen/ops/unfold_native.h>
#include <ATen/ops/view_native.h>
#include <c10/core/DeviceGuard.h>
#include <torch/library.h>

#include <cstring>

#include "standin.h"

namespace standin {
namespace {

constexpr c10::DispatchKeySet cuda_keys(c10::DispatchKey::CUDA);

c10::DeviceGuard on(std::optional<c10::Device> device) {
  c10::Device d = device.value_or(c10::Device(c10::kCUDA));
  return c10::DeviceGuard(d.has_index() ? d : c10::Device(c10::kCUDA, current_device()));
}

void check_empty(std::optional<c10::Layout> layout, std::optional<bool> pin) {
  TORCH_CHECK(layout.value_or(c10::kStrided) == c10::kStrided, "stand-in: a tensor of layout ", *layout);
  TORCH_CHECK(!pin.value_or(false), "Only dense CPU tensors can be pinned");
}

at::Tensor empty(c10::SymIntArrayRef size, std::optional<at::ScalarType> dtype, std::optional<c10::Layout> layout, std::optional<c10::Device> device,
                 std::optional<bool> pin, std::optional<at::MemoryFormat> format) {
  check_empty(layout, pin);
  auto guard = on(device);
  return at::detail::empty_generic(C10_AS_INTARRAYREF_SLOW(size), allocator(), cuda_keys, at::dtype_or_default(dtype), format);
}

at::Tensor empty_strided(c10::SymIntArrayRef size, c10::SymIntArrayRef stride, std::optional<at::ScalarType> dtype, std::optional<c10::Layout> layout,
                         std::optional<c10::Device> device, std::optional<bool> pin) {
  check_empty(layout, pin);
  auto guard = on(device);
  return at::detail::empty_strided_generic(C10_AS_INTARRAYREF_SLOW(size), C10_AS_INTARRAYREF_SLOW(stride), allocator(), cuda_keys, at::dtype_or_default(dtype));
}

// grow gives a storage room for n bytes, and keeps what is in it.
void grow(const c10::Storage& storage, c10::Device device, size_t n) {
  if (storage.nbytes() >= n) return;
  c10::DeviceGuard guard(device);
  c10::DataPtr larger = allocator()->allocate(n);
  if (storage.nbytes() > 0) {
    touch_address(storage.data(), false);
    auto copy = [to = kernel_address(larger.get()), from = kernel_address(storage.data()), n = storage.nbytes()] { std::memcpy(to, from, n); };
    copy();
    record(copy);
  }
  storage.unsafeGetStorageImpl()->set_data_ptr_noswap(std::move(larger));
  storage.unsafeGetStorageImpl()->set_nbytes(n);
}

const at::Tensor& resize_(const at::Tensor& self, c10::SymIntArrayRef size, std::optional<at::MemoryFormat> format) {
  enter(self.device().index());
  auto* impl = self.unsafeGetTensorImpl();
  impl->set_sizes_contiguous(C10_AS_INTARRAYREF_SLOW(size));
  if (format.has_value()) impl->empty_tensor_restride(*format);
  grow(self.storage(), self.device(), (impl->storage_offset() + impl->numel()) * impl->itemsize());
  return self;
}

at::Tensor& set_storage(at::Tensor& self, c10::Storage source, c10::SymInt offset, c10::SymIntArrayRef size, c10::SymIntArrayRef stride) {
  TORCH_CHECK(source.device() == self.device(), "Attempted to set the storage of a tensor on device ", self.device(), " to a storage on different device ",
              source.device(), ".");
  auto sizes = C10_AS_INTARRAYREF_SLOW(size);
  auto* impl = self.unsafeGetTensorImpl();
  impl->set_storage_keep_dtype(source);
  impl->set_storage_offset(offset.expect_int());
  if (stride.empty() && !size.empty()) {
    impl->set_sizes_contiguous(sizes);
  } else {
    impl->set_sizes_and_strides(sizes, C10_AS_INTARRAYREF_SLOW(stride));
  }
  size_t needed = at::detail::computeStorageNbytes(impl->sizes(), impl->strides(), impl->itemsize(), impl->storage_offset());
  TORCH_CHECK(source.nbytes() >= needed, "stand-in: a storage of ", source.nbytes(), " bytes for a tensor of ", needed);
  return self;
}

at::Tensor& set_tensor(at::Tensor& self, const at::Tensor& source) {
  return set_storage(self, source.storage(), source.storage_offset(), source.sym_sizes(), source.sym_strides());
}

at::Tensor as_strided(const at::Tensor& self, c10::SymIntArrayRef size, c10::SymIntArrayRef stride, std::optional<c10::SymInt> offset) {
  return at::native::as_strided_tensorimpl(self, C10_AS_INTARRAYREF_SLOW(size), C10_AS_INTARRAYREF_SLOW(stride),
                                           offset.has_value() ? std::optional(offset->expect_int()) : std::nullopt);
}

at::Tensor view(const at::Tensor& self, c10::SymIntArrayRef size) { return at::native::view(self, C10_AS_INTARRAYREF_SLOW(size)); }

at::Tensor reshape_alias(const at::Tensor& self, c10::SymIntArrayRef size, c10::SymIntArrayRef stride) {
  return at::native::_reshape_alias(self, C10_AS_INTARRAYREF_SLOW(size), C10_AS_INTARRAYREF_SLOW(stride));
}

void move(const at::Tensor& to, const at::Tensor& from) {
  at::AutoDispatchBelowADInplaceOrView below;
  for (const at::Tensor& t : {to, from})
    if (t.is_cuda()) enter(t.device().index());
  if (to.is_cpu() || from.is_cpu()) refuse("a copy between the host and the device");
  at::Tensor source = seen_by_kernels(from);
  if (source.sizes() != to.sizes()) source = source.expand(to.sizes());
  if (to.numel() == 0) return;
  auto copy = [target = seen_by_kernels(to, true), source] {
    at::AutoDispatchBelowADInplaceOrView below;
    target.copy_(source);
  };
  copy();
  record(copy);
}

// read is where the host waits for the current stream, and with it for pinned copies.
void read(c10::DeviceIndex device) {
  land(device);
  settle(device, reached(device, current_stream(device)));
}

// settled is the end of a copy: the host waits for one to its own memory.
void settled(const at::Tensor& to, const at::Tensor& from, bool non_blocking) {
  if (to.is_cuda() && from.is_cpu() && non_blocking) take_off(from, to.device().index());
  if (to.is_cpu() && from.is_cuda()) read(from.device().index());
}

void copy_kernel(at::TensorIterator& iter, bool non_blocking) {
  at::Tensor from(iter.tensor_base(1));
  move(iter.tensor(0), from);
  settled(iter.tensor(0), from, non_blocking);
}

at::Tensor copy_from(const at::Tensor& self, const at::Tensor& to, bool non_blocking) {
  move(to, self);
  settled(to, self, non_blocking);
  return to;
}

at::Tensor copy_from_and_resize(const at::Tensor& self, const at::Tensor& to) {
  if (to.sizes() != self.sizes()) to.resize_(self.sizes());
  move(to, self);
  return to;
}

at::Scalar value_of(const at::Tensor& self) {
  enter(self.device().index());
  refuse("the host reads a value");
  read(self.device().index());
  return at::_local_scalar_dense(seen_by_kernels(self));
}

void record_stream(at::Tensor& self, c10::Stream) { enter(self.device().index()); }

}  // namespace

TORCH_LIBRARY_IMPL(aten, CUDA, m) {
  m.impl("empty.memory_format", empty);
  m.impl("empty_strided", empty_strided);
  m.impl("resize_", resize_);
  m.impl("set_.source_Storage_storage_offset", set_storage);
  m.impl("set_.source_Tensor", set_tensor);
  m.impl("as_strided", as_strided);
  m.impl("view", view);
  m.impl("_reshape_alias", reshape_alias);
  m.impl("unfold", at::native::unfold);
  m.impl("_copy_from", copy_from);
  m.impl("_copy_from_and_resize", copy_from_and_resize);
  m.impl("_local_scalar_dense", value_of);
  m.impl("record_stream", record_stream);
}

}  // namespace standin

namespace at::native {
REGISTER_CUDA_DISPATCH(copy_stub, &standin::copy_kernel)
}  // namespace at::native
