// Functions for the whole process: threads, switches, descriptions.

#include <ATen/Parallel.h>
#include <ATen/Version.h>
#include <torch/version.h>

#include <cstdlib>
#include <cstring>

#include "blas.h"
#include "compat.h"
#include "shim.h"

using namespace lt;

// Neither this nor anything else at a program's start may ask libtorch about CUDA: its answer
// depends on what is loaded at that time, and is final.
lt_error* lt_describe(char** out) {
  return guard([&] { *out = strdup(("version=" TORCH_VERSION "\ncpu_capability=" + at::get_cpu_capability() + "\n").c_str()); });
}

lt_error* lt_build_config(char** out) {
  return guard([&] { *out = strdup((at::show_config() + "\n" + at::get_parallel_info()).c_str()); });
}

lt_error* lt_string_free(char* s) {
  std::free(s);
  return nullptr;
}

lt_error* lt_set_threads(int32_t n) {
  return guard([&] {
    at::set_num_threads(n);
  });
}

lt_error* lt_get_threads(int32_t* out) {
  return guard([&] { *out = at::get_num_threads(); });
}

lt_error* lt_set_flag(int32_t flag, int32_t on) {
  return guard([&] {
    auto& context = at::globalContext();
    switch (flag) {
      case 0: context.setAllowTF32CuBLAS(on != 0); break;
      case 1:
        context.setDeterministicAlgorithms(on != 0, false);
        context.setDeterministicCuDNN(on != 0);
        break;
      case 2: context.setAllowTF32CuDNN(on != 0); break;
      default: TORCH_CHECK_VALUE(false, "unknown flag ", flag);
    }
  });
}
