// The reference for Go's overhead per operation: the same operation in a C++ loop.

#include <chrono>

#include "shim.h"

using namespace lt;

lt_error* lt_bench_add(lt_tensor t, lt_tensor u, int64_t n, double* nanoseconds) {
  return guard([&] {
    const at::Tensor &a = get(t), &b = get(u);
    auto start = std::chrono::steady_clock::now();
    for (int64_t i = 0; i < n; i++) at::Tensor sum = a.add(b);
    *nanoseconds = std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - start).count() / static_cast<double>(n);
  });
}
