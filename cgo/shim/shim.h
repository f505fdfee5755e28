// Shared by every file of the shim: converting handles, and the guard that turns C++ exceptions
// into lt_error.
#pragma once

#include <ATen/core/Tensor.h>
#include <c10/core/GradMode.h>

#include <exception>

#include "../api.h"

namespace lt {

// Stale is thrown if a handle's tensor is gone. The autograd engine catches only std::exception.
struct Stale : std::exception {
  const char* what() const noexcept override { return "tensor used after its scope ended"; }
};

// GoPanic is thrown if Go's backward panicked; Go keeps the value under number.
struct GoPanic : std::exception {
  int64_t number;
  explicit GoPanic(int64_t n) : number(n) {}
  const char* what() const noexcept override { return "a panic in a backward written in Go"; }
};

// get returns the tensor behind a handle; throws Stale.
const at::Tensor& get(lt_tensor handle);

// put registers t in this thread's current scope. An undefined tensor gives 0.
lt_tensor put(at::Tensor t);

// opt is get for optional parameters: 0 gives nullopt.
inline std::optional<at::Tensor> opt(lt_tensor handle) {
  if (handle == 0) return std::nullopt;
  return get(handle);
}

std::vector<at::Tensor> list(const lt_tensor* handles, int32_t n);

inline at::IntArrayRef ints(const int64_t* data, int32_t n) { return {data, static_cast<size_t>(n)}; }

at::ScalarType dtype_of(int32_t code);
int32_t code_of(at::ScalarType type);
at::Device device_of(int32_t code);
int32_t code_of(at::Device device);
at::TensorOptions options_of(lt_options o);

// These are compiled in one file because their header takes five seconds.
bool autocast_on(at::DeviceType device);
at::ScalarType autocast_type(at::DeviceType device);

void scope_begin();
void scope_end();           // throws if there is no scope, or if another thread freed one of its tensors
void scope_close() noexcept;  // scope_end for destructors

// caught turns the current exception into an error. It never throws.
lt_error* caught() noexcept;

// guard runs f and is the only way from C++ back to the caller: an exception in Go would end the
// process.
template <class F>
lt_error* guard(F&& f) noexcept {
  try {
    f();
    return nullptr;
  } catch (...) {
    return caught();
  }
}

// made is guard around an expression that returns a tensor.
template <class F>
lt_made made(F&& f) noexcept {
  lt_made result{};
  result.error = guard([&] { result.tensor = put(f()); });
  return result;
}

// pair is made for two tensors.
template <class F>
lt_pair pair(F&& f) noexcept {
  lt_pair result{};
  result.error = guard([&] {
    auto [first, second] = f();
    result.first = put(std::move(first));
    result.second = put(std::move(second));
  });
  return result;
}

}  // namespace lt
