// Every operation without a kernel of its own runs on the processor, on the device's memory: its
// operands are seen as tensors of the CPU, and what it makes is copied to the device.

#include <ATen/ExpandUtils.h>
#include <ATen/core/LegacyTypeDispatch.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/core/op_registration/adaption.h>
#include <ATen/ops/empty_strided.h>
#include <ATen/ops/from_blob.h>
#include <torch/library.h>

#include <set>

#include "standin.h"

namespace standin {
namespace {

bool one_of(const std::set<std::string>& names, const c10::OperatorHandle& op) { return names.contains(op.schema().name()); }

// Indices may lie on the CPU.
const std::set<std::string> mixed{"aten::index", "aten::index_put_", "aten::_index_put_impl_", "aten::index_put"};
const std::set<std::string> of_cublas{"aten::mm", "aten::addmm", "aten::bmm", "aten::baddbmm", "aten::addmv", "aten::dot", "aten::_addmm_activation"};
// They draw from libtorch's global generator.
const std::set<std::string> of_global{"aten::native_dropout"};

struct Operand {
  size_t place;    // in the stack, from the bottom
  bool written;    // the schema says so
  bool out;        // as an argument by name, which may be resized
  std::vector<at::Tensor> there, here;  // on the device, and as the CPU sees it
};

at::Tensor copied(const at::Tensor& t) {
  at::Tensor c = at::empty_strided(t.sizes(), t.strides(), t.options().device(at::kCPU));
  if (t.numel() > 0) c.copy_(seen_by_kernels(t));
  return c;
}

at::Tensor here(const at::Tensor& t, bool out) {
  if (!t.defined() || !t.is_cuda()) return t;
  return out ? copied(t) : seen_by_kernels(t);
}

void write_back(const at::Tensor& from, const at::Tensor& to) {
  if (!to.defined() || !to.is_cuda()) return;
  if (to.sizes() != from.sizes()) to.resize_(from.sizes());
  if (from.numel() > 0) seen_by_kernels(to).copy_(from);
}

// Call is one operation with its operands.
class Call {
 public:
  Call(const c10::OperatorHandle& op, torch::jit::Stack* stack) : op_(op), stack_(stack), arguments_(op.schema().arguments().size()) {
    collect();
    device_ = device();
    enter(device_.index(), one_of(of_cublas, op) ? Library::cublas : Library::cuda);
    check_draws();
  }

  void run() {
    for (Operand& o : operands_) replace(o);
    for (size_t i = 0; i < arguments_; i++)
      if (at(i).isDevice()) at(i) = c10::Device(c10::kCPU);
    op_.redispatchBoxed(c10::DispatchKeySet(c10::DispatchKey::CPU), stack_);
    for (Operand& o : operands_)
      if (o.written && o.out)
        for (size_t i = 0; i < o.there.size(); i++) write_back(o.here[i], o.there[i]);
    results();
  }

 private:
  const c10::OperatorHandle& op_;
  torch::jit::Stack* stack_;
  size_t arguments_;
  std::vector<Operand> operands_;
  c10::Device device_{c10::kCPU};

  c10::IValue& at(size_t i) { return (*stack_)[stack_->size() - arguments_ + i]; }

  void collect() {
    for (size_t i = 0; i < arguments_; i++) {
      const c10::Argument& argument = op_.schema().arguments()[i];
      const auto* alias = argument.alias_info();
      Operand o{i, alias != nullptr && alias->isWrite(), argument.kwarg_only(), {}, {}};
      const c10::IValue& value = at(i);
      if (value.isTensor()) {
        o.there = {value.toTensor()};
      } else if (value.isTensorList()) {
        o.there = value.toTensorVector();
      } else if (value.isOptionalTensorList()) {
        for (const std::optional<at::Tensor>& t : value.toOptionalTensorVector()) o.there.push_back(t.value_or(at::Tensor()));
      } else {
        continue;
      }
      operands_.push_back(std::move(o));
    }
  }

  c10::Device device() {
    std::vector<at::Tensor> all;
    for (const Operand& o : operands_)
      for (const at::Tensor& t : o.there)
        if (t.defined() && !(one_of(mixed, op_) && t.is_cpu())) all.push_back(t);
    if (!all.empty()) return common_device(all, op_.schema().name().c_str());
    for (size_t i = 0; i < arguments_; i++)
      if (at(i).isDevice()) return at(i).toDevice();
    return {c10::kCUDA, current_device()};
  }

  void check_draws() {
    TORCH_CHECK(!one_of(of_global, op_), "stand-in: ", op_.schema().name(), " draws from libtorch's global generator");
    for (size_t i = 0; i < arguments_; i++) {
      if (op_.schema().arguments()[i].name() != "generator" || !training()) continue;
      TORCH_CHECK(at(i).isGenerator(), "stand-in: ", op_.schema().name(), " draws from libtorch's global generator");
      at(i) = drawn(at(i).toGenerator());
    }
  }

