// libtorch's BLAS. Its functions are looked up in libtorch and the libraries it is linked to. Weak
// references would work only on Linux: a Mach-O library does not link with them.

#include "blas.h"

#include <ATen/Parallel.h>
#include <dlfcn.h>

namespace lt {

void* libtorch_function(const char* name) {
  static void* const library = []() -> void* {
    Dl_info info;  // of the library with an arbitrary libtorch function
    if (dladdr(reinterpret_cast<void*>(&at::get_num_threads), &info) == 0) return nullptr;
    return dlopen(info.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
  }();
  return library == nullptr ? nullptr : dlsym(library, name);
}

namespace {

Blas look_up() {
  Blas b{};
  b.gemm = reinterpret_cast<Blas::Gemm*>(libtorch_function("sgemm_"));
  b.pack_size = reinterpret_cast<Blas::PackSize*>(libtorch_function("cblas_sgemm_pack_get_size"));
  b.pack = reinterpret_cast<Blas::Pack*>(libtorch_function("cblas_sgemm_pack"));
  b.compute = reinterpret_cast<Blas::Compute*>(libtorch_function("cblas_sgemm_compute"));
  if (b.pack_size == nullptr || b.pack == nullptr || b.compute == nullptr) b.pack_size = nullptr;
  return b;
}

}  // namespace

const Blas& blas() {
  static const Blas found = look_up();
  return found;
}

}  // namespace lt
