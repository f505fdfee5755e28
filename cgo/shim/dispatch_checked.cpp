// Operations of a graph that libtorch computes wrongly for some arguments, or whose result would be
// uninitialised memory.

#include <map>

#include "dispatch.h"
#include "normalization.h"
#include "shim.h"
#include "window.h"

namespace lt {
namespace {

using c10::IValue;
using torch::jit::Stack;

// given returns an argument that may be None or missing from the schema.
std::optional<at::Tensor> given(const Call& call, const Frame& frame, const char* name) {
  const IValue v = call.value(name, frame);
  if (!v.isTensor() || !v.toTensor().defined()) return std::nullopt;
  return v.toTensor();
}

// convolution gives oneDNN only what it computes correctly; see Window::pad.
void convolution(const Call& call, Frame& frame, Stack& stack) {
  const IValue transposed = call.value("transposed", frame), around = call.value("padding", frame);
  const at::Tensor x = call.value("input", frame).toTensor(), weight = call.value("weight", frame).toTensor();
  const int64_t n = weight.dim() - 2;
  if (n <= 0 || (transposed.isBool() && transposed.toBool())) return call.run(frame, stack);
  auto numbers = [&](const char* name) {
    std::vector<int64_t> of = call.value(name, frame).toIntVector();
    if (of.size() == 1) of.resize(n, of[0]);
    TORCH_CHECK_VALUE(static_cast<int64_t>(of.size()) == n, of.size(), " numbers of ", name, " for ", n, " dimensions of images");
    return of;
  };
  // "same" is for strides of 1, and depends only on the kernel's dilation.
  const bool named = around.isString(), same = named && around.toStringRef() == "same";
  Window window(weight, numbers("stride"), named ? std::vector<int64_t>(n) : numbers("padding"), numbers("dilation"));
  const at::Tensor fit = same ? x : window.pad(x, weight);
  call.push(frame, stack);
  call.set(stack, "input", fit);
  call.set(stack, "stride", window.stride);
  if (!named) call.set(stack, "padding", window.padding);
  call.set(stack, "dilation", window.dilation);
  call.op->callBoxed(stack);
}

// batch_norm refuses input without variance, as Python's function does: the running variance would
// become NaN for good.
void batch_norm(const Call& call, Frame& frame, Stack& stack) {
  if (call.value("training", frame).toBool()) {
    at::Tensor x = call.value("input", frame).toTensor();
    TORCH_CHECK_VALUE(x.dim() < 2 || x.numel() > x.size(1), "batch norm needs more than one value per channel in training, got shape ", x.sizes());
  }
  call.run(frame, stack);
}

void group_norm(const Call& call, Frame& frame, Stack& stack) {
  const at::Tensor x = call.value("input", frame).toTensor();
  call.push(frame, stack);
  call.set(stack, "input", known(x, given(call, frame, "weight"), given(call, frame, "bias")));
  call.op->callBoxed(stack);
}

// zeroed replaces uninitialised results of a graph by zeros: the memory's former content may not
// even be a valid boolean.
void zeroed(const Call& call, Frame& frame, Stack& stack) {
  call.run(frame, stack);
  stack.back().toTensor().zero_();
}

const std::map<std::string, Special> checked{
    {"conv1d", convolution},
    {"conv2d", convolution},
    {"conv3d", convolution},
    {"convolution", convolution},
    {"batch_norm", batch_norm},
    {"group_norm", group_norm},
    {"native_group_norm", group_norm},
    {"empty", zeroed},
    {"empty_like", zeroed},
    {"empty_permuted", zeroed},
    {"new_empty", zeroed},
};

}  // namespace

Special checked_node(const std::string& name) {
  constexpr size_t prefix = 6;  // "aten::"
  auto found = name.size() > prefix && name.compare(0, prefix, "aten::") == 0 ? checked.find(name.substr(prefix)) : checked.end();
  return found == checked.end() ? nullptr : found->second;
}

}  // namespace lt
