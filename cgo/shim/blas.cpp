// The functions are looked up in libtorch itself, and in what it is linked to. Weak
// references would do on Linux alone: a Mach-O library does not link with them.

#include "blas.h"

#include <ATen/Parallel.h>
#include <dlfcn.h>

namespace lt {
namespace {

// libtorch is the library that an arbitrary one of its functions is in.
void* libtorch() {
  Dl_info info;
  if (dladdr(reinterpret_cast<void*>(&at::get_num_threads), &info) == 0) return nullptr;
  return dlopen(info.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
}

Blas look_up() {
  void* library = libtorch();
  auto find = [library](const char* name) { return library == nullptr ? nullptr : dlsym(library, name); };
  Blas b{};
  b.gemm = reinterpret_cast<Blas::Gemm*>(find("sgemm_"));
  b.pack_size = reinterpret_cast<Blas::PackSize*>(find("cblas_sgemm_pack_get_size"));
  b.pack = reinterpret_cast<Blas::Pack*>(find("cblas_sgemm_pack"));
  b.compute = reinterpret_cast<Blas::Compute*>(find("cblas_sgemm_compute"));
  if (b.pack_size == nullptr || b.pack == nullptr || b.compute == nullptr) b.pack_size = nullptr;
  return b;
}

}  // namespace

const Blas& blas() {
  static const Blas found = look_up();
  return found;
}

}  // namespace lt
