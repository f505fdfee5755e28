// The CUDA shim: everything that needs CUDA's headers. It is a separate library, opened only when a
// CUDA device is requested.

#include <ATen/Context.h>
#include <ATen/detail/CUDAHooksInterface.h>
#include <c10/cuda/CUDACachingAllocator.h>
#include <c10/cuda/CUDAFunctions.h>
#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/CUDAStream.h>
#include <cuda_runtime_api.h>

#include <cstring>
#include <string>

#include "shim.h"

using namespace lt;

namespace {

void check(cudaError_t code) { TORCH_CHECK(code == cudaSuccess, "CUDA error: ", cudaGetErrorString(code)); }

c10::DeviceIndex index_of(int32_t index) { return static_cast<c10::DeviceIndex>(index); }

int64_t current(const c10::CachingDeviceAllocator::StatArray& stats) {
  return stats[static_cast<size_t>(c10::CachingAllocator::StatType::AGGREGATE)].current;
}

// with_allocator initialises libtorch's allocator, which has no statistics and throws before the
// first tensor.
void with_allocator() { at::globalContext().lazyInitDevice(c10::DeviceType::CUDA); }

}  // namespace

// Call this right after opening this library. libtorch makes its CUDA hooks once, when first asked
// about CUDA: they are a dummy for good if anything asked before libtorch_cuda was loaded.
lt_error* lt_cuda_hooks(int32_t* real) {
  return guard([&] { *real = at::detail::getCUDAHooks().hasCUDART(); });
}

lt_error* lt_cuda_probe(int32_t* devices, int32_t* driver, int32_t* runtime, char** config, char** reason) {
  return guard([&] {
    *config = *reason = nullptr;
    *driver = *runtime = 0;
    cudaDriverGetVersion(driver);  // 0 without a driver
    cudaRuntimeGetVersion(runtime);
    *devices = 0;
    cudaError_t code = c10::cuda::GetDeviceCount(devices);
    if (code != cudaSuccess) {
      *devices = 0;
      cudaGetLastError();
      *reason = strdup((std::string(cudaGetErrorName(code)) + ", " + cudaGetErrorString(code)).c_str());
    } else if (*devices == 0) {
      *reason = strdup("CUDA finds no device");
    } else {
      *config = strdup(at::detail::getCUDAHooks().showConfig().c_str());  // throws without a GPU
    }
  });
}

lt_error* lt_cuda_capability(int32_t index, int32_t* major, int32_t* minor) {
  return guard([&] {
    check(cudaDeviceGetAttribute(major, cudaDevAttrComputeCapabilityMajor, index));
    check(cudaDeviceGetAttribute(minor, cudaDevAttrComputeCapabilityMinor, index));
  });
}

lt_error* lt_cuda_alive(void) {
  return guard([] {
    cudaGetLastError();  // clears errors that are not sticky
    int devices = 0;
    check(cudaGetDeviceCount(&devices));
    for (int32_t i = 0; i < devices; i++) {
      if (!c10::cuda::hasPrimaryContext(index_of(i))) continue;  // keep it unused
      c10::cuda::CUDAGuard guard(index_of(i));
      check(cudaDeviceSynchronize());
    }
  });
}

lt_error* lt_cuda_device_name(int32_t index, char* buffer, int32_t size) {
  return guard([&] {
    cudaDeviceProp properties;
    check(cudaGetDeviceProperties(&properties, index));
    std::strncpy(buffer, properties.name, size - 1);
    buffer[size - 1] = 0;
  });
}

lt_error* lt_cuda_synchronize(int32_t index) {
  return guard([&] {
    c10::cuda::CUDAGuard guard(index_of(index));
    c10::cuda::device_synchronize();
  });
}

lt_error* lt_cuda_memory(int32_t index, int64_t* allocated, int64_t* reserved, int64_t* total) {
  return guard([&] {
    with_allocator();
    auto stats = c10::cuda::CUDACachingAllocator::getDeviceStats(index_of(index));
    *allocated = current(stats.allocated_bytes);
    *reserved = current(stats.reserved_bytes);
    cudaDeviceProp properties;
    check(cudaGetDeviceProperties(&properties, index));
    *total = static_cast<int64_t>(properties.totalGlobalMem);
  });
}

lt_error* lt_cuda_empty_cache(void) {
  return guard([] {
    with_allocator();
    c10::cuda::CUDACachingAllocator::emptyCache();
  });
}

#define LT_ENTRY(name, params, args) lt_cuda_##name,
static const lt_cuda_api table = {LT_CUDA_FUNCTIONS(LT_ENTRY)};

extern "C" __attribute__((visibility("default"))) const lt_cuda_api* lt_open_cuda(const char** fingerprint_text) {
  *fingerprint_text = LT_CUDA_FINGERPRINT_TEXT;
  return &table;
}
