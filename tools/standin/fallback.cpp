// Every operation without its own kernel runs on the processor, on the device's memory: its
// operands are viewed as CPU tensors, and its results are copied to the device.

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
  bool written;    // by the schema
  bool out;        // named out argument, which may be resized
  std::vector<at::Tensor> there, here;  // on the device, and as the CPU sees it
};

at::Tensor copied(const at::Tensor& seen) {
  at::Tensor c = at::empty_strided(seen.sizes(), seen.strides(), seen.options());
  if (seen.numel() > 0) c.copy_(seen);
  return c;
}

// Operation is an operation for a replay to repeat, on tensors as kernels see them.
struct Operation {
  c10::OperatorHandle op;
  torch::jit::Stack operands;
  std::vector<std::pair<size_t, Draw>> draws;
  struct Out {
    size_t place;
    bool list;
    std::vector<at::Tensor> before, after;  // its memory before, where it may be resized, and after
  };
  std::vector<Out> outs;
  std::vector<std::vector<at::Tensor>> results;  // where they go; undefined: nowhere

  void operator()() const {
    at::AutoDispatchBelowADInplaceOrView below;
    torch::jit::Stack stack = operands;
    for (const auto& [place, draw] : draws) stack[place] = draw.now();
    std::vector<std::vector<at::Tensor>> made;
    for (const Out& out : outs) {
      std::vector<at::Tensor> temporary;
      for (const at::Tensor& t : out.before) temporary.push_back(t.defined() ? copied(t) : t);
      stack[out.place] = out.list ? c10::IValue(temporary) : c10::IValue(temporary[0]);
      made.push_back(temporary);
    }
    op.redispatchBoxed(c10::DispatchKeySet(c10::DispatchKey::CPU), &stack);
    for (size_t i = 0; i < outs.size(); i++) copy(made[i], outs[i].after);
    size_t first = stack.size() - results.size();
    for (size_t i = 0; i < results.size(); i++) {
      if (results[i].empty()) continue;
      const c10::IValue& value = stack[first + i];
      copy(value.isTensor() ? std::vector<at::Tensor>{value.toTensor()} : value.toTensorVector(), results[i]);
    }
  }

  static void copy(const std::vector<at::Tensor>& from, const std::vector<at::Tensor>& to) {
    for (size_t i = 0; i < to.size(); i++)
      if (to[i].defined() && to[i].numel() > 0) to[i].copy_(from[i]);
  }
};

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
    if (recording() != 0) again_.operands.assign(stack_->end() - static_cast<std::ptrdiff_t>(arguments_), stack_->end());
    op_.redispatchBoxed(c10::DispatchKeySet(c10::DispatchKey::CPU), stack_);
    size_t out = 0;
    for (Operand& o : operands_)
      if (o.written && o.out) write_back(o, again_.outs[out++].after);
    results();
    if (recording() != 0) record(again_);
  }

 private:
  const c10::OperatorHandle& op_;
  torch::jit::Stack* stack_;
  size_t arguments_;
  std::vector<Operand> operands_;
  c10::Device device_{c10::kCPU};
  Operation again_{op_, {}, {}, {}, {}};

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
      again_.draws.emplace_back(i, Draw(at(i).toGenerator()));
      at(i) = again_.draws.back().second.now();
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
    const bool out = o.written && o.out;
    std::vector<at::Tensor> seen;
    for (const at::Tensor& t : o.there) {
      const bool device = t.defined() && t.is_cuda();
      seen.push_back(device ? seen_by_kernels(t, o.written) : t);
      o.here.push_back(device && out ? copied(seen.back()) : seen.back());
    }
    if (out) again_.outs.push_back({o.place, !value.isTensor(), seen, {}});
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

  // write_back copies a result to an operand that may have been resized.
  void write_back(const Operand& o, std::vector<at::Tensor>& after) {
    for (size_t i = 0; i < o.there.size(); i++) {
      const at::Tensor &from = o.here[i], &to = o.there[i];
      after.emplace_back();
      if (!to.defined() || !to.is_cuda()) continue;
      if (to.sizes() != from.sizes()) to.resize_(from.sizes());
      after.back() = seen_by_kernels(to, true);
      if (from.numel() > 0) after.back().copy_(from);
    }
  }

  void results() {
    const auto& returns = op_.schema().returns();
    size_t first = stack_->size() - returns.size();
    for (size_t i = 0; i < returns.size(); i++) {
      c10::IValue& value = (*stack_)[first + i];
      auto& places = again_.results.emplace_back();
      auto moved = [&](const at::Tensor& t) {
        at::Tensor there = t.defined() ? to_device(t, device_) : t;
        places.push_back(t.defined() && t.is_cpu() ? seen_by_kernels(there, true) : at::Tensor());
        return there;
      };
      const auto* alias = returns[i].alias_info();
      if (alias != nullptr) {
        TORCH_CHECK(alias->isWrite(), "stand-in: ", op_.schema().name(), " is a view and has no kernel");
        value = original(*alias);
      } else if (value.isTensor() && value.toTensor().defined()) {
        value = moved(value.toTensor());
      } else if (value.isTensorList()) {
        std::vector<at::Tensor> list;
        for (const at::Tensor& t : value.toTensorVector()) list.push_back(moved(t));
        value = list;
      }
    }
  }

  // original returns the operand that is returned as a result.
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

at::Tensor seen_by_kernels(const at::Tensor& t, bool written) {
  if (!t.is_cuda()) return t;
  auto options = at::TensorOptions(t.scalar_type()).device(at::kCPU);
  if (t.numel() == 0) return at::empty_strided(t.sizes(), t.strides(), options);
  char* first = kernel_address(t.storage().data());
  TORCH_INTERNAL_ASSERT(first != nullptr, "stand-in: a tensor without memory of the device");
  touch_address(t.storage().data(), written);
  return at::from_blob(first + t.storage_offset() * t.itemsize(), t.sizes(), t.strides(), options);
}

at::Tensor to_device(const at::Tensor& result, c10::Device device) {
  if (!result.is_cpu()) return result;
  auto strides = result.is_non_overlapping_and_dense() ? result.strides().vec() : at::infer_dense_strides(result.sizes(), result.strides());
  at::Tensor out = at::empty_strided(result.sizes(), strides, result.options().device(device));
  if (result.numel() > 0) seen_by_kernels(out, true).copy_(result);
  return out;
}

std::vector<at::Tensor> kernel(c10::Device device, std::function<std::vector<at::Tensor>()> compute) {
  std::vector<at::Tensor> there, seen;
  for (const at::Tensor& t : compute()) {
    there.push_back(t.defined() ? to_device(t, device) : t);
    seen.push_back(t.defined() ? seen_by_kernels(there.back(), true) : t);
  }
  record([compute = std::move(compute), seen] { Operation::copy(compute(), seen); });
  return there;
}

TORCH_LIBRARY_IMPL(_, CUDA, m) { m.fallback(torch::CppFunction::makeFromBoxedFunction<&fallback>()); }

// CUDA has kernels for these too, where other devices take a composition.
TORCH_LIBRARY_IMPL(aten, CUDA, m) {
  for (const char* name : {"_fused_adagrad_", "native_group_norm", "native_layer_norm"}) m.impl(name, torch::CppFunction::makeFromBoxedFunction<&fallback>());
}

}  // namespace standin
