// Settings of libtorch's MKL, made before anything is computed.

#include <cstdlib>
#include <cstring>

#include "blas.h"

// MKL calls this before it picks kernels, and takes its slow path if the processor is not Intel's.
// The loader finds our function first, since the shim precedes libtorch_cpu in its own lookup
// scope. On a Zen 5 core, a matrix product of 1024 goes from 111 to 220-260 GFLOP/s; on Zen 3 both
// paths are equally fast. LOSSCORR_MKL_INTEL_PATH=0 leaves the choice to MKL.
extern "C" __attribute__((visibility("default"))) int mkl_serv_intel_cpu_true(void) {
#if defined(__x86_64__)
  static const int answer = [] {
    const char* wish = std::getenv("LOSSCORR_MKL_INTEL_PATH");
    if (wish == nullptr || std::strcmp(wish, "0") != 0) return 1;
    __builtin_cpu_init();
    return __builtin_cpu_is("intel") ? 1 : 0;
  }();
  return answer;
#else
  return 0;
#endif
}

namespace lt {

// MKL's vector functions pick their kernels at the first call, without a lock: they write the
// processor's number, then replace it by the number of its kernels. A second thread that reads the
// first number uses the wrong kernel, such as an exp with 16 bits instead of 24. One call while
// there is one thread settles this for all functions.
void settle_vector_functions() {
  using Exp = void(int n, const float* x, float* y, long long mode);
  constexpr long long high_accuracy = 2;
  auto* exp = reinterpret_cast<Exp*>(libtorch_function("vmsExp"));
  if (exp == nullptr) return;  // libtorch without MKL
  float x = 0, y;
  exp(1, &x, &y, high_accuracy);
}

}  // namespace lt
