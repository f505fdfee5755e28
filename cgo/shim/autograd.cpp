// Differentiation, and functions whose forward and backward are written in Go.

#include <ATen/autocast_mode.h>
#include <ATen/ops/zeros_like.h>
#include <c10/core/AutogradState.h>
#include <torch/csrc/autograd/autograd.h>
#include <torch/csrc/autograd/function.h>
#include <torch/csrc/autograd/functions/utils.h>
#include <torch/csrc/autograd/saved_variable.h>

#include <mutex>

#include "compat.h"
#include "differentiable.h"
#include "shim.h"

using namespace lt;

namespace {

lt_go_backward go_backward = nullptr;

// A node may be destroyed wherever its last tensor is dropped, so this never calls into Go: the
// function joins a list that Go collects.
std::mutex done_mutex;
std::vector<uintptr_t> done;

void finish(uintptr_t function) {
  std::lock_guard lock(done_mutex);
  done.push_back(function);
}

struct Scope {
  Scope() { scope_begin(); }
  ~Scope() { scope_close(); }
};

// OneThread makes the engine run every node, CUDA's too, on the calling thread: Go's backward needs
// its own scope and its locked thread.
struct OneThread {
  bool before = c10::AutogradState::get_tls_state().get_multithreading_enabled();
  OneThread() { c10::AutogradState::get_tls_state().set_multithreading_enabled(false); }
  ~OneThread() { c10::AutogradState::get_tls_state().set_multithreading_enabled(before); }
};

struct Operation : torch::autograd::Node {
  Gradient gradient;
  std::vector<torch::autograd::SavedVariable> saved;

  std::string name() const override { return "Operation"; }

  torch::autograd::variable_list apply(torch::autograd::variable_list&& grads) override {
    Tensors out(num_outputs());
    if (!grads[0].defined()) return out;
    Gradient gradient;
    Tensors kept;
    {
      // Another thread's backward may release the node. Lock only while copying, since the gradient
      // may call backward itself.
      std::lock_guard<std::mutex> lock(mutex_);
      TORCH_CHECK(this->gradient != nullptr, torch::autograd::ERR_BACKWARD_TWICE);
      gradient = this->gradient;
      for (auto& s : saved) kept.push_back(s.unpack(pointer_to<torch::autograd::Node>(*this)));
    }
    std::vector<bool> wanted;
    for (size_t i = 0; i < out.size(); i++) wanted.push_back(task_should_compute_output(i));
    Tensors result = gradient(kept, grads[0], wanted);
    for (size_t i = 0; i < out.size(); i++)
      if (wanted[i]) out[i] = result[i];
    return out;
  }

  void release_variables() override {
    std::lock_guard<std::mutex> lock(mutex_);
    for (auto& s : saved) s.reset_data();
    gradient = nullptr;
  }
};

// GoFunction owns a Go function from its construction on.
struct GoFunction {
  uintptr_t function;

  explicit GoFunction(uintptr_t f) : function(f) {}
  GoFunction(const GoFunction&) = delete;
  ~GoFunction() { finish(function); }

  Tensors backward(const Tensors& saved, const at::Tensor& grad, size_t inputs) const {
    Scope scope;
    std::vector<lt_tensor> kept, results(inputs, 0);
    for (auto& t : saved) kept.push_back(put(t));
    int64_t panic = go_backward(function, put(grad), kept.data(), static_cast<int32_t>(kept.size()), results.data(), static_cast<int32_t>(inputs));
    if (panic != 0) throw GoPanic(panic);
    Tensors out(inputs);
    for (size_t i = 0; i < inputs; i++)
      if (results[i] != 0) out[i] = get(results[i]);
    return out;
  }
};

}  // namespace

at::Tensor lt::with_gradient(const at::Tensor& out, const Tensors& inputs, const Tensors& saved, Gradient gradient) {
  if (!torch::autograd::compute_requires_grad(inputs)) return out;
  auto node = make_node<Operation>();
  node->gradient = std::move(gradient);
  node->set_next_edges(torch::autograd::collect_next_edges(inputs));
  torch::autograd::create_gradient_edge(const_cast<at::Tensor&>(out), node);
  for (const at::Tensor& t : saved) node->saved.emplace_back(t, t.is_same(out));
  return out;
}

