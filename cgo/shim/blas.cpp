// The BLAS of all products of float32 matrices on the CPU: libtorch's own, or another
// library in its place, which is faster on some processors.
//
// libtorch's functions are looked up in libtorch itself, and in what it is linked to. Weak
// references would do on Linux alone: a Mach-O library does not link with them.

#include "blas.h"

#include <ATen/Parallel.h>
#include <dlfcn.h>

#include <atomic>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "shim.h"

namespace lt {

void* libtorch_function(const char* name) {
  static void* const library = []() -> void* {
    Dl_info info;  // of the library that an arbitrary function of libtorch is in
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

// Other is a BLAS from a library.
struct Other {
  Blas blas{};
  void (*set_threads)(int) = nullptr;  // OpenBLAS alone
  std::string name;
};

std::atomic<const Other*> other{nullptr};

// open_blas opens a library. The functions of OpenBLAS's Python package begin with scipy_.
std::unique_ptr<const Other> open_blas(const char* path) {
  void* library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  TORCH_CHECK(library != nullptr, "open the BLAS: ", dlerror());
  auto find = [library](const std::string& name) {
    void* f = dlsym(library, ("scipy_" + name).c_str());
    return f != nullptr ? f : dlsym(library, name.c_str());
  };
  auto o = std::make_unique<Other>();
  o->blas.gemm = reinterpret_cast<Blas::Gemm*>(find("sgemm_"));
  TORCH_CHECK(o->blas.gemm != nullptr, "open the BLAS: ", path, " has no function sgemm_");
  o->set_threads = reinterpret_cast<void (*)(int)>(find("openblas_set_num_threads"));
  auto config = reinterpret_cast<const char* (*)()>(find("openblas_get_config"));
  o->name = config != nullptr ? config() : path;
  TORCH_CHECK(o->name.find("USE64BITINT") == std::string::npos, "open the BLAS: ", path, " counts in integers of 64 bits, and libtorch in 32");
  return o;
}

}  // namespace

const Blas& blas() {
  static const Blas found = look_up();
  const Other* o = other.load(std::memory_order_acquire);
  return o != nullptr ? o->blas : found;
}

void set_blas_threads(int n) {
  const Other* o = other.load(std::memory_order_acquire);
  if (o != nullptr && o->set_threads != nullptr) o->set_threads(n);
}

}  // namespace lt

using namespace lt;

#ifdef __linux__
// libtorch's own products come here, as its question about the processor does to
// mkl_serv_intel_cpu_true.
extern "C" __attribute__((visibility("default"))) void sgemm_(const char* ta, const char* tb, const int* m, const int* n, const int* k, const float* alpha,
                                                              const float* a, const int* lda, const float* b, const int* ldb, const float* beta, float* c,
                                                              const int* ldc) {
  blas().gemm(ta, tb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
}
#endif

lt_error* lt_use_blas(const char* path) {
  return guard([&] {
    static std::mutex lock;
    static std::map<std::string, std::unique_ptr<const Other>> opened;  // never closed: another thread may be in a product
    std::lock_guard<std::mutex> held(lock);
    const Other* next = nullptr;
    if (*path != '\0') {
      auto& o = opened[path];
      if (o == nullptr) o = open_blas(path);
      next = o.get();
    }
    other.store(next, std::memory_order_release);
    set_blas_threads(at::get_num_threads());
  });
}

lt_error* lt_blas_name(char** out) {
  return guard([&] {
    const Other* o = other.load(std::memory_order_acquire);
    *out = strdup(o == nullptr ? "" : o->name.c_str());
  });
}
