#include "limit.h"

#include <c10/core/WrapDimMinimal.h>

#include "shim.h"

namespace lt {
namespace {

constexpr int64_t most_bytes = int64_t{1} << 33, most_elements = int64_t{1} << 31, most_steps = 1 << 20;

thread_local bool limited = false;

void check_made(const at::Tensor& t) {
  if (t.defined())
    TORCH_CHECK_VALUE(t.numel() <= most_elements, "it makes ", t.numel(), " elements, and a node of a graph may make ", most_elements,
                      ": give the network fewer examples at a time");
}

// parts is how many tensors a call makes of one; 0 where it does not take one apart.
int64_t parts(const Call& call, const Frame& frame) {
  auto number = [&](const char* name) { return call.value(name, frame).toInt(); };
  if (call.find("sections") != nullptr) return number("sections");
  if (call.find("tensor_indices_or_sections") != nullptr) {
    const at::Tensor t = call.value("tensor_indices_or_sections", frame).toTensor();
    return t.dim() == 0 ? t.item<int64_t>() : t.numel() + 1;
  }
  if (call.value("split_size", frame).isList()) return call.value("split_size", frame).toListRef().size();
  const bool split = call.find("split_size") != nullptr, chunk = call.find("chunks") != nullptr;
  if (!split && !chunk && call.op->schema().name() != "aten::unbind") return 0;
  const at::Tensor self = call.value("self", frame).toTensor();
  if (self.dim() == 0) return 0;  // libtorch's own error
  const int64_t size = self.size(c10::maybe_wrap_dim(number("dim"), self.dim()));
  int64_t each = 1;
  if (split) each = number("split_size");
  if (chunk) {
    const int64_t n = number("chunks");
    if (size == 0) return n;
    if (n > 0) each = (size - 1) / n + 1;
  }
  return each <= 0 ? 0 : (size - 1) / each + 1;
}

}  // namespace

Limited::Limited() { limited = true; }
Limited::~Limited() { limited = false; }

void check_bytes(size_t n) {
  TORCH_CHECK_VALUE(!limited || n <= static_cast<size_t>(most_bytes), "it needs ", n, " bytes at once, and a node of a graph may take ", most_bytes,
                    ": give the network fewer examples at a time");
}

bool takes_many(const Call& call) {
  const auto& returns = call.op->schema().returns();
  return call.find("num_layers") != nullptr || (returns.size() == 1 && returns[0].type()->kind() == c10::TypeKind::ListType);
}

void check_taken(const Call& call, const Frame& frame, size_t outputs) {
  if (call.find("num_layers") == nullptr) {
    const int64_t n = parts(call, frame);
    TORCH_CHECK_VALUE(n <= static_cast<int64_t>(outputs), "it makes ", n, " tensors, and the graph has names for ", outputs);
    return;
  }
  auto check = [](const at::Tensor& t) {
    for (int64_t n : t.sizes()) TORCH_CHECK_VALUE(n <= most_steps, "a recurrent layer of ", n, " steps: a node of a graph may have ", most_steps);
  };
  check(call.value("input", frame).toTensor());
  const c10::IValue states = call.value("hx", frame);
  if (states.isTensor()) check(states.toTensor());
  if (states.isTensorList())
    for (const at::Tensor& t : states.toTensorVector()) check(t);
}

void check_made(const torch::jit::Stack& results) {
  for (const c10::IValue& v : results) {
    if (v.isTensor()) check_made(v.toTensor());
    if (v.isTensorList())
      for (const at::Tensor& t : v.toTensorVector()) check_made(t);
  }
}

}  // namespace lt