  // training is false for an operation that draws when training alone, and is not.
  bool training() {
    for (size_t i = 0; i < arguments_; i++)
      if (op_.schema().arguments()[i].name() == "training") return at(i).toBool();
    return true;
  }

  void replace(Operand& o) {
    c10::IValue& value = at(o.place);
    for (const at::Tensor& t : o.there) o.here.push_back(here(t, o.written && o.out));
    if (value.isTensor()) {
      value = o.here[0];
    } else if (value.isTensorList()) {
      value = o.here;
    } else {
      std::vector<std::optional<at::Tensor>> list;
      for (const at::Tensor& t : o.here) list.push_back(t.defined() ? std::optional(t) : std::nullopt);
      value = list;
    }
  }

  void results() {
    const auto& returns = op_.schema().returns();
    size_t first = stack_->size() - returns.size();
    for (size_t i = 0; i < returns.size(); i++) {
      c10::IValue& value = (*stack_)[first + i];
      const auto* alias = returns[i].alias_info();
      if (alias != nullptr) {
        TORCH_CHECK(alias->isWrite(), "stand-in: ", op_.schema().name(), " is a view and has no kernel");
        value = original(*alias);
      } else if (value.isTensor() && value.toTensor().defined()) {
        value = to_device(value.toTensor(), device_);
      } else if (value.isTensorList()) {
        std::vector<at::Tensor> list;
        for (const at::Tensor& t : value.toTensorVector()) list.push_back(t.defined() ? to_device(t, device_) : t);
        value = list;
      }
    }
  }

  // original is the operand that a result is.
  c10::IValue original(const c10::AliasInfo& alias) {
    for (const Operand& o : operands_) {
      const auto* own = op_.schema().arguments()[o.place].alias_info();
      if (own != nullptr && *own == alias) return o.there.size() == 1 ? c10::IValue(o.there[0]) : c10::IValue(o.there);
    }
    TORCH_CHECK(false, "stand-in: ", op_.schema().name(), " returns an operand that it does not have");
  }
};

void fallback(const c10::OperatorHandle& op, torch::jit::Stack* stack) {
  at::AutoDispatchBelowADInplaceOrView below;
  Call(op, stack).run();
}

}  // namespace

c10::Device common_device(at::ArrayRef<at::Tensor> operands, const char* kernel) {
  std::optional<c10::Device> device;
  for (const at::Tensor& t : operands)
    if (t.is_cuda() && !device) device = t.device();
  TORCH_CHECK(device.has_value(), "stand-in: ", kernel, " without an operand on a device");
  for (const at::Tensor& t : operands) {
    TORCH_CHECK(t.layout() == c10::kStrided, "stand-in: ", kernel, " of a tensor of layout ", t.layout());
    TORCH_CHECK(t.device() == *device || (t.is_cpu() && t.dim() == 0), "Expected all tensors to be on the same device, but got one on ", t.device(),
                ", different from other tensors on ", *device, " (when checking arguments of ", kernel, ")");
  }
  return *device;
}

at::Tensor seen_by_kernels(const at::Tensor& t) {
  if (!t.is_cuda()) return t;
  auto options = at::TensorOptions(t.scalar_type()).device(at::kCPU);
  if (t.numel() == 0) return at::empty_strided(t.sizes(), t.strides(), options);
  char* first = kernel_address(t.storage().data());
  TORCH_INTERNAL_ASSERT(first != nullptr, "stand-in: a tensor without memory of the device");
  return at::from_blob(first + t.storage_offset() * t.itemsize(), t.sizes(), t.strides(), options);
}

at::Tensor to_device(const at::Tensor& result, c10::Device device) {
  if (!result.is_cpu()) return result;
  auto strides = result.is_non_overlapping_and_dense() ? result.strides().vec() : at::infer_dense_strides(result.sizes(), result.strides());
  at::Tensor out = at::empty_strided(result.sizes(), strides, result.options().device(device));
  if (result.numel() > 0) seen_by_kernels(out).copy_(result);
  return out;
}

TORCH_LIBRARY_IMPL(_, CUDA, m) { m.fallback(torch::CppFunction::makeFromBoxedFunction<&fallback>()); }

// CUDA has kernels for these too, where other devices take a composition.
TORCH_LIBRARY_IMPL(aten, CUDA, m) {
  for (const char* name : {"_fused_adagrad_", "native_group_norm", "native_layer_norm"}) m.impl(name, torch::CppFunction::makeFromBoxedFunction<&fallback>());
}

}  // namespace standin