bool lt::autocast_on(at::DeviceType device) { return at::autocast::is_autocast_enabled(device); }
at::ScalarType lt::autocast_type(at::DeviceType device) { return at::autocast::get_autocast_dtype(device); }

lt_error* lt_set_backward(lt_go_backward backward) {
  go_backward = backward;
  return nullptr;
}

lt_error* lt_set_grad_mode(int32_t on, int32_t* previous) {
  return guard([&] {
    *previous = c10::GradMode::is_enabled();
    c10::GradMode::set_enabled(on != 0);
  });
}

lt_error* lt_get_grad_mode(int32_t* out) {
  return guard([&] { *out = c10::GradMode::is_enabled(); });
}

lt_error* lt_requires_grad_(lt_tensor t, int32_t on) {
  return guard([&] { get(t).requires_grad_(on != 0); });
}

lt_made lt_grad(lt_tensor t) {
  return made([&] { return get(t).grad(); });
}

lt_error* lt_set_grad(lt_tensor t, lt_tensor grad) {
  return guard([&] {
    const at::Tensor& x = get(t);
    if (grad == 0) {
      x.mutable_grad().reset();
      return;
    }
    const at::Tensor& g = get(grad);
    TORCH_CHECK_VALUE(!g.is_same(x), "a tensor cannot be its own gradient");
    TORCH_CHECK(g.sizes() == x.sizes(), "a gradient of shape ", g.sizes(), " for a tensor of shape ", x.sizes());
    TORCH_CHECK_TYPE(g.scalar_type() == x.scalar_type(), "a gradient of dtype ", g.scalar_type(), " for a tensor of dtype ", x.scalar_type());
    TORCH_CHECK(g.device() == x.device(), "a gradient on ", g.device(), " for a tensor on ", x.device(), ", expected the same device");
    x.mutable_grad() = g;
  });
}

lt_error* lt_backward(lt_tensor t) {
  return guard([&] {
    OneThread one_thread;
    torch::autograd::backward({get(t)}, {});
  });
}

lt_error* lt_gradients(lt_tensor t, const lt_tensor* inputs, int32_t n, int32_t create_graph, lt_tensor* out) {
  return guard([&] {
    OneThread one_thread;
    auto wanted = list(inputs, n);
    auto grads = torch::autograd::grad({get(t)}, wanted, {}, std::optional<bool>(create_graph != 0), create_graph != 0, true);
    // An input that the output does not depend on has a zero gradient.
    for (int32_t i = 0; i < n; i++) out[i] = put(grads[i].defined() ? grads[i] : at::zeros_like(wanted[i]));
  });
}

lt_made lt_function_apply(uintptr_t function, const lt_tensor* inputs, int32_t n, lt_tensor output, const lt_tensor* saved, int32_t n_saved) {
  std::shared_ptr<GoFunction> owned;
  lt_error* failed = guard([&] { owned = std::make_shared<GoFunction>(function); });
  if (failed != nullptr) {
    finish(function);
    return {0, failed};
  }
  return made([&] {
    return with_gradient(get(output).detach(), list(inputs, n), list(saved, n_saved),
                         [owned](const Tensors& kept, const at::Tensor& grad, const std::vector<bool>& wanted) {
                           return owned->backward(kept, grad, wanted.size());
                         });
  });
}

lt_error* lt_functions_done(uintptr_t* functions, int32_t capacity, int32_t* n) {
  return guard([&] {
    std::lock_guard lock(done_mutex);
    *n = static_cast<int32_t>(std::min(done.size(), static_cast<size_t>(capacity)));
    std::copy(done.end() - *n, done.end(), functions);
    done.resize(done.size() - *n);
  });
}

lt_error* lt_set_autocast(int32_t device, int32_t dtype, int32_t on, int32_t* previous_dtype, int32_t* previous_on) {
  return guard([&] {
    at::DeviceType type = device_of(device).type();
    *previous_dtype = code_of(at::autocast::get_autocast_dtype(type));
    *previous_on = at::autocast::is_autocast_enabled(type);
    at::autocast::set_autocast_dtype(type, dtype_of(dtype));
    at::autocast::set_autocast_enabled(type, on != 0);
    if (!on) at::autocast::clear_cache();
  });
}
