// Operations of a graph whose arguments are checked here. Python's layers compute these
// arguments, and libtorch takes them as they are: it reads and writes beyond its tensors
// where they are wrong, as they may be in a file of others.

#include <map>

#include "dispatch.h"
#include "lstm_check.h"
#include "normalization.h"
#include "shim.h"
#include "window.h"

namespace lt {
namespace {

using c10::IValue;
using torch::jit::Stack;

// given is an argument that may be None or left out of the schema.
std::optional<at::Tensor> given(const Call& call, const Frame& frame, const char* name) {
  const IValue v = call.value(name, frame);
  if (!v.isTensor() || !v.toTensor().defined()) return std::nullopt;
  return v.toTensor();
}

// convolution gives oneDNN only what it computes right; see Window::pad.
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
  // "same" is for strides of 1, where the kernel's own dilation is all that matters.
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

// batch_norm refuses what has no variance, as Python's function does: the running
// variance would be NaN for good.
void batch_norm(const Call& call, Frame& frame, Stack& stack) {
  if (call.value("training", frame).toBool()) {
    at::Tensor x = call.value("input", frame).toTensor();
    TORCH_CHECK_VALUE(x.dim() < 2 || x.numel() > x.size(1), "batch norm needs more than one value a channel in training, it was given ", x.sizes());
  }
  call.run(frame, stack);
}

void check_channels(const at::Tensor& x, const std::optional<at::Tensor>& t, const char* name) {
  if (t.has_value()) TORCH_CHECK(t->dim() == 1 && t->size(0) == x.size(1), name, " of shape ", t->sizes(), " for examples of shape ", x.sizes());
}

// native_batch_norm is batch norm as graphs in functional form have it.
void native_batch_norm(const Call& call, Frame& frame, Stack& stack) {
  const at::Tensor x = call.value("input", frame).toTensor();
  TORCH_CHECK(x.dim() >= 2, "examples of shape ", x.sizes(), ", expected [N C ..]");
  for (const char* name : {"weight", "bias", "running_mean", "running_var"}) check_channels(x, given(call, frame, name), name);
  const IValue training = call.value("training", frame);
  TORCH_CHECK_VALUE((training.isBool() && training.toBool()) || (given(call, frame, "running_mean") && given(call, frame, "running_var")),
                    "batch norm in evaluation has no running moments");
  call.run(frame, stack);
}

void group_norm(const Call& call, Frame& frame, Stack& stack) {
  const at::Tensor x = call.value("input", frame).toTensor();
  const auto weight = given(call, frame, "weight"), bias = given(call, frame, "bias");
  if (call.find("HxW") != nullptr) {  // native_group_norm, which is told the sizes
    auto size = [&](const char* name) { return call.value(name, frame).toInt(); };
    TORCH_CHECK(x.dim() >= 2 && x.numel() > 0 && size("N") == x.size(0) && size("C") == x.size(1) && size("HxW") == x.numel() / (x.size(0) * x.size(1)),
                "sizes N ", size("N"), ", C ", size("C"), " and HxW ", size("HxW"), " for examples of shape ", x.sizes());
    TORCH_CHECK_VALUE(size("group") > 0, size("group"), " groups");
    check_channels(x, weight, "weight");
    check_channels(x, bias, "bias");
  }
  call.push(frame, stack);
  call.set(stack, "input", known(x, weight, bias));
  call.op->callBoxed(stack);
}

// weight_norm is g v / |v|, with a g for each slice of v along dim, or one for all (-1).
void weight_norm(const Call& call, Frame& frame, Stack& stack) {
  const at::Tensor v = call.value("v", frame).toTensor(), g = call.value("g", frame).toTensor();
  const int64_t dim = call.value("dim", frame).toInt();
  TORCH_CHECK_INDEX(dim >= -1 && dim < v.dim(), "dimension ", dim, " of a weight of shape ", v.sizes());
  TORCH_CHECK(g.numel() == (dim == -1 ? 1 : v.size(dim)) && g.scalar_type() == v.scalar_type(), "a magnitude of shape ", g.sizes(), " and dtype ",
              g.scalar_type(), " for dimension ", dim, " of a weight of shape ", v.sizes(), " and dtype ", v.scalar_type());
  call.run(frame, stack);
}

void lstm(const Call& call, Frame& frame, Stack& stack) {
  const auto states = call.value("hx", frame).toTensorVector(), weights = call.value("params", frame).toTensorVector();
  const bool bidirectional = call.value("bidirectional", frame).toBool();
  const int64_t layers = call.value("num_layers", frame).toInt(), cells = bidirectional ? 2 * layers : layers;
  TORCH_CHECK_VALUE(states.size() == 2, states.size(), " states, expected those of h and of c");
  // With projections, where h is shorter than c, libtorch composes it of operations that check.
  if (states[0].dim() != 3 || states[1].dim() != 3 || states[0].size(2) == states[1].size(2)) {
    check_lstm(call.value("input", frame).toTensor(), states[0], states[1], weights, layers, bidirectional, call.value("batch_first", frame).toBool());
    const int64_t each = call.value("has_biases", frame).toBool() ? 4 : 2;
    TORCH_CHECK(static_cast<int64_t>(weights.size()) == each * cells, weights.size(), " parameters, expected ", each, " for each of ", cells, " cells");
  }
  call.run(frame, stack);
}

// zeroed is what a graph leaves unset: not what was in memory before, which is no truth
// value either.
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
    {"native_batch_norm", native_batch_norm},
    {"_native_batch_norm_legit", native_batch_norm},
    {"_native_batch_norm_legit_functional", native_batch_norm},
    {"_native_batch_norm_legit_no_training", native_batch_norm},
    {"group_norm", group_norm},
    {"native_group_norm", group_norm},
    {"_weight_norm", weight_norm},
    {"lstm", lstm},
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
